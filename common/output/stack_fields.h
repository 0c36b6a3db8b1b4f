// The JSON fields of a row's stack; all tools use the same keys. In the text form, the frames are
// separate lines (output/process_stacks.h).
#pragma once

#include "output/rows.h"
#include "output/stacks.h"

namespace uscope::output {

// `stack`: the row's NamedStack, as a value of a field.
template <class Row, class Get>
void add_stack_fields(std::vector<Field<Row>> &fields, Get stack)
{
    auto in_stack = members_of(stack);
    fields.push_back({"user_stack", in_stack(&NamedStack::user)});
    fields.push_back({"kernel_stack", in_stack(&NamedStack::kernel)});
    fields.push_back({"cut", if_any(in_stack(&NamedStack::cut))});
}

}  // namespace uscope::output
