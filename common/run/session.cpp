#include "run/session.h"

#include "base/format.h"
#include "output/clock.h"
#include "output/json.h"

namespace uscope::run {
namespace {

// How often the buffer is looked at without being woken: a person watching a trickle sees it at
// once, a file can wait.
constexpr unsigned watched_ms = 20, unwatched_ms = 100;
constexpr unsigned lost_ms = 1000;

}  // namespace

Result<> Session::open()
{
    loop_.emplace(TRY(Loop::create()));
    if (!options_.duration)
        return {};
    auto milliseconds = std::max(1u, unsigned(*options_.duration * 1000));
    return loop_->once_after(milliseconds, [this] { loop_->stop(); });
}

Result<> Session::read(Ring ring)
{
    reader_.emplace(TRY(attach::RingReader::open(ring.map, ring.bytes)));
    ring_ = std::move(ring);
    return {};
}

Result<> Session::learn(int fd, std::function<void()> drain)
{
    learn_ = std::move(drain);
    return loop_->on_readable(fd, learn_);
}

Result<> Session::end_with(Targets targets)
{
    target_watch_.emplace(std::move(targets), [this] { loop_->stop(); });
    return target_watch_->watch(*loop_);
}

void Session::drain(bool last)
{
    if (!reader_ || enough_)
        return;
    learn_();
    events_ += reader_->drain(
        [&](Bytes record) {
            shown_ += ring_.on_record(record);
            enough_ = shown_ >= options_.max_events.value_or(UINT64_MAX);
            tool_.out().maybe_flush();
            return !enough_ && tool_.out().ok();
        },
        last);
    tool_.out().flush();
    if (enough_ || !tool_.out().ok())
        loop_->stop();
    else if (!last && reader_->is_behind())
        loop_->look_again(ring_.map);
}

// If the counters cannot be read any more, their last values have been reported already.
void Session::tell_losses()
{
    static_cast<void>(ring_.losses.tell(tool_));
}

Result<> Session::run(const std::function<void()> &detach)
{
    if (reader_) {
        TRY(loop_->on_woken(ring_.map, [this] { drain(false); }));
        TRY(loop_->every(tool_.interactive() ? watched_ms : unwatched_ms,
                         [this] { drain(false); }));
        TRY(loop_->every(lost_ms, [this] { tell_losses(); }));
    }
    tool_.ready();
    auto result = loop_->run();
    end_ns_ = output::Clock::now_monotonic_ns();
    tell_losses();  // links count as long as they are attached
    detach();
    drain(true);
    tell_losses();
    if (target_watch_)
        target_watch_->tell_lost(tool_);
    tool_.out().flush();
    tool_.report_stats(fmt::format("{} events, {} shown, {} lost; ", events_, shown_, lost()));
    return result;
}

void Session::note_end() const
{
    if (options_.json)
        output::notice(tool_.out().buffer(), "end")
            .add("events", events_)
            .add("shown", shown_)
            .add("lost", lost())
            .end_line();
    if (lost())
        tool_.note("{} events, {} lost", events_, lost());
}

}  // namespace uscope::run
