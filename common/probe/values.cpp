// Decodes records, and combines the fields of a Go interface into one value.
#include "probe/values.h"

#include "expr/record.h"
#include "probe/program.h"

namespace uscope::probe {

std::vector<output::Value> &Values::read(const Program &program, uint32_t layout, Bytes record)
{
    values_.clear();
    if (!texts_.empty())
        texts_.clear();
    const auto &fields = program.main.layouts[layout].fields;
    for (size_t i = 0; i < fields.size(); i++) {
        const expr::Field &field = fields[i];
        values_.push_back(expr::read_field(field, record, string_bytes_));
        if (field.shape == expr::Shape::Interface) {
            parts_.clear();
            for (size_t last = i + field.parts; i < last; i++)
                parts_.push_back(expr::read_field(fields[i + 1], record, string_bytes_));
            values_.back() = interface(program, values_.back());
        }
    }
    return values_;
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
