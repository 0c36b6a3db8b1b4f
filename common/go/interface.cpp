// Formats the values, structures and errors that interfaces hold.
#include "go/interface.h"

#include <cstring>
#include <optional>

#include "base/format.h"
#include "expr/interface.h"
#include "go/error_text.h"

namespace uscope::go {
namespace {

namespace part = expr::interface_part;
using output::Value;

// Returns an empty value if the part is missing.
const Value &at(const std::vector<Value> &parts, size_t index)
{
    static const Value none;
    return index < parts.size() ? parts[index] : none;
}

std::optional<uint64_t> number(const Value &value)
{
    if (value.kind != Value::Kind::Integer)
        return std::nullopt;
    return value.integer;
}

std::string text_of(const Value &value)
{
    if (value.kind != Value::Kind::Text)
        return "?";
    return std::string(value.text) + (value.truncated ? "..." : "");
}

std::string quoted(const Value &value)
{
    return '"' + text_of(value) + '"';
}

// Formats a number. `word`: 8 bytes of memory, which start with the number.
std::string number_text(Kind kind, uint64_t word)
{
    constexpr uint8_t sizes[] = {8, 1, 2, 4, 8};  // int, int8, int16 …
    if (kind == Kind::Bool)
        return word & 0xff ? "true" : "false";
    if (kind == Kind::Float32) {
        float real;
        memcpy(&real, &word, sizeof(real));
        return fmt::format("{}", real);
    }
    if (kind == Kind::Float64) {
        double real;
        memcpy(&real, &word, sizeof(real));
        return fmt::format("{}", real);
    }
    int size = (int(kind) - int(Kind::Int)) % int(std::size(sizes));
    unsigned unused = kind == Kind::Uintptr ? 0 : 64 - 8 * sizes[size];
    if (kind < Kind::Uint)
        return fmt::format("{}", static_cast<int64_t>(word << unused) >> unused);
    return fmt::format("{}", word << unused >> unused);
}

bool is_number(Kind kind)
{
    return kind >= Kind::Bool && kind <= Kind::Float64;
}

// Formats a field of a structure; "" if none of the parts contains it.
std::string field_text(Kind kind, uint64_t offset, const std::vector<Value> &parts)
{
    if (kind == Kind::String && (offset == 0 || offset == 8 || offset == 16)) {
        const Value &text = at(parts, offset == 0   ? size_t{part::Text}
                                      : offset == 8 ? size_t{part::Text8}
                                                    : size_t{part::Text16});
        return text.kind == Value::Kind::Text ? quoted(text) : "";
    }
    bool has_word = parts.size() == part::Parts;  // not in a key
    auto word = number(at(parts, part::Word));
    return is_number(kind) && offset == 0 && has_word && word ? number_text(kind, *word) : "";
}

}  // namespace

const Interfaces::Type &Interfaces::type(uint64_t vaddr)
{
    auto [known, is_new] = types_.try_emplace(vaddr);
    if (is_new && vaddr >= fields_.types().vaddr)
        known->second = read(vaddr);
    return known->second;
}

Interfaces::Type Interfaces::read(uint64_t vaddr) const
{
    constexpr size_t max = 3;  // BPF programs read none of the later fields
    const TypeData &types = fields_.types();
    Type type;
    type.name = types.name_of(vaddr - types.vaddr);
    type.kind = fields_.kind(vaddr);
    uint64_t structure = type.kind == Kind::Pointer ? fields_.target(vaddr) : vaddr;
    if (type.name.empty() || structure < types.vaddr || fields_.kind(structure) != Kind::Struct)
        return type;
    type.structure = types.name_of(structure - types.vaddr);
    type.member_count = fields_.count(structure);
    for (size_t i = 0; i < std::min(type.member_count, max); i++) {
        auto field = fields_.read(structure, i);
        if (!field)
            break;
        type.members.push_back(
            {std::string(field->name), fields_.kind(field->type), field->offset});
    }
    return type;
}

// Returns the text that the error's method Error() would return; "" if unknown. `base`: the file's
// load address minus its link address.
std::string Interfaces::known_error(const Type &type, const std::vector<Value> &parts,
                                    uint64_t base)
{
    const Value &text = at(parts, part::Text);
    if (begins_with_error_text(type.name) && text.kind == Value::Kind::Text)
        return text_of(text);
    if (std::string_view fixed = fixed_error_text(type.name); !fixed.empty())
        return std::string(fixed);
    auto word = number(at(parts, part::Word));
    if (type.name == "syscall.Errno" && word)
        return system_error_text(*word);
    const Value &second = at(parts, part::Text16);
    if (text.kind != Value::Kind::Text || second.kind != Value::Kind::Text)
        return "";
    auto inner = [&] {
        return inner_error(at(parts, part::InnerType), at(parts, part::InnerWord),
                           at(parts, part::InnerText), base);
    };
    if (type.name == "*fs.PathError" || type.name == "*os.PathError")  // before Go 1.16
        return fmt::format("{} {}: {}", text_of(text), text_of(second), inner());
    if (type.name == "*url.Error")
        return fmt::format("{} {}: {}", text_of(text), quoted(second), inner());
    if (type.name == "*strconv.NumError")
        return fmt::format("strconv.{}: parsing {}: {}", text_of(text), quoted(second), inner());
    if (type.name != "*net.OpError")
        return "";
    auto far = number(at(parts, part::FarType));
    auto errno_number = number(at(parts, part::FarNumber));
    bool is_system = far && this->type(*far - base).name == "*os.SyscallError" && errno_number;
    const Value &far_text = at(parts, part::FarText);
    return fmt::format("{} {}: {}", text_of(text), text_of(second),
                       is_system ? text_of(far_text) + ": " + system_error_text(*errno_number)
                                 : inner_error(at(parts, part::FarType), {}, far_text, base));
}

std::string Interfaces::inner_error(const Value &address, const Value &word, const Value &text,
                                    uint64_t base)
{
    auto vaddr = number(address);
    if (!vaddr)
        return "?";
    const Type &inner = type(*vaddr - base);
    std::string known = known_error(inner, {{}, word, text}, base);
    return known.empty() ? inner.name : known;
}

std::string Interfaces::describe(const Value &value, const std::vector<Value> &parts)
{
    if (value.integer == 0)
        return "<nil>";
    uint64_t base = number(at(parts, part::Base)).value_or(0);
    const Type &held = type(value.integer - base);
    if (held.name.empty())
        return fmt::format("(type {:#x})", value.integer);
    if (std::string error = known_error(held, parts, base); !error.empty())
        return error;
    auto word = number(at(parts, part::Word));
    bool is_named = held.name.find('.') != held.name.npos;
    std::string text;
    if (held.kind == Kind::String && at(parts, part::Text).kind == Value::Kind::Text) {
        const Value &string = at(parts, part::Text);
        text = is_named ? quoted(string) : text_of(string);
    } else if (is_number(held.kind) && word) {
        text = number_text(held.kind, *word);
    } else if (held.structure.empty()) {
        return held.name;
    }
    if (held.structure.empty())
        return is_named ? fmt::format("{}({})", held.name, text) : text;

    std::string fields;
    size_t shown = 0;
    for (const Member &field : held.members) {
        std::string shown_text = field_text(field.kind, field.offset, parts);
        if (shown_text.empty())
            continue;
        fields += fmt::format("{}{}:{}", shown++ ? ", " : "", field.name, shown_text);
    }
    if (shown < held.member_count)
        fields += shown ? ", ..." : "...";
    return fmt::format("{}{}{{{}}}", held.kind == Kind::Pointer ? "&" : "", held.structure, fields);
}

}  // namespace uscope::go
