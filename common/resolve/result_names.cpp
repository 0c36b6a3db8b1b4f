// Resolves retval: where functions return their results, and of which type.
#include <algorithm>

#include "base/text.h"
#include "resolve/kernel_types.h"
#include "resolve/names.h"
#include "resolve/operand.h"

namespace uscope::resolve {
namespace {

bool is_same_result(const dwarf::FunctionInfo &a, const dwarf::FunctionInfo &b)
{
    if (!a.return_type || !b.return_type)
        return !a.return_type && !b.return_type;
    const types::Type &one = *a.return_type, &other = *b.return_type;
    return a.return_why == b.return_why && one.kind == other.kind && one.name == other.name &&
           one.size == other.size && one.is_signed == other.is_signed;
}

}  // namespace

Names::Found Names::return_value()
{
    uses_result_ = true;
    abi::Operand operand;
    operand.kind = abi::Operand::Kind::Register;
    operand.base = abi::return_value(machine_);
    if (group_.is_tail_calls) {
        operand.kind = abi::Operand::Kind::Unsupported;
        operand.why = "the function ended with a tail call";
        return expr::Variable{untyped(), operand};
    }
    auto info = common_result();
    if (!info)
        return expr::Variable{untyped(), operand};
    bool is_pattern = probe_.is_regex || is_glob(probe_.function.text);
    if (!info->return_type && is_pattern)  // other matches may return something
        return expr::Variable{untyped(), operand};
    if (!info->return_type) {
        bool is_single = group_.site_count() == 1;
        return fail("retval: {} returns nothing (void)",
                    is_single ? group_.files[0].sites[0].name : probe_.function.text);
    }
    if (!info->result_parts.empty())
        return result_in_registers(*info);
    if (!info->return_why.empty())
        return fail("retval: {}", info->return_why);
    set_size(operand, *info->return_type);
    return expr::Variable{info->return_type, operand};
}

Names::Found Names::result_in_registers(const types::FunctionInfo &info) const
{
    expr::Parts parts;
    for (const auto &[offset, slot] : info.result_parts) {
        bool is_first = slot == 1;
        abi::Operand operand;
        operand.kind = abi::Operand::Kind::Register;
        operand.base =
            is_first ? abi::return_value(machine_) : *abi::find_register(machine_, "rdx");
        if (!is_first && group_.has_branches())
            return fail("retval: {}, which are seen only if the function is named alone",
                        info.return_why);
        parts.parts.push_back({offset, operand});
    }
    return expr::Variable{info.return_type, std::move(parts)};
}

bool Names::returns_two_registers()
{
    auto info = is_return_ && !is_go_ ? common_result() : std::nullopt;
    return info && std::any_of(info->result_parts.begin(), info->result_parts.end(),
                               [](const auto &part) { return part.slot > 1; });
}

// Returns one of the traced functions if all have the same type of result; else nullopt.
std::optional<dwarf::FunctionInfo> Names::common_result()
{
    constexpr size_t max_sites = 64;  // each needs a search of all the kernel's types
    if (group_.is_kernel && group_.site_count() > max_sites)
        return std::nullopt;
    if (!group_.is_kernel && (group_.files.size() != 1 || !debug()))
        return std::nullopt;
    std::optional<dwarf::FunctionInfo> result;
    for (const FileSites &file : group_.files) {
        for (const Site &site : file.sites) {
            auto info = group_.is_kernel ? kernel_function(file.file.path, site.name)
                                         : debug()->function_at(site.function_vaddr);
            if (!info || (result && !is_same_result(*result, *info)))
                return std::nullopt;
            result = std::move(info);
        }
    }
    return result;
}

}  // namespace uscope::resolve
