// Adds the addresses of long names to keys, and reads whole names.
#include "runtimes/long_names.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/format.h"

namespace uscope::runtimes {
namespace {

constexpr uint32_t longest = 65535;  // bytes of the longest name that a class file can contain

expr::NodeRef copy(const expr::Node &node)
{
    auto copied = std::make_unique<expr::Node>();
    copied->kind = node.kind;
    copied->column = node.column;
    copied->text = node.text;
    copied->number = node.number;
    copied->is_unsigned = node.is_unsigned;
    copied->is_long = node.is_long;
    for (const auto &child : node.children)
        copied->children.push_back(copy(*child));
    return copied;
}

}  // namespace

Result<> distinguish(probe::ProbeRequest &probe, uint32_t string_bytes)
{
    for (size_t i = 0, texts = probe.values.size(); i < texts; i++) {
        const expr::Node &text = *probe.values[i].node;
        if (text.kind != expr::NodeKind::Call || text.text != "str" || text.children.size() != 2)
            continue;
        auto address = TRY(expr::parse(fmt::format("0 > {} ? 0 : 0", string_bytes)));
        address->children[0]->children[0] = copy(*text.children[1]);
        address->children[1] = copy(*text.children[0]);
        probe.values.push_back(
            {std::move(address), expr::ValueForm::Natural, probe.values[i].name + " at"});
    }
    return {};
}

std::optional<std::string> whole_name(const std::vector<pid_t> &pids, uint64_t address,
                                      uint32_t length, std::string_view beginning)
{
    if (!address || length > longest)
        return std::nullopt;
    for (pid_t pid : pids) {
        std::string name(length, '\0');
        Fd memory(open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDONLY | O_CLOEXEC));
        if (memory && pread(memory.get(), name.data(), length, off_t(address)) == ssize_t(length) &&
            name.starts_with(beginning))
            return name;
    }
    return std::nullopt;
}

}  // namespace uscope::runtimes
