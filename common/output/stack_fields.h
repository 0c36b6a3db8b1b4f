// The JSON fields of a row's stack; all tools use the same keys. In the text form, the frames are
// separate lines (output/process_stacks.h).
#pragma once

#include "output/json.h"
#include "output/rows.h"
#include "output/stacks.h"

namespace uscope::output {

// `stack_of(row)` returns the row's stack, a `const NamedStack &`.
template <class Row, class StackOf>
void add_stack_fields(std::vector<Field<Row>> &fields, StackOf stack_of)
{
    auto strings = [](const std::vector<std::string> &names) {
        std::string out;
        append_json_strings(out, names);
        return Cell::json(std::move(out));
    };
    fields.push_back({.key = "user_stack",
                      .value = [=](const Row &row) { return strings(stack_of(row).user); }});
    fields.push_back({.key = "kernel_stack",
                      .value = [=](const Row &row) { return strings(stack_of(row).kernel); }});
    fields.push_back({.key = "cut", .value = [=](const Row &row) {
                          const std::string &cut = stack_of(row).cut;
                          return Cell::when(!cut.empty(), cut);
                      }});
}

}  // namespace uscope::output
