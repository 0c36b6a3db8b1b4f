// Runs a tool that gets its events through a ring buffer: reads the buffer and reports losses. The
// run ends when a signal arrives, after a time, after enough events, when the traced processes have
// ended, or when nobody reads the tool's output any more.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

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
        Losses losses;                         // reported each second, and at the end
        std::function<bool(Bytes)> on_record;  // returns whether it has shown the event
    };

    // `options` must outlive this object.
    Session(Tool &tool, const EventOptions &options);
    Session(const Session &) = delete;
    ~Session();

    // The time of -d starts at this call. From then on, signals end the run.
    Result<> open();
    Result<> read(Ring ring);  // run() will read this ring buffer
    // Makes run() call `drain` when `fd` is readable, and each time before it reads records. So
    // what `drain` finds out (such as new mappings of processes) is known when events are printed.
    Result<> learn(int fd, std::function<void()> drain);
    Result<> end_with(Targets targets);  // run() also ends when these processes have ended

    // Calls Tool::ready(what) and runs until one of the ends above. Then it calls `detach`, after
    // which programs write no more events, and reads the rest of the buffer.
    Result<> run(std::string_view what, const std::function<void()> &detach);
    // Reports the numbers of events: in JSON as
    // {"type":"end","time_ns":…,"events":9,"shown":9,"lost":0}, and on standard error only if
    // events were lost.
    void note_end() const;

    Loop &loop();
    uint64_t events() const;
    uint64_t shown() const;
    bool has_enough() const;  // as many events as -M allows are shown
    uint64_t lost() const;
    uint64_t end_ns() const;  // when the run ended, before `detach` (CLOCK_MONOTONIC)

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace uscope::run
