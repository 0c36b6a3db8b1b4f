// Counts stacks, or weighs them by the sum of an expression, and shows them: as text, folded, as
// JSON, as a flame graph, or compared with a recording.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "kernel/map.h"
#include "kernel/sums.h"
#include "output/stacks.h"
#include "probe/request.h"
#include "probe/sampling.h"
#include "probe/stack_recording.h"
#include "run/interval.h"
#include "run/processes.h"
#include "stacks/counted_stacks.h"

namespace uscope::probe {

// The options --sum, --sum-unit and --min.
struct StackWeights {
    std::string sum, unit, least_text;  // as typed
    uint64_t least = 0;                 // in `unit`

    void declare(run::Tool &tool);
    Result<> check();
    bool any() const { return !sum.empty(); }
    // Makes the probe add up the expression.
    Result<> add_to(ProbeRequest &probe) const;
    // In recordings: what a sum consists of. Numbers of events have no unit.
    const std::string &recorded_unit() const { return unit.empty() ? sum : unit; }
};

class StackReport {
  public:
    struct Run {
        const StackOptions &stacks;
        const StackWeights &weights;
        const Sampling &sampling;
        const run::Processes &processes;
        run::Intervals &intervals;
        const std::vector<std::string> &probes;  // as typed
    };
    StackReport(run::Tool &tool, const Run &run, stacks::CountedStacks &stacks)
        : tool_(tool), run_(run), weights_(run.weights), stacks_(stacks)
    {
    }
    // Creates the BPF map in which the programs count: its keys are `struct stack_key`s. Also fails
    // if the file of --svg cannot be written, or that of --diff cannot be read.
    Result<> open();
    int map() const { return counts_.get(); }

    // Prints what was counted since the last call; with --svg and --diff, shows the whole run.
    Result<> show();
    uint64_t events() const { return events_; }
    // Says what is not shown, and what is estimated.
    void note() const;

  private:
    struct Amount {  // what was counted with a stack
        uint64_t events = 0;
        kernel::Sum::Total sum = 0;
        void add(const Amount &other);
    };
    using Counts = std::map<output::NamedStack, Amount>;
    using Weight = kernel::Sum::Total;

    Result<Counts> take();
    void print(const Counts &counts);
    void print_stack(const output::NamedStack &stack, const Amount &amount, uint64_t now_ns);
    std::vector<output::StackCount> fold(const Counts &counts);
    Result<> show_whole_run();
    Result<> draw(const std::vector<output::StackCount> &stacks) const;

    bool sums() const { return weights_.any(); }
    Weight weight(const Amount &amount) const { return sums() ? amount.sum : amount.events; }
    uint64_t fitting(Weight weight, uint64_t max);
    std::string text(const Amount &amount);

    run::Tool &tool_;
    Run run_;
    const StackWeights &weights_;
    stacks::CountedStacks &stacks_;
    Fd counts_;
    std::optional<kernel::TableReader> reader_;
    std::optional<kernel::SumReader> sum_reader_;  // instead, with --sum
    StackComparison before_;
    Counts whole_run_;  // for --svg and --diff
    uint64_t events_ = 0;
    size_t negative_ = 0;   // stacks that folded lines and flame graphs cannot show
    size_t too_large_ = 0;  // sums that do not fit into what shows them
    bool has_unit_line_ = false;
};

}  // namespace uscope::probe
