// A function points to the data that all its closures share. This data points to the name, the
// script and the bytecodes:
//
//     JSFunction → SharedFunctionInfo → String or ScopeInfo {…, locals, names, start, end}
//                                     → Script {source, name}
//                                     → BytecodeArray, or its owner → table of source positions
//
// Pointers to objects have the low bits 01; small integers are in the upper half of a word. The
// first word of an object points to its Map, which has the type.
#include "lang/node/v8_code.h"

#include <algorithm>
#include <cstdlib>

#include "base/format.h"
#include "base/text.h"
#include "bpf/unwind/unwind.h"
#include "lang/jit_names.h"
#include "lang/memory.h"

namespace uscope::lang {
namespace {

constexpr uint64_t v8_word = 8, tag = V8Code::tag;

// The first of these variables that exists.
std::optional<int32_t> any(const Memory &memory, std::initializer_list<const char *> names)
{
    for (const char *name : names)
        if (auto found = memory.variable<int32_t>(std::string("v8dbg_") + name))
            return found;
    return std::nullopt;
}

std::string utf8(const std::string &bytes, bool is_wide)
{
    std::string made;
    auto unit = [&](size_t i) -> uint32_t {
        return i + 1 < bytes.size() ? uint32_t(uint8_t(bytes[i]) | uint8_t(bytes[i + 1]) << 8) : 0;
    };
    for (size_t i = 0; i < bytes.size(); i += is_wide ? 2 : 1) {
        uint32_t point = is_wide ? unit(i) : uint8_t(bytes[i]);
        if (is_wide && point >> 10 == 0x36 && unit(i + 2) >> 10 == 0x37) {
            point = 0x10000 + ((point & 0x3ff) << 10) + (unit(i + 2) & 0x3ff);
            i += 2;
        }
        append_utf8(made, point);
    }
    return made;
}

}  // namespace

std::optional<V8Code> V8Code::open(const Memory &memory)
{
    auto type = [&](const char *name) { return uint16_t(any(memory, {name}).value_or(0)); };
    auto at = [&](std::initializer_list<const char *> names, uint64_t otherwise) {
        auto found = any(memory, names);
        return found && *found > 0 ? uint64_t(*found) : otherwise;
    };
    V8Code v8;
    v8.shared_type_ = type("type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE");
    v8.scope_type_ = type("type_ScopeInfo__SCOPE_INFO_TYPE");
    v8.script_type_ = type("type_Script__SCRIPT_TYPE");
    v8.bytecodes_type_ = type("type_BytecodeArray__BYTECODE_ARRAY_TYPE");
    v8.first_other_type_ = type("FirstNonstringType");
    v8.shared_at_ = at({"class_JSFunction__shared__SharedFunctionInfo"}, 0);
    v8.name_at_ = at({"class_SharedFunctionInfo__name_or_scope_info__Object",
                      "class_SharedFunctionInfo__name_or_scope_info__Tagged_Object_",
                      "class_SharedFunctionInfo__name_or_scope_info__Tagged_NameOrScopeInfoT_"},
                     0);
    v8.script_at_ = at({"class_SharedFunctionInfo__script_or_debug_info__HeapObject",
                        "class_SharedFunctionInfo__script__HeapObject",
                        "class_SharedFunctionInfo__script__Tagged_HeapObject_"},
                       0);
    // Since Node 22, the BytecodeArray is in memory that only V8 can write, and has a wrapper.
    bool has_wrapper =
        any(memory, {"class_BytecodeArray__wrapper__Tagged_BytecodeWrapper_"}).has_value();
    v8.positions_at_ = has_wrapper ? 24 : 32;
    v8.bytecodes_at_ = at({"class_BytecodeArray__data__uintptr_t"}, 54);
    auto major = memory.variable<int32_t>(version);
    v8.inlined_ = V8Inlined::open(memory, major.value_or(0),
                                  memory.variable<int32_t>(minor_version).value_or(0));
    v8.has_bits_below_ = major >= 14;
    v8.has_receiver_ = major < 10;
    v8.first_local_ = at({"scopeinfo_idx_first_vars"}, 3);
    uint64_t smi_shift = at({"SmiShiftSize"}, 0) + at({"SmiValueShift"}, 0);
    uint64_t script_distance = (v8.script_at_ - v8.name_at_) / v8_word;
    bool is_known = major && v8.shared_type_ && v8.scope_type_ && v8.script_type_ &&
                    v8.bytecodes_type_ && v8.first_other_type_ && smi_shift == 32 &&
                    v8.shared_at_ && v8.shared_at_ / v8_word < 8 && v8.name_at_ &&
                    v8.name_at_ / v8_word < 8 && script_distance < 4;
    return is_known ? std::optional(v8) : std::nullopt;
}

uint8_t V8Code::packed_offsets() const
{
    return uint8_t(shared_at_ / v8_word | name_at_ / v8_word << 3 |
                   (script_at_ - name_at_) / v8_word << 6);
}

// --- objects -----------------------------------------------------------------------------------

std::optional<uint64_t> V8Code::pointer(const Memory &memory, uint64_t object, uint64_t at)
{
    auto value = memory.read<uint64_t>(object - tag + at);
    return value && UNWIND_V8_IS_POINTER(*value) ? value : std::nullopt;
}

std::optional<uint64_t> V8Code::small(const Memory &memory, uint64_t object, uint64_t at)
{
    auto value = memory.read<uint64_t>(object - tag + at);
    return value && uint32_t(*value) == 0 ? std::optional(*value >> 32) : std::nullopt;
}

// Returns 0xffff if it is not an object.
uint16_t V8Code::type_of(const Memory &memory, uint64_t object)
{
    constexpr uint64_t type_at = 12;
    auto map = UNWIND_V8_IS_POINTER(object) ? pointer(memory, object, 0) : std::nullopt;
    return map ? memory.read<uint16_t>(*map - tag + type_at).value_or(0xffff) : 0xffff;
}

// Finds the characters of a string of any kind. Returns nullopt if they are not in one range of
// memory.
std::optional<V8Code::Characters> V8Code::characters(const Memory &memory, uint64_t string) const
{
    constexpr uint64_t length_at = 12, first_at = 16, second_at = 24;
    constexpr int max_steps = 8;
    uint64_t from = 0, count = 0;
    for (int i = 0; i < max_steps && is_string(memory, string); i++) {
        uint16_t type = type_of(memory, string);
        uint64_t length = memory.read<uint32_t>(string - tag + length_at).value_or(0);
        count = i == 0 ? length : count;
        bool is_wide = !(type & 8);
        uint64_t skipped = from << is_wide;
        switch (type & 7) {
        case 0:
            return from + count <= length ? std::optional(Characters{
                                                string - tag + first_at + skipped, count, is_wide})
                                          : std::nullopt;
        case 2: {  // external: outside of the heap
            auto data = memory.read<uint64_t>(string - tag + second_at);
            bool is_cached = !(type & 0x10);
            return data && is_cached ? std::optional(Characters{*data + skipped, count, is_wide})
                                     : std::nullopt;
        }
        case 3:
            from += small(memory, string, second_at).value_or(0);
            break;
        case 1: {  // of two parts; once V8 has flattened it, the second part is empty
            auto second = pointer(memory, string, second_at);
            if (!second || memory.read<uint32_t>(*second - tag + length_at).value_or(1) != 0)
                return std::nullopt;
            break;
        }
        default:
            break;
        }
        string = pointer(memory, string, first_at).value_or(0);
    }
    return std::nullopt;
}

// Returns the text of a string. If V8 has not yet flattened a string that was concatenated from
// two, the text is that of both parts.
std::string V8Code::text(const Memory &memory, uint64_t string, int depth) const
{
    constexpr uint64_t max = 1024, first_at = 16, second_at = 24;
    constexpr int max_depth = 8;
    constexpr uint16_t shape = 7, of_two = 1;
    auto found = characters(memory, string);
    if (!found && depth < max_depth && is_string(memory, string) &&
        (type_of(memory, string) & shape) == of_two) {
        auto part = [&](uint64_t at) {
            return text(memory, pointer(memory, string, at).value_or(0), depth + 1);
        };
        return part(first_at) + part(second_at);
    }
    if (!found)
        return "";
    std::string bytes(std::min(found->count, max) << found->is_wide, '\0');
    return memory.read(found->at, bytes.data(), bytes.size()) ? utf8(bytes, found->is_wide) : "";
}

// --- functions ---------------------------------------------------------------------------------

std::optional<uint64_t> V8Code::shared_of(const Memory &memory, uint64_t function) const
{
    return pointer(memory, function, shared_at_);
}

// Builtins that are inlined, such as Array.map, have no script, and are left out.
std::vector<V8Code::Function> V8Code::inlined(const Memory &memory, uint64_t shared,
                                              uint64_t return_address) const
{
    std::vector<Function> found;
    auto calls =
        inlined_ ? inlined_->calls(memory, return_address) : std::vector<V8Inlined::Call>();
    if (calls.empty() || calls.back().shared != shared)
        return {};
    for (const V8Inlined::Call &call : calls)
        if (auto function = describe(memory, call.shared, call.bytecode + bytecodes_at_ - tag))
            found.push_back(std::move(*function));
    return found;
}

std::optional<V8Code::Function> V8Code::function(const Memory &memory, uint64_t function,
                                                 uint64_t bytecode_offset) const
{
    auto shared = shared_of(memory, function);
    return shared ? describe(memory, *shared, bytecode_offset) : std::nullopt;
}

std::optional<V8Code::Function> V8Code::shared(const Memory &memory, uint64_t shared,
                                               uint64_t bits) const
{
    auto name = memory.read<uint64_t>(shared + name_at_),
         script = memory.read<uint64_t>(shared + script_at_);
    bool is_same = name && script && UNWIND_V8_CHECK(*name, *script) == (bits & ~UNWIND_V8_NOWHERE);
    return is_same ? describe(memory, shared + tag, bits & UNWIND_V8_NOWHERE) : std::nullopt;
}

// Returns nullopt for builtins, which have no script.
std::optional<V8Code::Function> V8Code::describe(const Memory &memory, uint64_t shared,
                                                 uint64_t bytecode_offset) const
{
    auto script = type_of(memory, shared) == shared_type_ ? pointer(memory, shared, script_at_)
                                                          : std::nullopt;
    if (!script || type_of(memory, *script) != script_type_)
        return std::nullopt;
    Names names = names_of(memory, pointer(memory, shared, name_at_).value_or(0));
    auto position = bytecode_offset == UNWIND_V8_NOWHERE
                        ? std::nullopt
                        : position_of(memory, shared, bytecode_offset);
    return Function{names.name.empty() ? "<anonymous>" : names.name,
                    source_location(memory, *script, position ? position : names.start)};
}

V8Code::Names V8Code::names_of(const Memory &memory, uint64_t name_or_scope) const
{
    if (type_of(memory, name_or_scope) == scope_type_)
        return scope_names(memory, name_or_scope);
    return {text(memory, name_or_scope), {}};
}

// A ScopeInfo is a list of words. The flags in the first one say which of these follow the locals,
// in this order: `this` (Node 16 only), a class's variable, the function's name, and the name that
// V8 inferred. Then come the start and the end in the source; Node 24 moved these to the front.
// Since Node 22, the number of a module's exported variables precedes the locals. If each closure
// of a function has its own name, as in `{[name]() {}}`, the function's name is 0, and the inferred
// name is that of the object.
V8Code::Names V8Code::scope_names(const Memory &memory, uint64_t scope) const
{
    constexpr uint64_t locals_index = 2, start_index = 3, max_listed = 75, usual_first = 3;
    constexpr uint32_t scope_kind = 15, module = 3, module_of_24 = 5, has_name = 3, once = 1;
    constexpr uint32_t which = 3, on_stack = 1, on_context = 2;  // values for `this`
    constexpr unsigned receiver_shift = 7, class_shift = 10, name_shift = 12, inferred_shift = 14;
    auto at = [&](uint64_t index) { return v8_word * (1 + index); };
    auto first_word = memory.read<uint64_t>(scope - tag + at(0));
    auto locals = small(memory, scope, at(locals_index));
    if (!first_word || !locals)
        return {};
    bool is_front = first_local_ > usual_first;
    auto flags = uint32_t(is_front ? *first_word : *first_word >> 32);
    bool is_module = (flags & scope_kind) == (is_front ? module_of_24 : module);
    uint64_t next = first_local_ + (is_module && small(memory, scope, at(first_local_)));
    next += *locals < max_listed ? 2 * *locals : 1 + *locals;
    uint32_t receiver = flags >> receiver_shift & which;
    next += has_receiver_ && (receiver == on_stack || receiver == on_context);
    next += flags >> class_shift & once;
    Names names;
    if (flags >> name_shift & has_name) {
        auto value = pointer(memory, scope, at(next));
        names.name = value ? text(memory, *value) : "<anonymous>";
        next += 2;
    }
    if (flags >> inferred_shift & once) {
        auto value = names.name.empty() ? pointer(memory, scope, at(next)) : std::nullopt;
        names.name += value ? text(memory, *value) : "";
        next++;
    }
    names.start = small(memory, scope, at(is_front ? start_index : next));
    return names;
}

// --- source positions --------------------------------------------------------------------------

// A SharedFunctionInfo points to the bytecodes or, once the function is compiled, to an object with
// a field that points to them.
std::optional<uint64_t> V8Code::bytecodes_of(const Memory &memory, uint64_t shared) const
{
    constexpr uint64_t data_at = 8, fields = 8;
    auto data = pointer(memory, shared, data_at);
    if (data && type_of(memory, *data) == bytecodes_type_)
        return data;
    for (uint64_t i = 1; data && i < fields; i++)
        if (auto field = pointer(memory, *data, i * v8_word);
            field && type_of(memory, *field) == bytecodes_type_)
            return field;
    return std::nullopt;
}

// Each entry of the table is a pair of numbers: the distances from the previous entry in the
// bytecodes and in the source. The first number also says whether the entry is a statement or an
// expression: for an expression, a distance D is stored as -D - 1. Since V8 14, the first number
// has no sign, and its two lowest bits are not part of the distance.
std::optional<uint64_t> V8Code::position_of(const Memory &memory, uint64_t shared,
                                            uint64_t bytecode_offset) const
{
    constexpr uint64_t length_at = 8, data_at = 16, max = 1 << 20;
    auto bytecodes = bytecodes_of(memory, shared);
    auto table = bytecodes ? pointer(memory, *bytecodes, positions_at_) : std::nullopt;
    auto length = bytecodes ? small(memory, *bytecodes, length_at) : std::nullopt;
    auto bytes = table ? small(memory, *table, length_at) : std::nullopt;
    int64_t wanted = int64_t(bytecode_offset) - int64_t(bytecodes_at_ - tag);
    if (!bytes || *bytes > max || !length || wanted < 0 || uint64_t(wanted) >= *length)
        return std::nullopt;
    std::string data(*bytes, '\0');
    if (!memory.read(*table - tag + data_at, data.data(), data.size()))
        return std::nullopt;
    size_t next = 0;
    auto take = [&]() -> uint64_t {
        uint64_t value = 0;
        uint8_t byte = 0x80;
        for (unsigned shift = 0; next < data.size() && byte & 0x80 && shift < 63; shift += 7) {
            byte = uint8_t(data[next++]);
            value |= uint64_t(byte & 0x7f) << shift;
        }
        return value;
    };
    auto either_sign = [](uint64_t value) { return int64_t(value >> 1) ^ -int64_t(value & 1); };
    auto code_delta = [&](uint64_t value) {
        if (has_bits_below_)
            return int64_t(value >> 2);
        int64_t delta = either_sign(value);
        return delta < 0 ? -(delta + 1) : delta;
    };
    constexpr int64_t max_delta = int64_t(1) << 31;  // a real table has smaller ones
    int64_t code = -1, source = 0;
    std::optional<uint64_t> found;
    while (next < data.size()) {
        int64_t delta = code_delta(take()), further = either_sign(take());
        if (std::max(delta / 2, std::abs(further / 2)) >= max_delta)
            return std::nullopt;
        code += delta;
        source += further;
        if (code > wanted)
            break;
        found = uint64_t((source >> 1 & 0x3fffffff) - 1);
    }
    return found;
}

std::string V8Code::source_location(const Memory &memory, uint64_t script,
                                    std::optional<uint64_t> at) const
{
    constexpr uint64_t name_at = 16, line_at = 24;
    std::string name = script_name(text(memory, pointer(memory, script, name_at).value_or(0)));
    const Source *source = at && !name.empty() ? source_of(memory, script) : nullptr;
    if (!source || *at > source->count)
        return name;
    auto &ends = source->line_ends;
    auto before = std::upper_bound(ends.begin(), ends.end(), *at) - ends.begin();
    // A script may begin on any line of its file, even before the first one: vm.Script's
    // lineOffset.
    int64_t line = before + 1 + int32_t(small(memory, script, line_at).value_or(0));
    return line > 0 ? fmt::format("{}:{}", name, line) : name;
}

// Reads the script's text once, and keeps where its lines end.
const V8Code::Source *V8Code::source_of(const Memory &memory, uint64_t script) const
{
    constexpr uint64_t source_at = 8, max_bytes = 16 << 20, piece = 1 << 16;
    constexpr size_t max_sources = 4096;
    auto string = pointer(memory, script, source_at);
    auto found = string ? characters(memory, *string) : std::nullopt;
    if (!found || found->count > max_bytes)
        return nullptr;
    auto known = sources_->find(script);
    if (known != sources_->end() && known->second.text == *string &&
        known->second.count == found->count)
        return &known->second;
    Source source = {*string, found->count, {}};
    uint32_t before = 0;
    for (uint64_t at = 0; at < found->count; at += piece) {
        std::string bytes(std::min(piece, found->count - at) << found->is_wide, '\0');
        if (!memory.read(found->at + (at << found->is_wide), bytes.data(), bytes.size()))
            return nullptr;
        for (uint64_t i = 0; i < bytes.size() >> found->is_wide; i++) {
            uint32_t unit = found->is_wide ? uint8_t(bytes[2 * i]) | uint8_t(bytes[2 * i + 1]) << 8
                                           : uint8_t(bytes[i]);
            bool is_pair = unit == '\n' && before == '\r';
            if (is_pair)
                source.line_ends.back()++;
            else if (unit == '\n' || unit == '\r' || unit == 0x2028 || unit == 0x2029)
                source.line_ends.push_back(uint32_t(at + i + 1));
            before = unit;
        }
    }
    if (sources_->size() >= max_sources)
        sources_->clear();
    return &((*sources_)[script] = std::move(source));
}

}  // namespace uscope::lang
