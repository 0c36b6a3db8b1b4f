// A run of a tool that gets its events through a ring buffer: reads it, counts what is lost, and
// ends when it should - a signal, a time, enough events, the traced processes gone, the reader of
// the output gone.
#pragma once

#include <functional>
#include <memory>

#include "base/bytes.h"
#include "base/result.h"
#include "run/event_options.h"
#include "run/losses.h"

namespace uscope::run {

class Loop;
struct Targets;

class Session {
  public:
    struct Ring {
        int map = -1;
        size_t bytes = 0;
        Losses losses;                         // told as they grow
        std::function<bool(Bytes)> on_record;  // true: it was shown
    };

    // `options` outlive this object.
    Session(Tool &tool, const EventOptions &options);
    Session(const Session &) = delete;
    ~Session();

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

    Loop &loop();
    uint64_t events() const;
    uint64_t shown() const;
    bool has_enough() const;  // -M
    uint64_t lost() const;
    uint64_t end_ns() const;  // CLOCK_MONOTONIC, before programs were detached

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace uscope::run
