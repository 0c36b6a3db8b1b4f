// Weighs, prints and draws counted stacks.
#include "probe/weighted_stacks.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "bpf/unwind/stack_key.h"
#include "output/amount.h"
#include "output/clock.h"
#include "output/escape.h"
#include "output/rank.h"

namespace uscope::probe {
namespace {

// A key of the counts is a stack and a process, so several keys may have the same stack. The map
// has `keys_per_stack` times as many entries as --stacks, and at least `least_keys`.
constexpr unsigned keys_per_stack = 4, least_keys = 4096;

}  // namespace

void StackWeights::declare(run::Tool &tool)
{
    tool.option(0, "sum", sum, "EXPR",
                "weigh stacks by the sum of an expression, such as retval or $latency");
    tool.option(0, "sum-unit", unit, "UNIT",
                "the unit of the sum: bytes, ns, us, ms or another name (default: ns for "
                "$latency, else none)");
    tool.option(0, "min", least_text, "N",
                "show only stacks of at least N, such as 100, 64K or 10ms");
}

Result<> StackWeights::check()
{
    if (output::escaped(unit) != unit)
        return fail_usage("--sum-unit: a unit is a word, without control characters");
    if (sum.empty() && !unit.empty())
        return fail_usage("--sum-unit is the unit of a sum: add --sum EXPR");
    if (!sum.empty())
        TRY(expr::parse(sum));
    if (sum == "$latency" && unit.empty())
        unit = "ns";
    if (sum == "$latency" && output::nanoseconds_of(unit) > 1)
        return fail_usage("--sum-unit {}: $latency is in ns; omit --sum-unit", unit);
    if (least_text.empty())
        return {};
    if (uint64_t unit_ns = output::nanoseconds_of(unit)) {
        least = TRY(run::parse_time("--min", least_text, unit_ns)) / unit_ns;
        return {};
    }
    run::ByteSize number;
    if (auto parsed = run::parse_value(least_text, number); !parsed)
        return fail_usage("--min: {}", parsed.error().text);
    least = number.bytes;
    return {};
}

Result<> StackWeights::add_to(ProbeRequest &probe) const
{
    if (any())
        probe.addends.push_back({TRY(expr::parse(sum)), sum});
    return {};
}

void StackReport::Amount::add(const Amount &other)
{
    events += other.events;
    sum += other.sum;
}

Result<> StackReport::open()
{
    kernel::MapRequest request;
    request.name = "stackcount";
    request.key_bytes = sizeof(stack_key);
    request.entries = std::max(run_.stacks.stacks * keys_per_stack, least_keys);
    if (sums())
        request.value_bytes = kernel::sums_bytes(1);
    counts_ = TRY(kernel::create_table(request));
    if (sums())
        sum_reader_.emplace(counts_.get(), 1);
    else
        reader_.emplace(counts_.get(), kernel::TableReader::Holds::Counts);
    TRY(before_.open(run_.stacks, weights_.recorded_unit()));
    return run_.stacks.check_files();
}

// Returns the weight, or `max` for a greater one, and counts these.
uint64_t StackReport::fitting(Weight weight, uint64_t max)
{
    too_large_ += weight > Weight(max);
    return uint64_t(std::min(weight, Weight(max)));
}

// "15"; for a sum "4.05 MiB (15 events)".
std::string StackReport::text(const Amount &amount)
{
    if (!sums())
        return fmt::format("{}", amount.events);
    uint64_t size = fitting(amount.sum < 0 ? -amount.sum : amount.sum, UINT64_MAX);
    return fmt::format("{}{} ({})", amount.sum < 0 ? "-" : "",
                       output::escaped(output::amount_text(size, weights_.unit)),
                       output::amount_text(amount.events, "events"));
}

void StackReport::print_stack(const output::NamedStack &stack, const Amount &amount,
                              uint64_t now_ns)
{
    std::string &out = tool_.out().buffer();
    if (run_.stacks.json) {
        std::optional<output::StackSum> sum;
        if (sums())
            sum = {amount.sum, weights_.unit};
        return output::append_json(out, stack, amount.events, sum, now_ns,
                                   tool_.out().process_columns());
    }
    output::append_text(out, stack, text(amount), run_.stacks.form.delimiter);
}

void StackReport::print(const Counts &counts)
{
    std::string &out = tool_.out().buffer();
    uint64_t now_ns = output::Clock::now_unix_ns();
    if (!run_.stacks.forms())
        out.push_back('\n');
    if (!run_.stacks.json)
        run_.intervals.append_time(out);
    if (!run_.stacks.forms())
        tool_.out().heading(
            sums() ? fmt::format("STACK, SUM({}) (EVENTS)", output::escaped(weights_.sum))
                   : "STACK, COUNT");
    Counts shown;
    for (const auto &[stack, amount] : counts) {
        if (!weights_.least || weight(amount) >= Weight(weights_.least))
            shown.emplace(stack, amount);
    }
    auto order = output::ranked(
        shown, [this](const Amount &amount) { return weight(amount); }, run_.stacks.top);
    if (!run_.stacks.folded) {
        for (auto *row : order)
            print_stack(row->first, row->second, now_ns);
        return;
    }
    if (!std::exchange(has_unit_line_, true) && sums())
        output::append_unit(out, weights_.recorded_unit());
    for (auto *row : order) {
        for (const output::StackCount &stack : fold({*row}))
            output::append_folded(out, stack);
    }
}

// Leaves out negative sums.
std::vector<output::StackCount> StackReport::fold(const Counts &counts)
{
    std::vector<output::StackCount> stacks;
    for (const auto &[stack, amount] : counts) {
        if (weight(amount) >= 0)
            stacks.push_back(output::folded(stack, fitting(weight(amount), INT64_MAX),
                                            run_.stacks.form.delimiter));
        else
            negative_++;
    }
    return stacks;
}

Result<> StackReport::draw(const std::vector<output::StackCount> &stacks) const
{
    std::string title = join(run_.probes, ", ");
    if (sums())
        title += ", sum of " + weights_.sum;
    return run_.stacks.draw(tool_, run_.processes,
                            {.title = title, .unit = sums() ? weights_.unit : "events"}, stacks);
}

Result<StackReport::Counts> StackReport::take()
{
    Counts counts;
    auto add = [&](Bytes bytes, const Amount &amount) {
        auto key = bytes.read<stack_key>(0).value_or(stack_key{});
        counts[stacks_.name(key, amount.events)].add(amount);
        events_ += amount.events;
    };
    auto since = kernel::TableReader::Since::LastTime;
    const probe::Sampling &sampling = run_.sampling;
    if (sum_reader_)
        TRY(sum_reader_->take(since, 0, [&](Bytes key, uint64_t count, const auto &added) {
            add(key, {sampling.scaled(count), sampling.scaled(added[0].total)});
        }));
    else
        TRY(reader_->take(since, [&](Bytes key, const histogram_slot &added) {
            add(key, {sampling.scaled(uint64_t(added.count))});
        }));
    return counts;
}

// Draws the whole run, or compares it with the recording of --diff.
Result<> StackReport::show_whole_run()
{
    negative_ = too_large_ = 0;
    std::vector<output::StackCount> stacks = output::merged(fold(whole_run_));
    before_.apply(stacks);
    std::erase_if(stacks, [this](const output::StackCount &stack) {
        return std::max(stack.count, stack.before) < weights_.least;
    });
    if (run_.stacks.svg)
        return draw(stacks);
    if (!run_.stacks.json)
        run_.intervals.append_time(tool_.out().buffer());
    if (run_.stacks.folded && sums() && !std::exchange(has_unit_line_, true))
        output::append_unit(tool_.out().buffer(), weights_.recorded_unit());
    probe::print_stacks(tool_, run_.stacks, std::move(stacks), sums() ? weights_.unit : "events");
    return {};
}

Result<> StackReport::show()
{
    Counts counts = TRY(take());
    if (!run_.stacks.svg && !run_.stacks.before) {
        print(counts);
        return {};
    }
    for (const auto &[stack, amount] : counts)
        whole_run_[stack].add(amount);
    return show_whole_run();
}

void StackReport::note() const
{
    if (too_large_)
        tool_.note("{} {} too large for 64 bits, and shown as the greatest number of 64 bits",
                   output::amount_text(too_large_, "sums"), too_large_ == 1 ? "is" : "are");
    if (negative_)
        tool_.note("{} {}, which {} cannot show", output::amount_text(negative_, "stacks"),
                   negative_ == 1 ? "has a negative sum" : "have negative sums",
                   run_.stacks.svg      ? "a flame graph"
                   : run_.stacks.folded ? "folded lines"
                                        : "a comparison");
    run_.sampling.note(tool_);
}

}  // namespace uscope::probe
