// Prints and folds named stacks.
#include "output/stacks.h"

#include <set>

#include "base/format.h"
#include "output/json.h"
#include "output/name.h"
#include "output/process_columns.h"

namespace uscope::output {
namespace {

bool needs_delimiter(const NamedStack &stack, bool delimiter)
{
    return delimiter && !stack.user.empty() && !stack.kernel.empty();
}

}  // namespace

void append_text(std::string &out, const NamedStack &stack, std::string_view amount, bool delimiter)
{
    for (const std::string &name : stack.kernel)
        append_format(out, "  {}\n", escaped_name(name));
    if (needs_delimiter(stack, delimiter))
        append(out, "    --\n");
    for (const Frame &frame : stack.user)
        append_format(out, "  {}\n", escaped_name(frame.name));
    if (!stack.cut.empty())
        append_format(out, "  [cut: {}]\n", stack.cut);
    if (stack.pid || !stack.comm.empty())
        append_format(out, "    {} [{}]\n", escaped(stack.comm), stack.pid);
    append_format(out, "    {}\n\n", amount);
}

void append_json(std::string &out, const NamedStack &stack, uint64_t count,
                 const std::optional<StackSum> &sum, uint64_t time_ns,
                 const std::vector<ProcessColumn> &columns)
{
    Cell null = Cell::json("null");
    JsonObject object(out);
    object.add("time_ns", time_ns).add("count", count);
    if (sum)
        object.add("sum", Cell::json(fmt::format("{}", sum->total)))
            .add("sum_unit", sum->unit.empty() ? null : Cell(sum->unit));
    object.add("pid", stack.pid ? Cell(stack.pid) : null).add("comm", stack.comm);
    if (stack.pid)
        add_process_members(object, columns, stack.pid);
    append_json_names(object.member("user_stack"), stack.user);
    append_json_strings(object.member("kernel_stack"), stack.kernel);
    std::string unnamed = unnamed_frames(stack.user);
    object.add("cut", stack.cut.empty() ? null : Cell(stack.cut))
        .add("unnamed", unnamed.empty() ? Cell() : Cell::json(unnamed))
        .end_line();
}

void append_json_names(std::string &out, const std::vector<Frame> &frames)
{
    append_json_array(out, frames,
                      [](auto &to, const Frame &frame) { append_json_string(to, frame.name); });
}

std::string unnamed_frames(const std::vector<Frame> &frames)
{
    std::set<Frame> unnamed;
    for (const Frame &frame : frames) {
        if (frame.segment)
            unnamed.insert(frame);
    }
    std::string out;
    if (unnamed.empty())
        return out;
    append_json_array(out, unnamed, [](auto &to, const Frame &frame) {
        const std::string &id = frame.segment->build_id;
        JsonObject(to)
            .add("frame", frame.name)
            .add("path", frame.segment->path)
            .add("address", frame.address)
            .add("offset", frame.offset())
            .add("build_id", id.empty() ? Cell::json("null") : Cell(id))
            .end();
    });
    return out;
}

StackCount folded(const NamedStack &stack, uint64_t count, bool delimiter)
{
    StackCount result;
    result.count = count;
    auto &frames = result.frames;
    frames.emplace_back(stack.pid ? fmt::format("{}-{}", stack.comm, stack.pid) : stack.comm,
                        FrameKind::Process);
    if (!stack.cut.empty())
        frames.emplace_back("[cut]");
    frames.insert(frames.end(), stack.user.rbegin(), stack.user.rend());
    if (needs_delimiter(stack, delimiter))
        frames.emplace_back("-");
    for (auto name = stack.kernel.rbegin(); name != stack.kernel.rend(); ++name)
        frames.emplace_back(*name, FrameKind::Kernel);
    return result;
}

}  // namespace uscope::output
