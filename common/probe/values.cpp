// Decodes records, and combines the fields of a Go interface into one value.
#include "probe/values.h"

#include "base/wide_text.h"
#include "expr/record.h"
#include "output/net_address.h"
#include "probe/program.h"

namespace uscope::probe {

std::vector<output::Value> &Values::read(const Program &program, uint32_t layout, Bytes record)
{
    constexpr size_t max_kept = 4096;
    values_.clear();
    if (constants_.size() > max_kept)
        constants_.clear();
    if (!texts_.empty())
        texts_.clear();
    const auto &fields = program.main.layouts[layout].fields;
    for (size_t i = 0; i < fields.size(); i++) {
        const expr::Field &field = fields[i];
        values_.push_back(expr::read_field(field, record, string_bytes_));
        if (field.type && field.type->constant_name &&
            values_.back().kind == output::Value::Kind::Integer) {
            values_.back().name = constant_name(*field.type, values_.back().integer);
            if (!field.type->constant_value)  // the number means nothing to people
                values_.back().look = output::Value::Look::Name;
        }
        if (field.shape == expr::Shape::NetAddress)
            values_.back() = net_address(values_.back());
        if (field.shape == expr::Shape::Wide)
            values_.back() = wide_text(field, values_.back());
        if (field.shape != expr::Shape::Interface && field.shape != expr::Shape::Whole)
            continue;
        parts_.clear();
        for (size_t last = i + field.parts; i < last; i++) {
            parts_.push_back(expr::read_field(fields[i + 1], record, string_bytes_));
            if (fields[i + 1].shape == expr::Shape::Wide)
                parts_.back() = wide_text(fields[i + 1], parts_.back());
        }
        values_.back() = field.shape == expr::Shape::Whole ? whole(*field.whole, values_.back())
                                                           : interface(program, values_.back());
    }
    return values_;
}

// `type` must live as long as this object: those of programs do.
const std::string &Values::constant_name(const types::Type &type, int64_t value)
{
    auto [known, is_new] = constants_.try_emplace({&type, value});
    if (is_new)
        known->second = type.constant_name(value);
    return known->second;
}

output::Value Values::net_address(const output::Value &bytes)
{
    if (bytes.kind != output::Value::Kind::Text)
        return bytes;
    texts_.push_back(output::net_address_text(Bytes(bytes.text)));
    return {.kind = output::Value::Kind::Text, .text = texts_.back()};
}

// The text ends at a character 0, or with the bytes.
output::Value Values::wide_text(const expr::Field &field, const output::Value &bytes)
{
    if (bytes.kind != output::Value::Kind::Text)
        return bytes;
    std::string_view text = bytes.text.substr(0, bytes.text.size() / field.size * field.size);
    size_t end = 0;
    const std::string zero(field.size, '\0');
    while (end < text.size() && text.substr(end, field.size) != zero)
        end += field.size;
    bool is_whole = end < text.size();
    texts_.push_back(utf8_of_wide(text.substr(0, end), field.size));
    return {.kind = output::Value::Kind::Text,
            .text = texts_.back(),
            .truncated = !is_whole && bytes.truncated};
}

output::Value Values::whole(const expr::Whole &whole, const output::Value &bytes)
{
    if (bytes.kind != output::Value::Kind::Text)
        return bytes;
    std::string text, json;
    whole.append(text, json, Bytes(bytes.text), parts_,
                 [this](const types::Type &type, int64_t value) -> std::string_view {
                     return constant_name(type, value);
                 });
    texts_.push_back(std::move(text));
    texts_.push_back(std::move(json));
    return {.kind = output::Value::Kind::Whole, .text = texts_.end()[-2], .json = texts_.back()};
}

output::Value Values::interface(const Program &program, const output::Value &type)
{
    if (type.kind != output::Value::Kind::Integer)
        return type;
    if (!type.integer)  // no text, so it has no quotes
        return {.kind = output::Value::Kind::Whole, .text = "<nil>", .json = "null"};
    const elf::Image &image = *program.group.files[0].image;
    auto known = interfaces_.try_emplace(&image, image).first;
    texts_.push_back(known->second.describe(type, parts_));
    return {.kind = output::Value::Kind::Text, .text = texts_.back()};
}

}  // namespace uscope::probe
