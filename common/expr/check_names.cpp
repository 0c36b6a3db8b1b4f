// Resolves names to the sources of their values: registers, memory, a tracepoint's record, helpers.
#include <algorithm>
#include <array>

#include "base/clock.h"
#include "base/format.h"
#include "base/text.h"
#include "expr/check.h"
#include "expr/interface.h"

namespace uscope::expr {
namespace {

using namespace std::literals;

constexpr std::string_view elapsed = "$elapsed";

struct NamedBuiltin {
    std::string_view name;
    Builtin builtin;
};
constexpr std::array<NamedBuiltin, 12> builtins = {{
    {"$pid", Builtin::Pid},
    {"$tgid", Builtin::Pid},
    {"$tid", Builtin::Tid},
    {"$uid", Builtin::Uid},
    {"$gid", Builtin::Gid},
    {"$cpu", Builtin::Cpu},
    {"$cgroup", Builtin::Cgroup},
    {"$comm", Builtin::Comm},
    {"$latency", Builtin::Latency},
    {"$nsecs", Builtin::Nsecs},
    {"$PID", Builtin::Pid},  // BCC's argdist has this name and the next
    {"$COMM", Builtin::Comm},
}};

// Names that stand for expressions.
struct Definition {
    std::string_view name, text;
};
constexpr std::array<Definition, 2> definitions = {{
    {"$ppid", "$task->real_parent->tgid"},
    {"$pcomm", "$task->real_parent->group_leader->comm"},
}};

void move_to(Node &node, size_t column)
{
    node.column = column;
    for (const NodeRef &child : node.children)
        move_to(*child, column);
}

// Returns what a reference of C++ to a number or a pointer refers to; other values unchanged: a
// reference to an object is its address, whose members are found as those of the object.
ExprRef referred(const ExprRef &value)
{
    using Kind = types::Type::Kind;
    const types::TypeRef target = value->type->is_reference ? value->type->target : nullptr;
    bool is_scalar = target && (target->kind == Kind::Integer || target->kind == Kind::Float ||
                                target->kind == Kind::Pointer);
    bool is_word = is_scalar && (target->size == 1 || target->size == 2 || target->size == 4 ||
                                 target->size == 8);
    if (!is_word || value->op == Op::Unsupported)
        return value;
    return make_load(value, 0, target, value->column);
}

types::TypeRef type_of(Builtin builtin)
{
    static const types::TypeRef id = types::parse_type("pid_t");
    switch (builtin) {
    case Builtin::Pid:
    case Builtin::Tid:
        return id;
    case Builtin::Cgroup:
    case Builtin::Latency:
    case Builtin::Nsecs:
        return types::integer_type(8, false);
    case Builtin::Comm:
        return types::char_pointer();
    default:
        return types::integer_type(4, false);
    }
}

}  // namespace

Result<ExprRef> Checker::name(const Node &node)
{
    for (const NamedBuiltin &entry : builtins)
        if (entry.name == node.text)
            return builtin(entry.builtin, node);
    for (const Definition &definition : definitions)
        if (definition.name == node.text)
            return defined(definition.text, node);
    if (node.text == elapsed)
        return since_start(node);

    std::string_view wanted = node.text;
    if (wanted == "$retval")
        wanted.remove_prefix(1);
    std::optional<Variable> found;
    if (scope_.find) {
        auto result = scope_.find(wanted);
        if (!result)
            return fail_at(source_, node.column, "{}", result.error().text);
        found = std::move(*result);
    }
    if (found)
        return referred(TRY(variable(*found, node)));
    if (auto constant = types::system_constant(wanted))
        return make_constant(
            *constant, types::integer_type(*constant == int(*constant) ? 4 : 8, true), node.column);

    if (wanted == "arg0")
        return fail_at(source_, node.column, "arguments begin at arg1");
    return fail_at(source_, node.column, "nothing is named {} here{}", node.text,
                   did_you_mean(names_near(node.text)));
}

// Returns what `text` means; errors are shown at `node`.
Result<ExprRef> Checker::defined(std::string_view text, const Node &node)
{
    NodeRef meaning = TRY(parse(text));
    move_to(*meaning, node.column);
    return any(*meaning);
}

// Returns names that are similar to `name`, in the form that the user has to type: a tracepoint's
// fields as args->name.
std::vector<std::string> Checker::names_near(const std::string &name) const
{
    std::vector<std::string> known;
    if (scope_.names)
        known = scope_.names();
    size_t own = known.size();
    for (const NamedBuiltin &entry : builtins)
        known.emplace_back(entry.name);
    for (const Definition &definition : definitions)
        known.emplace_back(definition.name);
    for (std::string_view other : {elapsed, "$container"sv, "$func"sv, "$probe"sv})
        known.emplace_back(other);
    std::vector<std::string> near = near_names(name, known);
    known.resize(own);
    for (std::string &suggestion : near) {
        if (scope_.find_field && std::find(known.begin(), known.end(), suggestion) != known.end())
            suggestion = "args->" + suggestion;
    }
    return near;
}

// The nanoseconds since the tool looked at its first expression.
Result<ExprRef> Checker::since_start(const Node &node)
{
    static const uint64_t start_ns = monotonic_ns();
    types::TypeRef type = type_of(Builtin::Nsecs);
    return make_binary(Op::Subtract, TRY(builtin(Builtin::Nsecs, node)),
                       make_constant(start_ns, type, node.column), type, node.column);
}

Result<ExprRef> Checker::builtin(Builtin builtin, const Node &node, types::TypeRef type)
{
    if (builtin == Builtin::Comm)
        return make({.op = Op::Text,
                     .type = type_of(builtin),
                     .column = node.column,
                     .source = TextSource::Comm,
                     .bound = 16});
    if (builtin == Builtin::Latency && !scope_.entry)
        return fail_at(source_, node.column, "$latency works on return only: trace r:… instead");
    return make({.op = Op::Builtin,
                 .type = type ? type : type_of(builtin),
                 .column = node.column,
                 .builtin = builtin,
                 .space = builtin == Builtin::Task ? Space::Kernel : Space::User});
}

Result<ExprRef> Checker::variable(const Variable &variable, const Node &node)
{
    types::TypeRef type = variable.type ? variable.type : types::integer_type(8, false);
    if (auto *source = std::get_if<Builtin>(&variable.source))
        return builtin(*source, node, type);
    if (auto *field = std::get_if<ContextField>(&variable.source))
        return context_field(*field, type, node);
    if (auto *source = std::get_if<Parts>(&variable.source))
        return parts(*source, type, node);
    if (auto *source = std::get_if<ThreadWord>(&variable.source))
        return thread_word(*source, type, node.column);
    if (auto *source = std::get_if<ErrnoWord>(&variable.source))
        return errno_word(*source, type, node.column);
    if (auto *fixed = std::get_if<FixedText>(&variable.source))
        return make({.op = Op::Text,
                     .type = type,
                     .column = node.column,
                     .source = TextSource::Fixed,
                     .text = fixed->text});
    if (auto *source = std::get_if<Global>(&variable.source))
        return make_load(file_base(node.column), source->vaddr, type, node.column);
    if (auto *source = std::get_if<ProcessGlobal>(&variable.source))
        return make_load(global_address(*source, node), 0, type, node.column);
    return operand(std::get<abi::Operand>(variable.source), type, node);
}

Result<ExprRef> Checker::goroutine()
{
    static const Variable in_register = {
        types::integer_type(8, false),
        abi::Operand{.kind = abi::Operand::Kind::Register,
                     .base = *abi::find_register(abi::Machine::X86_64, "r14")}};
    Node node = {};
    node.kind = NodeKind::Name;
    node.text = "the goroutine";
    return variable(scope_.goroutine.value_or(in_register), node);
}

// Returns the base address of the running thread's thread-local memory.
ExprRef Checker::thread_memory(uint32_t pointer_at, size_t column)
{
    ExprRef task = make({.op = Op::Builtin,
                         .type = types::pointer_to(nullptr),
                         .column = column,
                         .builtin = Builtin::Task,
                         .space = Space::Kernel});
    return make_load(task, pointer_at, types::user_pointer_to(nullptr), column);
}

ExprRef Checker::thread_word(const ThreadWord &word, types::TypeRef type, size_t column)
{
    types::TypeRef kept = types::user_pointer_to(nullptr);
    ExprRef value = make_load(thread_memory(word.pointer_at, column), word.offset,
                              word.target_offset ? kept : type, column);
    return word.target_offset ? make_load(value, *word.target_offset, type, column) : value;
}

// Returns the load bias of the file with the probed instruction: its address in memory minus that
// in the file. At a return, the instruction pointer may be the caller's: then it is that of the
// entry.
ExprRef Checker::file_base(size_t column)
{
    const Scope &at = scope_.entry ? *scope_.entry : scope_;
    ExprRef base = load_bias(at.code, at.machine, column);
    if (!scope_.entry || base->op == Op::Constant)
        return base;
    return make({.op = Op::Saved,
                 .type = types::integer_type(8, false),
                 .column = column,
                 .children = {base, base}});
}

// Returns the address in the running process; one that no program has, if it is none of these.
ExprRef Checker::global_address(const ProcessGlobal &global, const Node &node)
{
    constexpr uint64_t unreadable = uint64_t(1) << 63;
    const types::TypeRef type = types::user_pointer_to(nullptr);
    ExprRef pid = make({.op = Op::Builtin,
                        .type = type_of(Builtin::Pid),
                        .column = node.column,
                        .builtin = Builtin::Pid});
    bool is_one = global.copies.size() == 1;
    ExprRef address =
        make_constant(is_one ? global.copies[0].address : unreadable, type, node.column);
    for (size_t i = 0; !is_one && i < global.copies.size(); i++) {
        const ProcessGlobal::Copy &copy = global.copies[i];
        ExprRef is_it = make_binary(Op::Equal, pid, make_constant(copy.pid, pid->type, node.column),
                                    types::integer_type(4, true), node.column);
        address =
            make({.op = Op::Choose,
                  .type = type,
                  .column = node.column,
                  .children = {is_it, make_constant(copy.address, type, node.column), address}});
    }
    return address;
}

ExprRef Checker::errno_word(const ErrnoWord &word, types::TypeRef type, size_t column)
{
    ExprRef address = thread_memory(word.pointer_at, column);
    if (word.slot) {
        ExprRef offset =
            make_load(file_base(column), *word.slot, types::integer_type(8, false), column);
        address = make_binary(Op::Add, address, offset, types::user_pointer_to(nullptr), column);
    }
    return make_load(address, word.offset, std::move(type), column);
}

// Returns the low `size` bytes of a register when the probe fires.
ExprRef Checker::from_register(abi::Register reg, uint8_t size, bool is_signed, size_t column)
{
    ExprRef value = make({.op = Op::Context,
                          .type = types::integer_type(8, false),
                          .column = column,
                          .number = reg.pt_regs_offset,
                          .space = pointers()});
    if (reg.shift)
        value = make_binary(Op::ShiftRight, value,
                            make_constant(reg.shift, types::integer_type(4, true), column),
                            types::integer_type(8, false), column);
    if (reg.size && reg.size < size)
        size = reg.size;
    return size < 8 ? make_convert(value, types::integer_type(size, is_signed)) : value;
}

Result<ExprRef> Checker::parts(const Parts &parts, types::TypeRef type, const Node &node)
{
    Expr whole = {.op = Op::Parts, .type = std::move(type), .column = node.column};
    for (const auto &[offset, source] : parts.parts) {
        whole.children.push_back(TRY(operand(source, types::integer_type(8, false), node)));
        whole.offsets.push_back(offset);
    }
    return make(std::move(whole));
}

Result<ExprRef> Checker::operand(const abi::Operand &operand, types::TypeRef type, const Node &node)
{
    size_t column = node.column;
    auto unsupported = [&](std::string why) {
        return make(
            {.op = Op::Unsupported, .type = type, .column = column, .text = std::move(why)});
    };
    if (operand.is_float && type->kind != types::Type::Kind::Float)
        type = types::parse_type(operand.size == 4 ? "float" : "double");
    bool is_float = type->kind == types::Type::Kind::Float;
    bool is_aggregate =
        type->kind == types::Type::Kind::Struct || type->kind == types::Type::Kind::Array;
    if (operand.kind == abi::Operand::Kind::Unsupported)
        return unsupported(node.text.starts_with("$shown")
                               ? operand.why
                               : fmt::format("{} cannot be read: {}", node.text, operand.why));
    if (is_aggregate && operand.kind != abi::Operand::Kind::Memory)
        return unsupported(fmt::format("{} is a {} passed by value", node.text, type->name));

    ExprRef value;
    if (operand.kind == abi::Operand::Kind::Constant) {
        value = make_constant(operand.value, types::integer_type(operand.size, operand.is_signed),
                              column);
    } else if (operand.kind == abi::Operand::Kind::Register) {
        value = from_register(operand.base, operand.size, operand.is_signed, column);
    } else {
        ExprRef address;
        if (operand.has_base)
            address = from_register(operand.base, 8, false, column);
        if (operand.has_index) {
            ExprRef scaled =
                make_binary(Op::Multiply, from_register(operand.index, 8, false, column),
                            make_constant(operand.scale, types::integer_type(8, false), column),
                            types::integer_type(8, false), column);
            address = address ? make_binary(Op::Add, address, scaled, types::integer_type(8, false),
                                            column)
                              : scaled;
        }
        if (!address)
            address = make_constant(0, types::integer_type(8, false), column);
        types::TypeRef loaded =
            is_float || is_aggregate ? type : types::integer_type(operand.size, operand.is_signed);
        value = make_load(address, operand.value, loaded, column);
    }
    if (is_aggregate)
        return value;
    if (is_float) {
        if (type->size != 4 && type->size != 8)
            return unsupported(
                fmt::format("{} is a {} of {} bytes", node.text, type->name, type->size));
        if (value->op == Op::Load)
            return value;
        // Op::Convert to a float type keeps the bits as they are.
        return make({.op = Op::Convert, .type = type, .column = column, .children = {value}});
    }
    if (type->kind == types::Type::Kind::Void)
        return unsupported(fmt::format("{} has no value (void)", node.text));
    return make_convert(value, type);
}

Result<ExprRef> Checker::context_field(const ContextField &field, types::TypeRef type,
                                       const Node &node)
{
    size_t column = node.column;
    if (field.offset > INT16_MAX)  // no tracepoint has a record that large
        return fail_at(source_, column, "{} is too far into the record", node.text);
    if (field.is_data_loc || field.is_array) {
        bool is_text = type->is_string() || (type->target && type->target->size == 1);
        if (field.is_array && type->kind == types::Type::Kind::Array && !is_text)
            return make(
                {.op = Op::Context, .type = type, .column = column, .number = field.offset});
        return make({.op = Op::Text,
                     .type = type,
                     .column = column,
                     .number = field.offset,
                     .space = Space::Kernel,
                     .source = field.is_array ? TextSource::ContextArray : TextSource::DataLoc,
                     .bound = field.is_array ? field.size : 0,
                     .is_bytes = !type->is_string()});
    }
    if (field.size != 1 && field.size != 2 && field.size != 4 && field.size != 8)
        return make({.op = Op::Unsupported,
                     .type = type,
                     .column = column,
                     .text = fmt::format("{} is a field of {} bytes", node.text, field.size)});
    types::TypeRef loaded = types::integer_type(field.size, field.is_signed);
    ExprRef value;
    if (field.offset % field.size == 0) {
        value = make({.op = Op::Context,
                      .type = loaded,
                      .column = column,
                      .number = field.offset,
                      .space = pointers()});
    } else {  // The verifier refuses unaligned loads from the context.
        ExprRef address = make({.op = Op::ContextAddress,
                                .type = types::integer_type(8, false),
                                .column = column,
                                .number = field.offset,
                                .space = Space::Kernel});
        value = make_load(address, 0, loaded, column);
    }
    if (type->kind != types::Type::Kind::Integer && type->kind != types::Type::Kind::Pointer)
        return value;
    return make_convert(value, type);
}

}  // namespace uscope::expr
