#include "output/stacks.h"

#include "output/escape.h"

namespace uscope::output {
namespace {

template <typename... Arguments>
void print(fmt::memory_buffer &out, fmt::format_string<Arguments...> format,
           Arguments &&...arguments)
{
    fmt::format_to(fmt::appender(out), format, std::forward<Arguments>(arguments)...);
}

void append_names(fmt::memory_buffer &out, const std::vector<std::string> &names)
{
    out.push_back('[');
    for (size_t i = 0; i < names.size(); i++) {
        if (i)
            out.push_back(',');
        append_json_string(out, names[i]);
    }
    out.push_back(']');
}

bool is_parted(const NamedStack &stack, bool delimiter)
{
    return delimiter && !stack.user.empty() && !stack.kernel.empty();
}

}  // namespace

void append_text(fmt::memory_buffer &out, const NamedStack &stack, uint64_t count, bool delimiter)
{
    for (const std::string &name : stack.kernel)
        print(out, "  {}\n", escaped(name));
    if (is_parted(stack, delimiter))
        append(out, "    --\n");
    for (const std::string &name : stack.user)
        print(out, "  {}\n", escaped(name));
    if (!stack.cut.empty())
        print(out, "  [cut: {}]\n", stack.cut);
    if (stack.pid)
        print(out, "    {} [{}]\n", escaped(stack.comm), stack.pid);
    print(out, "    {}\n\n", count);
}

void append_json(fmt::memory_buffer &out, const NamedStack &stack, uint64_t count,
                 std::string_view time)
{
    print(out, "{{\"time\":\"{}\",\"count\":{},\"pid\":", time, count);
    append(out, stack.pid ? fmt::to_string(stack.pid) : "null");
    append(out, ",\"comm\":");
    append_json_string(out, stack.comm);
    append(out, ",\"user_stack\":");
    append_names(out, stack.user);
    append(out, ",\"kernel_stack\":");
    append_names(out, stack.kernel);
    append(out, ",\"cut\":");
    if (stack.cut.empty())
        append(out, "null");
    else
        append_json_string(out, stack.cut);
    append(out, "}\n");
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
    if (is_parted(stack, delimiter))
        frames.push_back("-");
    frames.insert(frames.end(), stack.kernel.rbegin(), stack.kernel.rend());
    return result;
}

}  // namespace uscope::output
