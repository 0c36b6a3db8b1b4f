#include "probe/stack_options.h"

#include "base/format.h"
#include "output/file.h"
#include "probe/program.h"

namespace uscope::probe {

void StackOptions::declare_sides(run::Tool &tool)
{
    tool.flag('U', "user-stacks-only", user_only, "no kernel stacks");
    tool.flag('K', "kernel-stacks-only", kernel_only, "no user stacks");
}

void StackOptions::declare_keys(run::Tool &tool, bool kernel)
{
    tool.flag('U', "user-stack", user_key, "for each user stack, too");
    if (kernel)
        tool.flag('K', "kernel-stack", kernel_key, "for each stack of the kernel, too");
    declare_lines(tool);
}

void StackOptions::declare_graphs(run::Tool &tool, std::string_view what)
{
    tool.flag('f', "folded", folded,
              fmt::format("{} by stack, as flame graph scripts read it", what));
    tool.option(0, "svg", svg, "FILE",
                fmt::format("a flame graph of {} in the whole run, and no text", what));
}

void StackOptions::declare_lines(run::Tool &tool)
{
    tool.flag(0, "lines", lines,
              "name (file.c:12), and what was inlined there, where there is debug information");
    tool.flag(0, "native", native, native_help);
}

void StackOptions::declare_forms(run::Tool &tool, bool marks)
{
    tool.flag('s', "offset", offsets, "where in the functions: name+0x1a");
    declare_lines(tool);
    tool.flag('d', "delimited", form.delimiter, "a line between kernel and user stacks");
    if (marks)
        tool.flag('a', "annotations", form.annotations, "\"_[k]\" behind the kernel's functions");
    tool.flag('f', "folded", folded, "a line a stack, as flame graph scripts read it");
    tool.option(0, "svg", svg, "FILE", "a flame graph of the whole run, and no text");
}

void StackOptions::declare_places(run::Tool &tool, std::string names)
{
    tool.option(0, std::move(names), run::InRange{places, 1, most_places}, "N",
                "places for different stacks (8192)");
}

Result<> StackOptions::check() const
{
    if (user_only && kernel_only)
        return fail_usage("-U and -K leave nothing together: give one");
    if (top == 0u)
        return fail_usage("--top 0 would show nothing: give at least 1");
    if (forms() > 1)
        return fail_usage("--folded, --json and --svg are forms of the same: give one");
    return {};
}

Result<> StackOptions::check_keys() const
{
    if (lines && !are_keys())
        return fail_usage("--lines is about stacks: give -U, too");
    if ((folded || svg) && !are_keys())
        return fail_usage("{} is about stacks: give -U, too", svg ? "--svg" : "--folded");
    return check();
}

Result<> StackOptions::check_sides(const ProbeRequest &probe) const
{
    const spec::Probe &spec = probe.spec;
    bool is_kernel = spec.kind == spec::ProbeKind::Tracepoint ||
                     (spec.kind != spec::ProbeKind::Usdt && spec.library.text.empty());
    if ((kernel_only || (kernel_key && !user_key)) && !is_kernel)
        return fail_usage("-K: {} is reached from user space, which has no kernel stack",
                          spec.source);
    return {};
}

CountedStacks::Sides StackOptions::sides() const
{
    if (are_keys())
        return {user_key, kernel_key, folded || svg};
    return {!kernel_only, !user_only};
}

Result<> StackOptions::prepare_keys(CountedStacks &stacks, const expr::ProcessFilter &filter) const
{
    if (!are_keys())
        return {};
    return stacks.prepare({.stacks = places,
                           .pidns_device = filter.pidns_device,
                           .pidns_inode = filter.pidns_inode,
                           .native = native},
                          sides());
}

Result<> StackOptions::start_keys(CountedStacks &stacks, const ProbeSet &probes,
                                  const std::vector<pid_t> &lookup) const
{
    if (!are_keys())
        return {};
    StackNamer::Style style;
    style.lines = lines;
    style.comm = folded || svg;
    return stacks.start(style, probes, lookup);
}

Result<> StackOptions::check_files() const
{
    return svg ? output::check_new_file(*svg, "--svg") : Result<>();
}

Result<> StackOptions::draw(std::string_view title, std::string_view unit,
                            const std::vector<output::StackCount> &stacks,
                            output::Palette palette) const
{
    std::string out;
    output::append_flame_graph(out, title, unit, stacks, palette);
    return output::write_whole(*svg, {out.data(), out.size()});
}

}  // namespace uscope::probe
