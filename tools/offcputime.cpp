// offcputime: shows where threads block, for how long, and why.
#include "bpf/offcputime.h"

#include <algorithm>
#include <map>

#include "attach/attach.h"
#include "base/format.h"
#include "kernel/map.h"
#include "kernel/object.h"
#include "offcputime.skel.h"
#include "output/clock.h"
#include "output/duration.h"
#include "output/process_columns.h"
#include "output/rank.h"
#include "output/time_table.h"
#include "probe/stack_options.h"
#include "proc/tracefs.h"
#include "resolve/kernel_types.h"
#include "run/filter.h"
#include "run/interval.h"
#include "run/losses.h"
#include "stacks/counted_stacks.h"
#include "symbols/wait_reason.h"

namespace uscope::tools::offcputime {
namespace {

using output::append;

constexpr uint64_t ns_per_us = 1000;
struct Options {
    std::vector<std::string> words;
    run::Processes processes;
    run::Intervals intervals;
    uint64_t least_ns = ns_per_us, max_ns = UINT64_MAX - 1;
    std::optional<uint64_t> state;
    probe::StackOptions stacks;
    unsigned keys = 16384, threads = 16384;
    bool user_threads = false, kernel_threads = false, wakers = false, by_name = false;
    bool all = false;
};

void declare_which(run::Tool &tool, Options &options)
{
    tool.group("Which times");
    tool.flag('u', "user-threads-only", options.user_threads, "no kernel threads");
    tool.flag('k', "kernel-threads-only", options.kernel_threads, "only kernel threads");
    tool.option('m', "min,min-block-time", run::Duration{options.least_ns, ns_per_us}, "TIME",
                "only waits of at least TIME, such as 2ms (default 1, default unit: us)");
    tool.option('M', "max-block-time", run::Duration{options.max_ns, ns_per_us}, "TIME",
                "only waits of at most TIME, such as 2s (default unit: us)");
    tool.option(0, "state", options.state, "MASK",
                "only waits in one of these thread states: 1 sleep, 2 disk, 0 preempted");
    tool.flag(0, "all", options.all,
              "also show threads that wait for work, and preempted threads (JSON has them anyway)");
}

void declare_forms(run::Tool &tool, Options &options)
{
    options.processes.begin_shown(tool, &options.stacks.json, "--json");
    options.intervals.declare(tool, {.duration = 'D'});
    tool.option(0, "top", options.stacks.top, "N", "show only the N stacks with the longest times");
    tool.flag(0, "wakers", options.wakers, "also show who ended the wait, with the stack");
    tool.flag(0, "by-name", options.by_name, "count threads of the same name and process together");
    options.stacks.declare_sides(tool);
    options.stacks.declare_forms(tool);
    tool.json_flag(options.stacks.json, "stack");
}

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Slow, "shows where threads block, for how long, and why");
    tool.positional(options.words, "DURATION", "trace for DURATION seconds");
    options.processes.declare(tool, 't', 0);
    options.processes.declare_cgroup(tool, 0, "cgroup-path,cgroup");
    declare_which(tool, options);
    declare_forms(tool, options);
    tool.group("Working");
    options.stacks.declare_stacks(tool);
    constexpr unsigned max = probe::StackOptions::max_stacks;
    tool.option(0, "keys", run::InRange{options.keys, 1, max}, "N",
                "keep at most N distinct pairs of stack and thread (default 16384)");
    tool.option(0, "most-threads", run::InRange{options.threads, 1, max}, "N",
                "keep at most N waiting threads (default 16384)");
    tool.example("offcputime -p 181 10", "what process 181 waits for, for ten seconds");
    tool.example("offcputime -u --svg waits.svg 30", "a flame graph of all programs");
    tool.example("offcputime -p 181 --wakers -m 1ms",
                 "what ends its waits of a millisecond or more");
}

Result<> check(Options &options)
{
    if (options.user_threads && options.kernel_threads)
        return fail_usage("-u and -k exclude each other");
    if (options.least_ns > options.max_ns)
        return fail_usage("-m must not be greater than -M");
    TRY(options.stacks.check());
    TRY(options.intervals.take_duration(options.words));
    TRY(options.intervals.check());
    return options.processes.check();
}

offcputime_config configure(const Options &options)
{
    offcputime_config config = {};
    config.least_ns = options.least_ns;
    config.max_ns = options.max_ns;
    config.state = options.state.value_or(0);
    config.any_state = !options.state;
    config.user_threads_only = options.user_threads;
    config.kernel_threads_only = options.kernel_threads;
    config.wakers = options.wakers;
    config.by_name = options.by_name;
    config.user_stack = !options.stacks.kernel_only;
    return config;
}

// The reason for a wait in futex(). (futex_waitv() waits for one of several futexes.)
const char *why_futex(unsigned futex)
{
    switch (futex) {
    case OFFCPUTIME_FUTEX_LOCK:
        return "lock";
    case OFFCPUTIME_FUTEX_TIMED:
        return "timed wait";
    default:
        return "wait";
    }
}

struct Wait {
    output::NamedStack stack, waker;
    uint32_t tid = 0;
    std::string why, syscall;
    bool is_idle = false;  // waits for work
    auto operator<=>(const Wait &) const = default;
};
using Time = output::TimeSum;
using Times = std::map<Wait, Time>;
using Row = Times::value_type;

class Report {
  public:
    Report(run::Tool &tool, const Options &options, kernel::Object<offcputime_bpf> &object,
           stacks::CountedStacks &stacks)
        : tool_(tool),
          options_(options),
          reader_(bpf_map__fd(object->maps.offcputime_times), kernel::TableReader::Holds::Slots),
          stacks_(stacks),
          losses_(bpf_map__fd(object->maps.offcputime_lost),
                  {.what = "waits",
                   .reasons = {"no room for more stacks of threads (increase --keys)",
                               "no room for more waiting threads (increase --most-threads)",
                               "the kernel did not report their end"},
                   .reported = run::Losses::Reported::AsNotCounted})
    {
    }
    Result<> show();
    void note_end() const;  // what is missing from folded lines and flame graphs, and from all
    // Is the stack shown, other than in JSON?
    bool is_shown(const Wait &wait) const
    {
        bool is_boring = wait.is_idle || wait.why == "preempted";
        return !is_boring || options_.all || options_.state || options_.stacks.json;
    }

  private:
    Wait wait_of(const offcputime_key &key, uint64_t count);
    Result<Times> take();
    void print(const Row &row, uint64_t now_ns);
    void print_text(const Row &row);
    void print_reasons(const Times &times);
    output::StackCount folded(const Row &row) const;
    Result<> draw() const;

    run::Tool &tool_;
    const Options &options_;
    kernel::TableReader reader_;
    stacks::CountedStacks &stacks_;
    run::Losses losses_;
    Times whole_run_;
    uint64_t hidden_ns_ = 0;
    bool any_ = false;
};

std::string_view text_of(const char (&comm)[16])
{
    return {comm, strnlen(comm, sizeof(comm))};
}

Wait Report::wait_of(const offcputime_key &key, uint64_t count)
{
    Wait wait;
    wait.stack = stacks_.name(key.stack, count);
    wait.tid = key.tid;
    wait.why = key.is_preempted ? "preempted"
                                : symbols::wait_reason(wait.stack.kernel, why_futex(key.futex));
    wait.syscall = symbols::syscall_of(wait.stack.kernel);
    wait.stack.comm = text_of(key.comm);
    wait.stack.pid = int(key.tgid);
    wait.is_idle = symbols::is_idle(wait.stack, wait.why);
    if (key.waker_tgid || *key.waker_comm) {
        wait.waker = stacks_.name(key.waker);
        wait.waker.comm = text_of(key.waker_comm);
        wait.waker.pid = int(key.waker_tgid);
        symbols::leave_out_interrupted(wait.waker);
    }
    for (output::NamedStack *stack : {&wait.stack, &wait.waker}) {
        if (options_.stacks.user_only)
            stack->kernel.clear();
        if (options_.stacks.kernel_only) {
            stack->user.clear();
            stack->cut.clear();
        }
    }
    return wait;
}

Result<Times> Report::take()
{
    stacks_.learn();
    Times times;
    auto since = kernel::TableReader::Since::LastTime;
    TRY(reader_.take(since, [&](Bytes bytes, const histogram_slot &added) {
        auto key = bytes.read<offcputime_key>(0).value_or(offcputime_key{});
        Time &time = times[wait_of(key, added.count)];
        time.ns += added.sum;
        time.count += added.count;
        time.longest_ns = std::max<uint64_t>(time.longest_ns, added.max);
    }));
    any_ |= !times.empty();
    return times;
}

void Report::print_text(const Row &row)
{
    const Wait &wait = row.first;
    std::string &out = tool_.out().buffer();
    output::append_stack(out, wait.stack, wait.tid, options_.stacks.form);
    if (!wait.waker.comm.empty()) {
        append(out, "    woken by\n");
        output::append_stack(out, wait.waker, 0, options_.stacks.form);
    }
    append_format(out, "        {}   {}{}{}\n\n", output::duration_text(row.second.ns), wait.why,
                  wait.syscall.empty() ? "" : ": ", wait.syscall);
}

void Report::print(const Row &row, uint64_t now_ns)
{
    using output::Cell;
    const Wait &wait = row.first;
    if (options_.stacks.folded)
        return output::append_folded(tool_.out().buffer(), folded(row));
    if (!options_.stacks.json)
        return print_text(row);
    output::JsonObject object(tool_.out().buffer());
    object.add("time_ns", now_ns)
        .add("wait_ns", row.second.ns)
        .add("count", row.second.count)
        .add("longest_ns", row.second.longest_ns)
        .add("why", wait.why)
        .add("idle", wait.is_idle)
        .add("syscall", Cell::when(!wait.syscall.empty(), wait.syscall))
        .add("pid", wait.stack.pid)
        .add("tid", Cell::when(wait.tid, wait.tid))
        .add("comm", wait.stack.comm);
    output::add_process_members(object, tool_.out().process_columns(), wait.stack.pid);
    output::add_stacks(object, wait.stack);
    if (!wait.waker.comm.empty()) {
        object.add("waker_pid", wait.waker.pid).add("waker_comm", wait.waker.comm);
        output::add_stacks(object, wait.waker, "waker_");
    }
    object.end_line();
}

// With --wakers, the waker's stack follows that of the waiting thread, upside down.
output::StackCount Report::folded(const Row &row) const
{
    const Wait &wait = row.first;
    output::NamedStack stack = wait.stack;
    stack.pid = 0;
    output::StackCount result =
        output::folded(stack, row.second.ns / ns_per_us, options_.stacks.form);
    if (wait.waker.comm.empty())
        return result;
    result.frames.emplace_back("--");
    for (const std::string &name : wait.waker.kernel)
        result.frames.emplace_back(name, output::FrameKind::Kernel);
    result.frames.insert(result.frames.end(), wait.waker.user.begin(), wait.waker.user.end());
    result.frames.emplace_back(wait.waker.comm, output::FrameKind::Process);
    return result;
}

Result<> Report::draw() const
{
    std::vector<output::StackCount> stacks;
    for (const Row &row : whole_run_)
        if (is_shown(row.first))
            stacks.push_back(folded(row));
    return options_.stacks.draw(
        tool_, options_.processes,
        {.title = "Waiting time",
         .hint = hidden_ns_ ? "without threads that wait for work or are preempted (--all)" : "",
         .unit = "usecs"},
        stacks);
}

void Report::print_reasons(const Times &times)
{
    std::map<std::string, Time> reasons;
    bool hides = false;
    for (const auto &[wait, time] : times) {
        Time &reason = reasons[wait.is_idle ? "waiting for work" : wait.why];
        reason.ns += time.ns;
        reason.count += time.count;
        hides |= !is_shown(wait);
    }
    output::append_times(tool_.out(), reasons);
    if (hides)
        tool_.out().heading(
            "Stacks of threads that wait for work or are preempted are left out (--all).");
}

void Report::note_end() const
{
    if (hidden_ns_ && (options_.stacks.svg || options_.stacks.folded) && !tool_.quiet())
        tool_.note(
            "waits of {} are left out: of threads that wait for work or are preempted (--all)",
            output::duration_text(hidden_ns_));
    if (!any_)
        tool_.note_nothing("no wait ended");
}

Result<> Report::show()
{
    Times times = TRY(take());
    for (const auto &[wait, time] : times)
        hidden_ns_ += is_shown(wait) ? 0 : time.ns;
    if (options_.stacks.svg) {
        for (const auto &[wait, time] : times)
            whole_run_[wait].ns += time.ns;
        TRY(draw());
    } else {
        uint64_t now_ns = output::Clock::now_unix_ns();
        if (!options_.stacks.json)
            options_.intervals.append_time(tool_.out().buffer());
        if (!options_.stacks.forms()) {
            print_reasons(times);
            tool_.out().heading(options_.by_name ? "STACK, COMM (PID), TIME(us), REASON"
                                                 : "STACK, COMM (TID), TIME(us), REASON");
        }
        std::erase_if(times, [&](const Row &row) { return !is_shown(row.first); });
        for (const Row *row : output::ranked(times, std::mem_fn(&Time::ns), options_.stacks.top))
            print(*row, now_ns);
    }
    stacks_.report_lost("waits");
    return losses_.report(tool_);
}

struct Points {
    proc::Tracepoint change, waking;
};
Result<Points> find_points()
{
    auto tracefs = TRY(proc::Tracefs::open());
    return Points{TRY(tracefs.read("sched", "sched_switch")),
                  TRY(tracefs.read("sched", "sched_waking"))};
}

Result<offcputime_layout> find_layout(const Points &points)
{
    offcputime_layout layout = {};
    layout.previous_state = TRY(points.change.offset_of("prev_state", sizeof(uint64_t)));
    layout.previous_priority = TRY(points.change.offset_of("prev_prio", sizeof(uint32_t)));
    layout.next_tid = TRY(points.change.offset_of("next_pid", sizeof(uint32_t)));
    layout.woken_tid = TRY(points.waking.offset_of("pid", sizeof(uint32_t)));
    auto ran = resolve::kernel_member("struct task_struct", {"se", "sum_exec_runtime"});
    auto had_run = resolve::kernel_member("struct task_struct", {"se", "prev_sum_exec_runtime"});
    if (ran && had_run) {
        layout.task_ran = *ran;
        layout.task_had_run = *had_run;
    }
    return layout;
}

Result<> prepare(kernel::Object<offcputime_bpf> &object, const Options &options,
                 const Points &points)
{
    object->rodata->offcputime_config = configure(options);
    object->rodata->offcputime_layout = TRY(find_layout(points));
    bpf_program__set_autoload(object->progs.offcputime_waking, options.wakers);
    if (bpf_map__set_max_entries(object->maps.offcputime_times, options.keys) != 0 ||
        bpf_map__set_max_entries(object->maps.offcputime_starts, options.threads) != 0)
        return fail("the maps are already created; cannot change --keys and --most-threads");
    return {};
}

Result<attach::Links> attach_all(kernel::Object<offcputime_bpf> &object, const Options &options,
                                 const Points &points)
{
    attach::Links links;
    links.push_back(TRY(attach::attach_tracepoint(bpf_program__fd(object->progs.offcputime_switch),
                                                  points.change.id, "sched:sched_switch")));
    if (options.wakers)
        links.push_back(
            TRY(attach::attach_tracepoint(bpf_program__fd(object->progs.offcputime_waking),
                                          points.waking.id, "sched:sched_waking")));
    return links;
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(check(options));
    if (tool.print_plan([&] {
            return std::string("tracepoint sched:sched_switch\n") +
                   (options.wakers ? "tracepoint sched:sched_waking\n" : "");
        }))
        return {};
    TRY(options.stacks.check_files());

    auto object = TRY(kernel::Object<offcputime_bpf>::open());
    run::KernelFilter filter(options.processes, run::filter_parts(object));
    object->rodata->filter_config = filter.config();
    auto points = TRY(find_points());
    TRY(prepare(object, options, points));
    TRY(filter.prepare());
    stacks::CountedStacks stacks(tool, object);
    TRY(stacks.prepare(options.stacks.map_sizes(filter.config())));
    TRY(object.load());

    TRY(stacks.start({.offsets = options.stacks.offsets, .lines = options.stacks.lines},
                     options.processes.for_lookup()));
    Report report(tool, options, object, stacks);
    auto follower = TRY(filter.start());
    auto links = TRY(attach_all(object, options, points));
    TRY(options.intervals.run(
        tool, "waits of threads", options.processes.targets(follower),
        [&] { return report.show(); }, [&](run::Loop &loop) { return stacks.listen(loop); }));
    report.note_end();
    return {};
}

}  // namespace uscope::tools::offcputime
