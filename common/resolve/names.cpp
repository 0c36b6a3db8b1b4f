// Resolves the names in expressions (arg1, retval, fields) for C functions, USDT probes and
// tracepoints. debug_names.cpp resolves names from debug information, go_names.cpp those of Go.
#include "resolve/names.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "proc/workload_names.h"
#include "resolve/go_goroutine.h"
#include "resolve/kernel_types.h"
#include "resolve/operand.h"
#include "resolve/signature.h"
#include "resolve/thread_memory.h"

namespace uscope::resolve {
namespace {

using spec::ProbeKind;

// "arg12" -> 12
std::optional<unsigned> argument_number(std::string_view name)
{
    if (!name.starts_with("arg") || name.size() > 6 || name.size() < 4 || name[3] == '0')
        return {};
    for (char c : name.substr(3)) {
        if (c < '0' || c > '9')
            return {};
    }
    return parse_number(name.substr(3));
}

types::TypeRef operand_type(const abi::Operand &operand)
{
    if (!operand.is_float)
        return types::integer_type(operand.size, operand.is_signed);
    auto type = std::make_shared<types::Type>();
    type->kind = types::Type::Kind::Float;
    type->name = operand.size == 4 ? "float" : "double";
    type->size = operand.size;
    return type;
}

// "f(client *c, int n)"
std::string signature(std::string_view name, const dwarf::FunctionInfo &info)
{
    std::vector<std::string> parameters;
    for (const auto &parameter : info.parameters) {
        bool is_pointer = parameter.type->name.ends_with('*');
        bool has_space = !is_pointer && !parameter.name.empty();
        parameters.push_back(parameter.type->name + (has_space ? " " : "") + parameter.name);
    }
    return fmt::format("{}({})", name, join(parameters, ", "));
}

}  // namespace

Names::Names(const spec::Probe &probe, const Group &group)
    : probe_(probe), group_(group), is_return_(probe.kind == ProbeKind::Return)
{
    if (!group.files.empty() && group.files[0].image)
        machine_ = abi::machine_of(group.files[0].image->machine()).value_or(abi::host_machine);
    bool is_uprobe = probe.kind == ProbeKind::Entry || probe.kind == ProbeKind::Return;
    is_go_ = is_uprobe && !group.is_kernel && !group.files.empty() && group.files[0].image->is_go();

    bool is_function = probe.kind == ProbeKind::Entry || is_return_;
    entry_.moment = is_function ? expr::Scope::Moment::Entry : expr::Scope::Moment::Other;
    entry_.machine = machine_;
    // Pointers of system calls point into the program's memory; those of other tracepoints into the
    // kernel's.
    entry_.kernel_memory =
        group.is_kernel || (group.tracepoint && group.tracepoint->category != "syscalls");
    entry_.find = [this](std::string_view name) { return find_at_entry(name); };
    if (probe.kind == ProbeKind::Tracepoint)
        entry_.find_field = [this](std::string_view name) { return find_field(name); };
    entry_.find_type = [this](std::string_view name) { return find_type(name); };
    entry_.names = [this] { return known_names(); };

    is_syscall_ = group.is_kernel;
    for (const auto &file : group.files) {
        is_syscall_ &= std::all_of(file.sites.begin(), file.sites.end(), [](const Site &site) {
            return syscall_name(site.name).has_value();
        });
    }

    bool is_usdt = probe.kind == ProbeKind::Usdt && !group.files.empty() && group.files[0].image;
    if ((is_uprobe && !group.is_kernel) || is_usdt)
        entry_.code = probed_code();
    if (is_go_ && is_return_) {
        if (auto goroutine = go_goroutine(*group.files[0].image))
            entry_.goroutine = *goroutine;
    }
    return_ = entry_;
    return_.moment = expr::Scope::Moment::Return;
    return_.find = [this](std::string_view name) { return find_at_return(name); };
    return_.entry = &entry_;
}

Names::Found Names::argument(unsigned n, types::TypeRef type)
{
    if (is_syscall_)
        return syscall_argument(n, std::move(type));
    abi::Operand operand;
    if (auto reg = abi::argument_register(machine_, n)) {
        operand.kind = abi::Operand::Kind::Register;
        operand.base = *reg;
    } else if (probe_.offset) {
        return fail(
            "argument {} is on the stack, where it can only be found at the function's first "
            "instruction, not at +{:#x}",
            n, probe_.offset);
    } else {
        operand.kind = abi::Operand::Kind::Memory;
        operand.base = abi::stack_pointer(machine_);
        operand.value = abi::argument_stack_offset(machine_, n);
    }
    set_size(operand, *type);
    return expr::Variable{std::move(type), operand};
}

Names::Found Names::syscall_argument(unsigned n, types::TypeRef type)
{
    auto operand = resolve::syscall_argument(n);
    if (!operand)
        return fail("a system call has at most 6 arguments");
    set_size(*operand, *type);
    if (type->is_register) {  // a pointer points into the program's memory
        auto marked = std::make_shared<types::Type>(*type);
        marked->is_user = true;
        type = std::move(marked);
    }
    return expr::Variable{std::move(type), *operand};
}

// Returns the traced function if there is only one, the probe is at its start, and the user gave no
// signature; null otherwise, or if the function is unknown.
const dwarf::FunctionInfo *Names::sole_function()
{
    if (probe_.has_signature || probe_.offset || group_.site_count() != 1)
        return nullptr;
    const auto &info = function();
    return info ? &*info : nullptr;
}

// Fails for an argument after the last parameter, because its register contains an unrelated value.
// If arg1 is the address of the result, notes that parameters start at arg2.
Result<> Names::check_argument_number(unsigned n)
{
    const dwarf::FunctionInfo *info = sole_function();
    if (info && info->has_result_pointer)
        note_ = fmt::format("{}: arg1 points to the result's memory; parameters start at arg2",
                            signature(group_.files[0].sites[0].name, *info));
    if (!info || !info->last_slot || n <= *info->last_slot)
        return {};
    size_t count = info->parameters.size();
    unsigned last = *info->last_slot;
    std::string available = last != count
                                ? fmt::format("integer arguments up to arg{}", last)
                                : fmt::format("{} parameter{}", count, count == 1 ? "" : "s");
    if (last == 0)
        available = count ? "no integer arguments" : "no parameters";
    return fail("arg{}: {} has {}", n, signature(group_.files[0].sites[0].name, *info), available);
}

// A signed integer has its declared type, because its size determines where its sign bit is. All
// others are read as a whole register; that of the address of a text, such as a std::string, is
// known as such.
types::TypeRef Names::type_of_argument(unsigned n)
{
    const types::FunctionInfo *info = sole_function();
    bool is_by_name = !info && !probe_.has_signature && !probe_.offset && demangled();
    if (is_by_name)
        info = &*demangled();
    if (!info)
        return untyped();
    for (const auto &parameter : info->parameters) {
        if (parameter.slot != n || !parameter.type)
            continue;
        const types::Type &type = *parameter.type;
        if (type.kind == types::Type::Kind::Integer && type.is_signed && !type.is_char &&
            !is_by_name)
            return parameter.type;
        bool is_unknown_text = is_by_name && type.target &&
                               type.target->kind == types::Type::Kind::Struct && !type.target->size;
        if (is_unknown_text)  // a QString (types/qt.h): it is no C string either
            return parameter.type;
        if (type.points_to_text()) {
            if (is_by_name)
                note_demangled();
            auto marked = std::make_shared<types::Type>(*untyped());
            marked->target = type.target;
            return marked;
        }
    }
    return untyped();
}

Names::Found Names::find_at_entry(std::string_view name)
{
    if (auto found = TRY(find_shown(name)))
        return found;
    if (auto found = TRY(find_fixed(name)))
        return found;
    auto n = argument_number(name);
    if (is_go_) {
        if (auto found = TRY(go_name(name)))
            return found;
    }
    if (probe_.kind == ProbeKind::Usdt) {
        if (!n)
            return find_global(name);
        if (*n > group_.operands.size() && *n <= group_.max_operands) {
            abi::Operand missing;
            missing.why = fmt::format("the probe has no {} at this site", name);
            return expr::Variable{operand_type(missing), missing};
        }
        if (*n > group_.operands.size()) {
            return fail("the probe has {} argument{}, no {}", group_.operands.size(),
                        group_.operands.size() == 1 ? "" : "s", name);
        }
        const abi::Operand &operand = group_.operands[*n - 1];
        return expr::Variable{operand_type(operand), operand};
    }
    if (name == "$task")
        return current_task();
    if (probe_.line.number)
        return find_at_line(name);
    if (name == "$errno")
        return fail("$errno: errno says why a function failed: trace its return, r:...");
    if (name == "$return_address" && probe_.kind == ProbeKind::Entry)
        return return_address();
    if (probe_.kind == ProbeKind::Tracepoint)
        return std::nullopt;

    if (name == "retval" || name == "$retval") {
        return fail("there is no return value at a function's entry: use r:{}:{}",
                    probe_.library.text, probe_.function.text);
    }
    if (n && is_go_)
        return go_argument(*n);
    if (n) {
        TRY(check_argument_number(*n));
        return argument(*n, type_of_argument(*n));
    }
    if (probe_.has_signature) {
        auto found = find_in_signature(name);
        if (!found || *found)
            return found;
    }
    auto found = find_in_dwarf(name);
    if (found && *found)
        return found;
    if (auto global = TRY(find_global(name)))
        return global;
    return found;
}

Names::Found Names::find_at_return(std::string_view name)
{
    if (auto found = TRY(find_shown(name)))
        return found;
    if (auto found = TRY(find_fixed(name)))
        return found;
    if (is_go_) {
        if (auto found = TRY(go_name_at_return(name)))
            return found;
    }
    if (name == "retval" || name == "$retval")
        return return_value();
    if (name == "$errno")
        return thread_errno();
    if (name == "$task")
        return current_task();
    auto at_entry = TRY(find_at_entry(name));
    if (at_entry && (std::holds_alternative<expr::Global>(at_entry->source) ||
                     std::holds_alternative<expr::ThreadWord>(at_entry->source)))
        return at_entry;
    if (at_entry)
        return fail("{0} is only known at the function's entry: use $entry({0})", name);
    return std::nullopt;
}

Names::Found Names::find_in_signature(std::string_view name)
{
    auto parameters = locate_parameters(machine_, probe_.signature, 1,
                                        [this](std::string_view text) { return find_type(text); });
    for (size_t i = 0; i < parameters.size(); i++) {
        const types::Parameter &parameter = parameters[i];
        if (parameter.name != name)
            continue;
        if (!parameter.type)
            return fail("the type \"{}\" of {} is not known", probe_.signature[i].type, name);
        if (parameter.type->kind == types::Type::Kind::Float)
            return fail("{} is passed in a floating-point register, which probes cannot read",
                        name);
        return is_go_ ? typed_go_argument(parameter.slot, parameter.type) : located(parameter);
    }
    return std::nullopt;
}

Names::Found Names::thread_errno()
{
    if (group_.is_kernel)
        return fail("$errno: the kernel's functions return the error: retval");
    if (group_.files.size() != 1)
        return fail("$errno: the traced functions are in several files");
    constexpr size_t max_sites = 64;  // the program compares with the address of each one
    if (entry_.code.size() > max_sites)
        return fail("$errno: {} functions are traced, at most {} can be", entry_.code.size(),
                    max_sites);
    auto found = errno_in(*group_.files[0].image);
    if (!found)
        return fail("$errno: {}", found.error().text);
    return *found;
}

// The address behind the call, from the caller's code.
Names::Found Names::return_address()
{
    if (probe_.offset)
        return fail("$return_address can only be found at the function's first instruction");
    abi::Operand operand;
    if (machine_ == abi::Machine::X86_64) {
        operand.kind = abi::Operand::Kind::Memory;
        operand.base = abi::stack_pointer(machine_);
        operand.has_base = true;
    } else {
        operand.kind = abi::Operand::Kind::Register;
        operand.base = *abi::find_register(machine_, "x30");
    }
    types::TypeRef type = types::pointer_to(nullptr);
    set_size(operand, *type);
    return expr::Variable{type, operand};
}

// The current task, typed by the kernel's BTF; available in every probe.
Names::Found Names::current_task()
{
    if (auto typed = check_kernel_types(); !typed)
        return fail("$task: {}", typed.error().text);
    auto task = kernel_types()->find_type("struct task_struct");
    if (!task)
        return fail("$task: this kernel has no struct task_struct");
    return expr::Variable{types::pointer_to(task), expr::Builtin::Task};
}

// The running thread's container: the id of its cgroup, which the tool shows as a name.
Names::Found Names::container() const
{
    static const types::TypeRef type = [] {
        auto made = std::make_shared<types::Type>(*types::integer_type(8, false));
        made->name = "container";
        made->constant_name = [](int64_t id) { return proc::container_of_cgroup(uint64_t(id)); };
        return made;
    }();
    return expr::Variable{type, expr::Builtin::Cgroup};
}

Names::Found Names::find_field(std::string_view name)
{
    for (const auto &field : group_.tracepoint->fields) {
        if (field.name != name)
            continue;
        expr::ContextField source{field.offset, field.size, field.is_signed, field.is_array,
                                  field.is_data_loc};
        bool is_text = field.type.find("char") != std::string::npos;
        if (field.is_data_loc || (field.is_array && is_text)) {
            auto text = std::make_shared<types::Type>(*types::char_pointer());
            text->kind = types::Type::Kind::Array;
            text->name = field.type;
            text->size = field.is_data_loc ? 0 : field.size;
            return expr::Variable{text, source};
        }
        if (field.is_rel_loc || field.is_array ||
            (field.size != 1 && field.size != 2 && field.size != 4 && field.size != 8))
            return fail("{} is of type {}, which cannot be shown", name, field.type);
        if (is_text && field.type.find('*') != std::string::npos)
            return expr::Variable{types::char_pointer(), source};
        // System calls' arguments are 8 bytes of the record, whatever their type.
        auto declared = types::parse_type(field.type);
        bool is_smaller =
            declared && declared->kind == types::Type::Kind::Integer && declared->size < field.size;
        return expr::Variable{
            is_smaller ? declared : types::integer_type(field.size, field.is_signed), source};
    }
    return std::nullopt;
}

}  // namespace uscope::resolve
