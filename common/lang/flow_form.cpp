#include "lang/flow_form.h"

#include "output/name.h"
#include "proc/process.h"

namespace uscope::lang {

using output::Cell;

namespace {

std::vector<output::Column> flow_columns(bool json)
{
    if (json)
        return {{"TIME_NS"}, {"CPU"},   {"PID"},    {"TID"},
                {"EVENT"},   {"DEPTH"}, {"METHOD"}, {"DURATION_NS"}};
    return {{"CPU", 3}, {"PID", 6}, {"TID", 6}, {"TIME(us)", 14}, {"METHOD"}};
}

}  // namespace

FlowLines::FlowLines(output::Writer &writer, bool json)
    : table_(writer, flow_columns(json), json), json_(json)
{
}

void FlowLines::add(const Flow &flow, const CallTree::Step &step)
{
    if (!first_ns_)
        first_ns_ = flow.ts_ns;
    if (flow.lost)
        lost_line(flow);
    for (const CallTree::Call &call : step.ended) {
        bool is_own = step.is_known && &call == &step.ended.back();
        if (!is_own)
            line(flow, What::Unseen, call.depth, *call.name, std::nullopt);
    }
    std::optional<uint64_t> took;
    if (step.is_known)
        took = flow.ts_ns - step.ended.back().entered_ns;
    line(flow, flow.is_return ? What::Return : What::Entry, step.depth, flow.name, took);
}

void FlowLines::line(const Flow &flow, What what, uint32_t depth, std::string_view name,
                     std::optional<uint64_t> took_ns)
{
    if (!json_)
        return text_line(flow, what, depth, name, took_ns);
    const char *event = what == What::Entry ? "entry" : what == What::Return ? "return" : "unseen";
    table_.row({clock_.unix_ns(flow.ts_ns), flow.cpu, flow.pid, flow.tid, event, depth, name,
                took_ns ? Cell(*took_ns) : Cell()});
}

void FlowLines::text_line(const Flow &flow, What what, uint32_t depth, std::string_view name,
                          std::optional<uint64_t> took_ns)
{
    uint64_t since_ns = flow.ts_ns - *first_ns_;
    time_.clear();
    fmt::format_to(fmt::appender(time_), "{}.{:03}", since_ns / 1000, since_ns % 1000);
    text_.clear();
    fmt::format_to(fmt::appender(text_), "{:{}}{} ", "", 2 * (depth - 1),
                   what == What::Entry ? "->" : "<-");
    output::append_name(text_, name);
    if (took_ns)
        fmt::format_to(fmt::appender(text_), " ({}.{:03} us)", *took_ns / 1000, *took_ns % 1000);
    else if (what == What::Unseen)
        output::append(text_, " (return not seen)");
    else if (what == What::Return)
        output::append(text_, " (entry not seen)");
    Cell text(std::string_view{});
    text.shown = {text_.data(), text_.size()};
    table_.row({flow.cpu, flow.pid, flow.tid, std::string_view(time_.data(), time_.size()), text});
}

void FlowLines::lost_line(const Flow &flow)
{
    table_.line(fmt::format("... {} events of thread {} lost", flow.lost, flow.tid),
                fmt::format("{{\"type\":\"lost\",\"count\":{},\"pid\":{},\"tid\":{}}}", flow.lost,
                            flow.pid, flow.tid));
}

void FlowTrace::name(const Flow &flow)
{
    if (processes_.insert(flow.pid).second)
        trace_.name_process(flow.pid, proc::comm(flow.pid));
    if (threads_.emplace(flow.tid, flow.pid).second) {
        std::string name = proc::comm(flow.tid);
        if (!name.empty())
            trace_.name_thread(flow.pid, flow.tid, name);
    }
}

void FlowTrace::add(const Flow &flow, const CallTree::Step &step)
{
    name(flow);
    if (flow.lost)
        trace_.instant(flow.pid, flow.tid, flow.ts_ns, fmt::format("{} events lost", flow.lost));
    for (size_t i = 0; i < step.ended.size(); i++)
        trace_.end(flow.pid, flow.tid, flow.ts_ns);
    if (!flow.is_return)
        trace_.begin(flow.pid, flow.tid, flow.ts_ns, flow.name);
    writer_.maybe_flush();
}

void FlowTrace::end(const CallTree &tree, uint64_t now_ns)
{
    tree.each_open([&](pid_t tid, const CallTree::Call &) {
        trace_.end(threads_.at(tid), tid, now_ns);
        writer_.maybe_flush();
    });
    trace_.finish();
    writer_.flush();
}

void FlowFolded::add(const Flow &flow, const CallTree::Step &step)
{
    for (const CallTree::Call &call : step.ended)
        calls_.leave(flow.tid, flow.ts_ns - call.entered_ns - call.inside_ns);
    if (!flow.is_return)
        calls_.enter(flow.tid, step.entered);
}

// What is still under way has taken its time so far.
void FlowFolded::end(const CallTree &tree, uint64_t now_ns)
{
    pid_t thread = 0;
    uint64_t inside_ns = 0;  // of the call before, which this one called
    tree.each_open([&](pid_t tid, const CallTree::Call &call) {
        if (std::exchange(thread, tid) != tid)
            inside_ns = 0;
        uint64_t took_ns = now_ns - call.entered_ns;
        calls_.leave(tid, took_ns - call.inside_ns - inside_ns);
        inside_ns = took_ns;
    });
    for (const output::StackCount &stack : calls_.stacks(root_)) {
        output::append_folded(writer_.buffer(), stack);
        writer_.maybe_flush();
    }
}

}  // namespace uscope::lang
