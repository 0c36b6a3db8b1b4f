// The command-line options that tools with stacks share.
#pragma once

#include <optional>
#include <string>

#include "expr/process_filter.h"
#include "output/flame_graph.h"
#include "output/process_stacks.h"
#include "probe/request.h"
#include "run/processes.h"
#include "run/tool.h"
#include "stacks/counted_stacks.h"

namespace uscope::probe {

constexpr const char *native_help =
    "show an interpreter's C functions instead of the Python, PHP ... functions that it runs";

class ProbeSet;

struct StackOptions {
    static constexpr unsigned max_stacks = 1 << 20;

    unsigned stacks = 8192;
    std::optional<uint64_t> top = {};
    std::optional<std::string> svg = {}, before = {};
    output::StackForm form = {};
    bool user_only = false, kernel_only = false, offsets = false, lines = false, folded = false;
    bool native = false;
    bool json = false;
    bool user_key = false, kernel_key = false;  // -U, -K of declare_keys()

    // For tools that count by other keys, to which -U and -K add stacks. Declares -U, --lines,
    // --native and, if probes may be in the kernel, -K.
    void declare_keys(run::Tool &tool, bool kernel = true);
    // Declares -f and --svg. `what`: what the tool counts, such as "time".
    void declare_graphs(run::Tool &tool, std::string_view what);
    void declare_sides(run::Tool &tool);  // -U, -K
    void declare_lines(run::Tool &tool);  // --lines, --native
    // Declares -s, --lines, --native, -d, -f and --svg. `marks`: also -a.
    void declare_forms(run::Tool &tool, bool marks = true);
    void declare_diff(run::Tool &tool);  // --diff
    void declare_stacks(run::Tool &tool, std::string names = "stacks,stack-storage-size");

    // The number of output formats that the user has selected instead of text.
    int forms() const { return folded + json + svg.has_value(); }
    Result<> check() const;
    // For declare_keys(): does the tool count by stacks?
    bool are_keys() const { return user_key || kernel_key; }
    Result<> check_keys() const;
    // Errors: only kernel stacks are requested, but the probe has none.
    Result<> check_sides(const ProbeRequest &probe) const;
    stacks::CountedStacks::Sides sides() const;
    // For CountedStacks::prepare(). `filter`: has the pid namespace of the tool.
    template <class Filter>
    stacks::Unwinder::MapSizes map_sizes(const Filter &filter) const
    {
        return {.stacks = stacks,
                .pidns_device = filter.pidns_device,
                .pidns_inode = filter.pidns_inode,
                .native = native};
    }
    // Call CountedStacks::prepare() and start() if are_keys(); otherwise do nothing.
    Result<> prepare_keys(stacks::CountedStacks &stacks, const expr::ProcessFilter &filter) const;
    Result<> start_keys(stacks::CountedStacks &stacks, const ProbeSet &probes,
                        const std::vector<pid_t> &lookup) const;
    // Errors: the file of --svg cannot be written. Call it at the start, because the file is only
    // written at the end.
    Result<> check_files() const;
    // Writes the flame graph of --svg. Completes its title by the traced processes and by what they
    // are compared with, and its note by the machine's name, the date, and how long the tool has
    // traced.
    Result<> draw(run::Tool &tool, const run::Processes &processes, output::FlameGraph graph,
                  const std::vector<output::StackCount> &stacks) const;
};

}  // namespace uscope::probe
