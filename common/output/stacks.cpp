// Prints and folds named stacks.
#include "output/stacks.h"

#include "base/format.h"
#include "output/json.h"
#include "output/name.h"

namespace uscope::output {
namespace {

bool needs_delimiter(const NamedStack &stack, bool delimiter)
{
    return delimiter && !stack.user.empty() && !stack.kernel.empty();
}

}  // namespace

void append_text(std::string &out, const NamedStack &stack, uint64_t count, bool delimiter)
{
    for (const std::string &name : stack.kernel)
        append_format(out, "  {}\n", escaped_name(name));
    if (needs_delimiter(stack, delimiter))
        append(out, "    --\n");
    for (const std::string &name : stack.user)
        append_format(out, "  {}\n", escaped_name(name));
    if (!stack.cut.empty())
        append_format(out, "  [cut: {}]\n", stack.cut);
    if (stack.pid || !stack.comm.empty())
        append_format(out, "    {} [{}]\n", escaped(stack.comm), stack.pid);
    append_format(out, "    {}\n\n", count);
}

void append_json(std::string &out, const NamedStack &stack, uint64_t count, uint64_t time_ns)
{
    Cell null = Cell::json("null");
    JsonObject object(out);
    object.add("time_ns", time_ns)
        .add("count", count)
        .add("pid", stack.pid ? Cell(stack.pid) : null)
        .add("comm", stack.comm);
    append_json_strings(object.member("user_stack"), stack.user);
    append_json_strings(object.member("kernel_stack"), stack.kernel);
    object.add("cut", stack.cut.empty() ? null : Cell(stack.cut)).end_line();
}

StackCount folded(const NamedStack &stack, uint64_t count, bool delimiter)
{
    StackCount result;
    result.count = count;
    result.kernel_frames = stack.kernel.size();
    auto &frames = result.frames;
    frames.push_back(stack.pid ? fmt::format("{}-{}", stack.comm, stack.pid) : stack.comm);
    if (!stack.cut.empty())
        frames.push_back("[cut]");
    frames.insert(frames.end(), stack.user.rbegin(), stack.user.rend());
    if (needs_delimiter(stack, delimiter))
        frames.push_back("-");
    frames.insert(frames.end(), stack.kernel.rbegin(), stack.kernel.rend());
    return result;
}

}  // namespace uscope::output
