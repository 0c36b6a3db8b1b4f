// Prints calls and returns in the formats of uflow.
#include "lang/flow_form.h"

#include "base/format.h"
#include "bpf/runtimes/virtual_thread.h"
#include "output/json.h"
#include "output/name.h"
#include "proc/process.h"

namespace uscope::lang {

using output::Cell;

CallTree::ThreadKey Flow::thread() const
{
    return virtual_thread ? virtual_thread_key(pid, virtual_thread) : tid;
}

FlowLines::FlowLines(output::Writer &writer, bool json) : rows_(writer, fields(), json) {}

output::Rows<FlowLines::Line>::Fields FlowLines::fields() const
{
    using Field = output::Field<Line>;
    using output::if_any;
    auto flow = output::members_of([](const Line &line) -> auto & { return line.flow; });
    auto thread = [](const Line &line) {
        return line.flow.virtual_thread ? Cell(fmt::format("v{}", line.flow.virtual_thread))
                                        : Cell(line.flow.tid);
    };
    auto event = [](const Line &line) {
        return line.what == What::Entry ? "entry" : line.what == What::Return ? "return" : "unseen";
    };
    auto method = [](const Line &line) { return Cell::safe(shown(line)); };
    return {
        Field::time(clock_, flow(&Flow::ts_ns)),
        {"CPU", 3, "cpu", flow(&Flow::cpu)},
        {"PID", 6, "pid", flow(&Flow::pid)},
        {"TID", 6, "tid", flow(&Flow::tid), thread},
        {"virtual_thread", if_any(flow(&Flow::virtual_thread))},
        {"event", event},
        {"depth", &Line::depth},
        {"METHOD", output::rest, "method", &Line::name, method},
        {"duration_ns", &Line::took_ns},
    };
}

void FlowLines::add(const Flow &flow, const CallTree::Step &step)
{
    if (flow.lost)
        lost_line(flow);
    for (const CallTree::Call &call : step.ended) {
        bool is_own = step.is_known && &call == &step.ended.back();
        if (!is_own)
            rows_.add({flow, What::Unseen, call.depth, *call.name});
    }
    std::optional<uint64_t> took;
    if (step.is_known)
        took = flow.ts_ns - step.ended.back().entered_ns;
    rows_.add({flow, flow.is_return ? What::Return : What::Entry, step.depth, flow.name, took});
}

// "  <- Cart.add (12.5us)", safe for a terminal.
std::string FlowLines::shown(const Line &line)
{
    std::string text;
    append_format(text, "{:{}}{} ", "", 2 * (line.depth - 1),
                  line.what == What::Entry ? "->" : "<-");
    output::append_name(text, line.name);
    if (line.took_ns)
        append_format(text, " ({})", output::duration_text(*line.took_ns));
    else if (line.what == What::Unseen)
        output::append(text, " (return not seen)");
    else if (line.what == What::Return)
        output::append(text, " (entry not seen)");
    return text;
}

void FlowLines::lost_line(const Flow &flow)
{
    std::string json;
    output::notice(json, "lost")
        .add("count", flow.lost)
        .add("pid", flow.pid)
        .add("tid", flow.tid)
        .end();
    rows_.line(fmt::format("... {} events of thread {} lost", flow.lost, flow.tid), json);
}

// A virtual thread gets its own track, with a number that no kernel thread has.
const FlowTrace::Track &FlowTrace::track(const Flow &flow)
{
    constexpr pid_t virtual_threads = 1 << 30;
    if (processes_.insert(flow.pid).second)
        trace_.name_process(flow.pid, proc::comm(flow.pid));
    auto [known, is_new] = tracks_.try_emplace(flow.thread(), Track{flow.pid, flow.tid});
    Track &track = known->second;
    if (is_new && flow.virtual_thread)
        track.tid = virtual_threads | (flow.virtual_thread & (virtual_threads - 1));
    if (is_new) {
        std::string name = flow.virtual_thread
                               ? fmt::format("virtual thread {}", flow.virtual_thread)
                               : proc::comm(flow.tid);
        if (!name.empty())
            trace_.name_thread(track.pid, track.tid, name);
    }
    return track;
}

void FlowTrace::add(const Flow &flow, const CallTree::Step &step)
{
    auto [pid, tid] = track(flow);
    if (flow.lost)
        trace_.instant(pid, tid, flow.ts_ns, fmt::format("{} events lost", flow.lost));
    for (size_t i = 0; i < step.ended.size(); i++)
        trace_.end(pid, tid, flow.ts_ns);
    if (!flow.is_return)
        trace_.begin(pid, tid, flow.ts_ns, flow.name);
    writer_.maybe_flush();
}

void FlowTrace::end(const CallTree &tree, uint64_t now_ns)
{
    tree.each_open([&](CallTree::ThreadKey thread, const CallTree::Call &) {
        auto [pid, tid] = tracks_.at(thread);
        trace_.end(pid, tid, now_ns);
        writer_.maybe_flush();
    });
    size_t start = writer_.buffer().size();
    trace_.finish();
    if (tracks_.empty())
        writer_.mark_heading(start);
    writer_.flush();
}

void FlowFolded::add(const Flow &flow, const CallTree::Step &step)
{
    for (const CallTree::Call &call : step.ended)
        calls_.leave(flow.thread(), flow.ts_ns - call.entered_ns - call.inside_ns);
    if (!flow.is_return)
        calls_.enter(flow.thread(), step.entered);
}

// Calls that are still under way count with their time so far.
void FlowFolded::end(const CallTree &tree, uint64_t now_ns)
{
    CallTree::ThreadKey before = 0;
    uint64_t inside_ns = 0;  // of the previous call, which this one made
    tree.each_open([&](CallTree::ThreadKey thread, const CallTree::Call &call) {
        if (std::exchange(before, thread) != thread)
            inside_ns = 0;
        uint64_t took_ns = now_ns - call.entered_ns;
        calls_.leave(thread, took_ns - call.inside_ns - inside_ns);
        inside_ns = took_ns;
    });
    for (const output::StackCount &stack : calls_.stacks(root_)) {
        output::append_folded(writer_.buffer(), stack);
        writer_.maybe_flush();
    }
}

}  // namespace uscope::lang
