// A run of a tool that gets its events through a ring buffer: reads it, counts what is lost, and
// ends when it should - a signal, a time, enough events, the traced processes gone, the reader of
// the output gone.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "attach/ring.h"
#include "run/event_options.h"
#include "run/loop.h"
#include "run/losses.h"
#include "run/target_watch.h"
#include "run/tool.h"

namespace uscope::run {

class Session {
  public:
    struct Ring {
        int map = -1;
        size_t bytes = 0;
        Losses losses;                         // told as they grow
        std::function<bool(Bytes)> on_record;  // true: it was shown
    };

    // `options` outlive this object.
    Session(Tool &tool, const EventOptions &options) : tool_(tool), options_(options) {}
    Session(const Session &) = delete;

    // Takes over the signals from here on; the time of -d begins.
    Result<> open();
    Result<> read(Ring ring);
    // `drain` is called when `fd` is readable, and always before records are read: what it learns
    // (new mappings of processes) is known when they are printed.
    Result<> learn(int fd, std::function<void()> drain);
    Result<> end_with(Targets targets);

    // Says "ready" and runs until the end, also that of -M; then `detach` (no event can come any more) and reads what
    // is left.
    Result<> run(const std::function<void()> &detach);
    // How many events there were: in JSON {"type":"end","time_ns":…,"events":9,"shown":9,"lost":0}, and on stderr
    // where events were lost.
    void note_end() const;

    Loop &loop() { return *loop_; }
    uint64_t events() const { return events_; }
    uint64_t shown() const { return shown_; }
    bool has_enough() const { return enough_; }  // -M
    uint64_t lost() const { return ring_.losses.total(); }
    uint64_t end_ns() const { return end_ns_; }  // CLOCK_MONOTONIC, before programs were detached

  private:
    void drain(bool last);
    void tell_losses();

    Tool &tool_;
    const EventOptions &options_;
    std::optional<Loop> loop_;
    Ring ring_;
    std::optional<attach::RingReader> reader_;
    std::function<void()> learn_ = [] {};
    uint64_t events_ = 0, shown_ = 0, end_ns_ = 0;
    std::optional<TargetWatch> target_watch_;
    bool enough_ = false;
};

}  // namespace uscope::run
