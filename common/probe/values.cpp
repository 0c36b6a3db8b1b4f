// Decodes records, and combines the fields of a Go interface into one value.
#include "probe/values.h"

#include "expr/record.h"
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
            values_.back().kind == output::Value::Kind::Integer)
            values_.back().name = constant_name(*field.type, values_.back().integer);
        if (field.shape == expr::Shape::Interface) {
            parts_.clear();
            for (size_t last = i + field.parts; i < last; i++)
                parts_.push_back(expr::read_field(fields[i + 1], record, string_bytes_));
            values_.back() = interface(program, values_.back());
        }
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

output::Value Values::interface(const Program &program, const output::Value &type)
{
    if (type.kind != output::Value::Kind::Integer)
        return type;
    const elf::Image &image = *program.group.files[0].image;
    auto known = interfaces_.try_emplace(&image, image).first;
    texts_.push_back(known->second.describe(type, parts_));
    return {.kind = output::Value::Kind::Text, .text = texts_.back()};
}

}  // namespace uscope::probe
