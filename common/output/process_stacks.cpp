// Appends frames, owners and JSON members of stacks.
#include "output/process_stacks.h"

#include "base/format.h"
#include "output/name.h"

namespace uscope::output {
namespace {

const char *mark_of(const StackForm &form)
{
    return form.annotations ? "_[k]" : "";
}

}  // namespace

void append_frames(std::string &out, const NamedStack &stack, const StackForm &form)
{
    for (const std::string &name : stack.kernel)
        append_format(out, "    {}{}\n", escaped_name(name), mark_of(form));
    if (form.delimiter && !stack.kernel.empty() && !stack.user.empty())
        append(out, "    --\n");
    for (const Frame &frame : stack.user)
        append_format(out, "    {}\n", escaped_name(frame.name));
    if (!stack.cut.empty())
        append_format(out, "    [cut: {}]\n", stack.cut);
}

void append_stack(std::string &out, const NamedStack &stack, uint32_t tid, const StackForm &form)
{
    append_frames(out, stack, form);
    append_format(out, "    {:<16} {} ({})\n", "-", escaped(stack.comm),
                  tid ? int(tid) : stack.pid);
}

void add_stacks(JsonObject &object, const NamedStack &stack, std::string_view prefix)
{
    std::string name(prefix);
    append_json_names(object.member(name + "user_stack"), stack.user);
    append_json_strings(object.member(name + "kernel_stack"), stack.kernel);
    object.add(name + "cut", Cell::when(!stack.cut.empty(), stack.cut));
    std::string unnamed = unnamed_frames(stack.user);
    object.add(name + "unnamed", unnamed.empty() ? Cell() : Cell::json(unnamed));
}

StackCount folded(const NamedStack &stack, uint64_t count, const StackForm &form)
{
    if (!form.annotations)
        return folded(stack, count, form.delimiter);
    NamedStack marked = stack;
    for (std::string &name : marked.kernel)
        name += mark_of(form);
    return folded(marked, count, form.delimiter);
}

}  // namespace uscope::output
