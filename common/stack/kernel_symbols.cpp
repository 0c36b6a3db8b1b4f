// /proc/kallsyms, a line for each symbol, sorted by address but for modules; without sizes:
//
//     ffffffff810a1b50 T do_sys_open
//     ffffffffc0201000 t nf_hook	[nf_tables]
//
// A symbol reaches to the next one. With kptr_restrict all addresses are 0 for who lacks
// CAP_SYSLOG. There are 120,000 of them: 8 bytes each here, and the names in one block (3 MB).
#include <algorithm>
#include <charconv>

#include <fcntl.h>

#include "base/fd.h"
#include "stack/symbolize.h"

namespace uscope::stack {
namespace {

struct Entry {
    uint32_t address;  // from the base
    uint32_t name;     // offset in the names: "do_sys_open", "nf_hook\t[nf_tables]"
};

// Reserved at once, since a block that grows by copying is twice in memory; untouched pages cost
// nothing.
constexpr size_t expected_symbols = 200'000, expected_name_bytes = 6 << 20;
// From the kernel's first function to a module's.
constexpr uint64_t most_distance = uint64_t(2) << 30;
// The last function of a module or of the kernel is followed by a gap, not by code.
constexpr uint64_t most_function_bytes = 256 * 1024;

}  // namespace

struct KernelSymbols::State {
    std::string path;
    bool is_read = false;
    uint64_t base = 0;
    std::vector<Entry> entries = {};
    std::string names = {};

    void read();
    void add_line(std::string_view line);
};

void KernelSymbols::State::add_line(std::string_view line)
{
    uint64_t address;
    auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), address, 16);
    size_t used = rest - line.data();
    if (error != std::errc() || address == 0 || line.size() < used + 4)
        return;
    char type = line[used + 1] | 0x20;
    if (type != 't' && type != 'w')
        return;
    if (entries.empty())  // arm64 has modules below the kernel, x86-64 above
        base = address - std::min(address, most_distance);
    if (address < base || address - base > UINT32_MAX)
        return;
    std::string_view name = line.substr(used + 3);
    entries.push_back({uint32_t(address - base), uint32_t(names.size())});
    names.append(name).append(1, '\0');
}

void KernelSymbols::State::read()
{
    is_read = true;
    entries.reserve(expected_symbols);
    names.reserve(expected_name_bytes);
    Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    char buffer[16 * 1024];
    size_t kept = 0;  // bytes of a line that is not whole yet
    for (ssize_t got; (got = ::read(fd.get(), buffer + kept, sizeof(buffer) - kept)) > 0;) {
        std::string_view text(buffer, kept + got);
        for (size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1))
            add_line(text.substr(0, end));
        kept = text.size() < sizeof(buffer) ? text.size() : 0;
        memmove(buffer, text.data(), kept);
    }
    // Stable: of several names for an address the last line stays the one found.
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry &a, const Entry &b) { return a.address < b.address; });
}

KernelSymbols::KernelSymbols(std::string proc) : state_(new State{proc + "/kallsyms"}) {}
KernelSymbols::KernelSymbols(KernelSymbols &&) noexcept = default;
KernelSymbols::~KernelSymbols() = default;

Frame KernelSymbols::find(uint64_t address)
{
    State &state = *state_;
    if (!state.is_read)
        state.read();
    Frame unknown{"[unknown]", 0, "[kernel]", false};
    auto next = std::upper_bound(
        state.entries.begin(), state.entries.end(), address,
        [&](uint64_t wanted, const Entry &e) { return wanted < state.base + e.address; });
    if (next == state.entries.begin())
        return unknown;
    const Entry &entry = *(next - 1);
    uint64_t offset = address - (state.base + entry.address);
    std::string_view name = state.names.c_str() + entry.name;
    if (offset >= most_function_bytes || name == "_etext")
        return unknown;
    size_t tab = name.find('\t');
    std::string_view module = tab == name.npos ? "[kernel]" : name.substr(tab + 1);
    return {std::string(name.substr(0, tab)), offset, std::string(module), true};
}

}  // namespace uscope::stack
