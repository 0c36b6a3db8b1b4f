// Reads BTF and the formats of system calls' tracepoints.
#include "resolve/kernel_types.h"

#include <array>
#include <map>

#include "base/text.h"
#include "proc/tracefs.h"

namespace uscope::resolve {
namespace {

constexpr bool is_arm = abi::host_machine == abi::Machine::Aarch64;

types::TypeRef field_type(const proc::TracepointField &field)
{
    auto find = [](std::string_view name) {
        auto types = kernel_types();
        return types ? types->find_type(name) : nullptr;
    };
    auto type = types::parse_type(field.type, find);
    if (type && type->kind == types::Type::Kind::Pointer)
        return types::user_pointer_to(type->target);
    return type ? type : types::integer_type(8, false);
}

std::optional<types::FunctionInfo> syscall_info(const std::string &name)
{
    auto tracefs = proc::Tracefs::open();
    auto point =
        tracefs ? tracefs->read("syscalls", "sys_enter_" + name) : Failure(tracefs.error());
    if (!point)
        return std::nullopt;
    types::FunctionInfo info;
    for (const auto &field : point->fields) {
        if (field.name != "__syscall_nr" && field.name != "nr")
            info.parameters.push_back(
                {field.name, field_type(field), unsigned(info.parameters.size() + 1)});
    }
    info.last_slot = info.parameters.size();
    info.return_type = types::parse_type("long");
    return info;
}

}  // namespace

std::shared_ptr<const btf::Types> kernel_types(const std::string &module)
{
    static std::map<std::string, std::shared_ptr<const btf::Types>> known;
    auto [entry, is_new] = known.try_emplace(module);
    if (is_new) {
        auto file = btf::File::open("/sys/kernel/btf/" + module);
        auto base = module == "vmlinux" ? nullptr : kernel_types();
        if (file)
            entry->second = btf::Types::read(std::move(*file), std::move(base));
    }
    return entry->second;
}

std::optional<uint32_t> kernel_member(const std::string &structure,
                                      const std::vector<std::string> &members)
{
    auto types = kernel_types();
    types::TypeRef type = types ? types->find_type(structure) : nullptr;
    uint32_t offset = 0;
    for (const std::string &name : members) {
        auto member = type && type->find_member ? type->find_member(name) : std::nullopt;
        if (!member)
            return std::nullopt;
        offset += member->offset;
        type = member->type;
    }
    return offset;
}

Result<> check_kernel_types(const std::string &module)
{
    if (!kernel_types())
        return fail(
            "this kernel has no type information (/sys/kernel/btf/vmlinux; it needs "
            "CONFIG_DEBUG_INFO_BTF)");
    if (!kernel_types(module))
        return fail("{0} has no type information (/sys/kernel/btf/{0}, since Linux 5.11)", module);
    return {};
}

std::optional<std::string> syscall_name(std::string_view function)
{
    constexpr std::string_view prefix = is_arm ? "__arm64_sys_" : "__x64_sys_";
    if (!function.starts_with(prefix))
        return std::nullopt;
    return std::string(function.substr(prefix.size()));
}

std::optional<abi::Operand> syscall_argument(unsigned n)
{
    // On arm64, the kernel keeps the first argument in orig_x0. But x0 still has it at the entry.
    static constexpr std::array<std::string_view, 6> x86 = {"di", "si", "dx", "r10", "r8", "r9"};
    static constexpr std::array<std::string_view, 6> arm = {"x0", "x1", "x2", "x3", "x4", "x5"};
    if (n < 1 || n > x86.size())
        return std::nullopt;
    abi::Operand operand;
    operand.kind = abi::Operand::Kind::Memory;
    operand.base = *abi::argument_register(abi::host_machine, 1);
    operand.value =
        abi::pt_regs_field(abi::host_machine, (is_arm ? arm : x86)[n - 1])->pt_regs_offset;
    return operand;
}

std::optional<types::FunctionInfo> kernel_function(const std::string &module,
                                                   const std::string &name)
{
    if (auto syscall = syscall_name(name))
        return syscall_info(*syscall);
    auto types = kernel_types(module);
    return types ? types->find_function(name) : std::nullopt;
}

}  // namespace uscope::resolve
