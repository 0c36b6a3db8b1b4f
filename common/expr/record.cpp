// Reads values back from a record.
#include "expr/record.h"

#include <algorithm>

#include "types/type.h"

namespace uscope::expr {
namespace {

using output::Value;

Value::Look look_of(const types::Type &type)
{
    using Look = Value::Look;
    if (type.kind == types::Type::Kind::Pointer)
        return Look::Address;
    if (type.is_char && is_named_char(type.name))
        return Look::Character;
    return type.name == "bool" || type.name == "_Bool" ? Look::Truth : Look::Number;
}

Value read_float(uint8_t size, uint64_t raw)
{
    Value value;
    value.kind = Value::Kind::Float;
    value.size = size;
    if (size == 4) {
        float real;
        memcpy(&real, &raw, sizeof(real));
        value.real = real;
    } else {
        memcpy(&value.real, &raw, sizeof(value.real));
    }
    return value;
}

Value read_integer(const Field &field, uint64_t raw)
{
    Value value = field.type ? value_of_type(*field.type, raw) : Value();
    value.kind = Value::Kind::Integer;
    value.integer = int64_t(raw);
    value.is_signed = field.is_signed;
    value.size = field.size;
    return value;
}

Value read_text(const Field &field, Bytes record, uint32_t string_bytes)
{
    Value value;
    auto slot = record.read<StringSlot>(field.offset);
    if (!slot)
        return value;
    if (slot->status < 0) {
        value.kind = Value::Kind::Unreadable;
        value.error = -slot->status;
        return value;
    }
    bool is_text = field.shape == Shape::String || field.shape == Shape::Bytes;
    uint32_t max = is_text ? std::min(field.capacity, string_bytes) : field.capacity;
    auto bytes =
        record.slice(field.offset + sizeof(StringSlot), std::min(uint32_t(slot->status), max));
    if (!bytes)
        return value;
    value.kind = Value::Kind::Text;
    value.text = bytes->text();
    value.truncated = slot->length > bytes->size();
    // For a string without a given length, capacity + 1 only means that it is longer than the
    // capacity.
    if (value.truncated && slot->length != field.capacity + 1)
        value.full_length = slot->length;
    return value;
}

}  // namespace

bool is_named_char(std::string_view name)
{
    return name.find("char") != name.npos && name.find("uchar") == name.npos &&
           !name.starts_with("unsigned");
}

output::Value value_of_type(const types::Type &type, uint64_t raw)
{
    if (type.kind == types::Type::Kind::Float)
        return read_float(type.size, raw);
    Value value;
    value.kind = Value::Kind::Integer;
    value.integer = int64_t(raw);
    value.is_signed = type.is_signed;
    value.size = type.size;
    value.is_register = type.is_register;
    value.look = look_of(type);
    return value;
}

output::Value read_field(const Field &field, Bytes record, uint32_t string_bytes)
{
    if (field.shape == Shape::Unknown)
        return {.text = field.why};
    if (field.shape == Shape::Fixed)
        return {.kind = Value::Kind::Text, .text = field.why};
    if (field.shape != Shape::Integer && field.shape != Shape::Float &&
        field.shape != Shape::Interface)
        return read_text(field, record, string_bytes);

    auto raw = record.read<uint64_t>(field.offset);
    auto status = field.status_offset ? record.read<int32_t>(field.status_offset) : 0;
    if (!raw || !status)
        return {};
    if (*status < 0) {
        Value value;
        value.kind = Value::Kind::Unreadable;
        value.error = -*status;
        return value;
    }
    return field.shape == Shape::Float ? read_float(field.size, *raw) : read_integer(field, *raw);
}

}  // namespace uscope::expr
