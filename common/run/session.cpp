// Reads the ring buffer in the loop, and reports losses.
#include "run/session.h"

#include <algorithm>
#include <optional>

#include "base/clock.h"
#include "base/format.h"
#include "kernel/ring.h"
#include "output/json.h"
#include "run/loop.h"
#include "run/target_watch.h"
#include "run/tool.h"

namespace uscope::run {
namespace {

// How often the tool reads the buffer if the programs do not wake it. If the output is a terminal,
// a person should see single events at once; otherwise that can wait.
constexpr unsigned interactive_read_ms = 20, batch_read_ms = 100;
constexpr unsigned report_losses_ms = 1000;

}  // namespace

struct Session::State {
    Tool &tool;
    const EventOptions &options;
    std::optional<Loop> loop = {};
    Ring ring = {};
    std::optional<kernel::RingReader> reader = {};
    std::function<void()> learn = [] {};
    uint64_t events = 0, shown = 0, end_ns = 0;
    std::optional<TargetWatch> target_watch = {};
    bool enough = false;
    uint64_t unwritten = 0;  // events that arrived after the output's reader had closed it

    // Unwritten events count as lost only if the kernel side has also lost events: if the output's
    // reader closed it, it did not want them.
    uint64_t lost() const
    {
        uint64_t count = ring.losses.total();
        return count ? count + unwritten : 0;
    }
    void drain(bool last);
    void report_losses();
    Result<> run(std::string_view what, const std::function<void()> &detach);
};

Session::Session(Tool &tool, const EventOptions &options) : state_(new State{tool, options}) {}
Session::~Session() = default;

Loop &Session::loop()
{
    return *state_->loop;
}

uint64_t Session::events() const
{
    return state_->events;
}

uint64_t Session::shown() const
{
    return state_->shown;
}

bool Session::has_enough() const
{
    return state_->enough;
}

uint64_t Session::lost() const
{
    return state_->lost();
}

uint64_t Session::end_ns() const
{
    return state_->end_ns;
}

Result<> Session::open()
{
    state_->loop.emplace(TRY(Loop::create()));
    if (!state_->options.duration)
        return {};
    auto milliseconds = std::max(1u, unsigned(*state_->options.duration * 1000));
    return loop().once_after(milliseconds, [state = state_.get()] { state->loop->stop(); });
}

Result<> Session::read(Ring ring)
{
    state_->reader.emplace(TRY(kernel::RingReader::open(ring.map, ring.bytes)));
    state_->ring = std::move(ring);
    return {};
}

Result<> Session::learn(int fd, std::function<void()> drain)
{
    state_->learn = std::move(drain);
    return loop().on_readable(fd, state_->learn);
}

Result<> Session::end_with(Targets targets)
{
    state_->target_watch.emplace(std::move(targets),
                                 [state = state_.get()] { state->loop->stop(); });
    state_->target_watch->report_execs_to(state_->tool);
    return state_->target_watch->watch(loop());
}

void Session::State::drain(bool last)
{
    if (!reader || enough)
        return;
    learn();
    uint64_t unwritten_before = unwritten;
    events += reader->drain(
        [&](Bytes record) {
            if (!tool.out().ok()) {
                unwritten++;
                return true;
            }
            shown += ring.on_record(record);
            enough = shown >= options.max_events.value_or(UINT64_MAX);
            tool.out().maybe_flush();
            return !enough;
        },
        last);
    events -= unwritten - unwritten_before;
    tool.count_events(events - tool.events().value_or(0));
    tool.out().flush();
    if (enough || !tool.out().ok())
        loop->stop();
    else if (!last && reader->is_behind())
        loop->look_again(ring.map);
}

// Ignores errors while reading the counters: losses that were reported before are not affected.
void Session::State::report_losses()
{
    static_cast<void>(ring.losses.report(tool));
}

Result<> Session::run(std::string_view what, const std::function<void()> &detach)
{
    return state_->run(what, detach);
}

Result<> Session::State::run(std::string_view what, const std::function<void()> &detach)
{
    if (reader) {
        TRY(loop->on_woken(ring.map, [this] { drain(false); }));
        TRY(loop->every(tool.interactive() ? interactive_read_ms : batch_read_ms,
                        [this] { drain(false); }));
        TRY(loop->every(report_losses_ms, [this] { report_losses(); }));
    }
    tool.ready(what);
    auto result = loop->run();
    end_ns = monotonic_ns();
    report_losses();  // the counts of missed hits are only available while links exist
    detach();
    drain(true);
    report_losses();
    if (unwritten && ring.losses.total())  // see lost()
        tool.warn("lost {} events: the reader of the output had closed it", unwritten);
    if (target_watch)
        target_watch->report_lost(tool);
    tool.out().flush();
    tool.report_stats(fmt::format("{} events, {} shown, {} lost; ", events, shown, lost()));
    return result;
}

void Session::note_end() const
{
    Tool &tool = state_->tool;
    size_t start = tool.out().buffer().size();
    if (tool.json())
        output::notice(tool.out().buffer(), "end")
            .add("events", events())
            .add("shown", shown())
            .add("lost", lost())
            .end_line();
    if (!events())
        tool.out().mark_heading(start);
    if (lost())
        tool.warn("{} events, {} lost", events(), lost());
}

}  // namespace uscope::run
