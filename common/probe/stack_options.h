// What the command lines of tools that count stacks have in common.
#pragma once

#include <optional>
#include <string>

#include "expr/process_filter.h"
#include "output/process_stacks.h"
#include "probe/counted_stacks.h"
#include "probe/request.h"
#include "run/tool.h"

namespace uscope::probe {

constexpr const char *native_help =
    "of interpreters their own functions, in C, not the Python or PHP functions that they execute";

struct StackOptions {
    static constexpr unsigned most_places = 1 << 20;

    unsigned places = 8192;
    std::optional<uint64_t> top = {};
    std::optional<std::string> svg = {};
    output::StackForm form = {};
    bool user_only = false, kernel_only = false, offsets = false, lines = false, folded = false;
    bool native = false;
    bool json = false;
    bool user_key = false, kernel_key = false;  // declare_keys()

    // Of tools that count by something else, too: -U, -K (where probes may be in the kernel), --lines. And
    // `what` is counted ("time") by stack: -f, --svg.
    void declare_keys(run::Tool &tool, bool kernel = true);
    void declare_graphs(run::Tool &tool, std::string_view what);
    void declare_sides(run::Tool &tool);  // -U, -K
    void declare_lines(run::Tool &tool);  // --lines, --native
    // -s, --lines, --native, -d, -f, --svg. `marks`: also -a.
    void declare_forms(run::Tool &tool, bool marks = true);
    void declare_places(run::Tool &tool, std::string names = "stacks,stack-storage-size");

    // How many forms were asked for that take the place of the text.
    int forms() const { return folded + json + svg.has_value(); }
    Result<> check() const;
    // With declare_keys().
    bool are_keys() const { return user_key || kernel_key; }
    Result<> check_keys() const;
    // Errors: only a stack of the kernel is asked for, and the probe has none.
    Result<> check_sides(const ProbeRequest &probe) const;
    CountedStacks::Sides sides() const;
    // With are_keys(): CountedStacks::prepare() and start(), else nothing.
    Result<> prepare_keys(CountedStacks &stacks, const expr::ProcessFilter &filter) const;
    Result<> start_keys(CountedStacks &stacks, const ProbeSet &probes,
                        const std::vector<pid_t> &lookup) const;
    // Errors: what cannot be written later, at the end of a run.
    Result<> check_files() const;
    // The flame graph of --svg.
    Result<> draw(std::string_view title, std::string_view unit,
                  const std::vector<output::StackCount> &stacks,
                  output::Palette palette = output::Palette::Running) const;
};

}  // namespace uscope::probe
