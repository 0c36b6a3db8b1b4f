// Splits the lines of /proc/kallsyms.
#include "proc/kallsyms.h"

#include <charconv>
#include <cstring>

#include <fcntl.h>

#include "base/fd.h"

namespace uscope::proc {

std::optional<KernelSymbol> parse_kernel_symbol(std::string_view line)
{
    KernelSymbol symbol;
    const char *end = line.data() + line.size();
    auto [rest, error] = std::from_chars(line.data(), end, symbol.address, 16);
    size_t used = rest - line.data();
    if (error != std::errc() || line.size() < used + 4)
        return std::nullopt;
    char type = line[used + 1] | 0x20;
    symbol.is_code = type == 't' || type == 'w';
    symbol.name = line.substr(used + 3);
    if (size_t tab = symbol.name.find('\t'); tab != symbol.name.npos) {
        symbol.module = symbol.name.substr(tab + 1);
        symbol.name = symbol.name.substr(0, tab);
        if (symbol.module.size() < 2 || symbol.module[0] != '[' || !symbol.module.ends_with(']'))
            return std::nullopt;
        symbol.module = symbol.module.substr(1, symbol.module.size() - 2);
    }
    return symbol;
}

void each_kernel_symbol(const std::string &proc,
                        const std::function<void(const KernelSymbol &)> &visit)
{
    Fd fd(open((proc + "/kallsyms").c_str(), O_RDONLY | O_CLOEXEC));
    char buffer[16 * 1024];
    size_t kept = 0;  // bytes of an incomplete line
    for (ssize_t got; (got = read(fd.get(), buffer + kept, sizeof(buffer) - kept)) > 0;) {
        std::string_view text(buffer, kept + got);
        for (size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1)) {
            if (auto symbol = parse_kernel_symbol(text.substr(0, end)))
                visit(*symbol);
        }
        kept = text.size() < sizeof(buffer) ? text.size() : 0;
        memmove(buffer, text.data(), kept);
    }
}

}  // namespace uscope::proc
