// The JSON fields of a row's stack; all tools use the same keys. In the text form, the frames are
// separate lines (output/process_stacks.h).
#pragma once

#include "output/rows.h"
#include "output/stacks.h"

namespace uscope::output {

// `frames`: the row's vector of frames, as a value of a field.
template <class Get>
auto names_of(Get frames)
{
    return [=](const auto &row) {
        std::string array;
        append_json_names(array, std::invoke(frames, row));
        return Cell::json(std::move(array));
    };
}
template <class Get>
auto unnamed_of(Get frames)
{
    return [=](const auto &row) {
        std::string array = unnamed_frames(std::invoke(frames, row));
        return array.empty() ? Cell() : Cell::json(std::move(array));
    };
}

// `stack`: the row's NamedStack, as a value of a field.
template <class Row, class Get>
void add_stack_fields(std::vector<Field<Row>> &fields, Get stack)
{
    auto in_stack = members_of(stack);
    fields.push_back({"user_stack", names_of(in_stack(&NamedStack::user))});
    fields.push_back({"kernel_stack", in_stack(&NamedStack::kernel)});
    fields.push_back({"cut", if_any(in_stack(&NamedStack::cut))});
    fields.push_back({"unnamed", unnamed_of(in_stack(&NamedStack::user))});
}

}  // namespace uscope::output
