// Runs a tool that gets its events through a ring buffer: reads the buffer, counts losses, and ends
// by a signal, after a time, after enough events, with the traced processes, or when the output's
// reader is gone.
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
        std::function<bool(Bytes)> on_record;  // returns true if it shows the event
    };

    // `options` outlive this object.
    Session(Tool &tool, const EventOptions &options);
    Session(const Session &) = delete;
    ~Session();

    // From now on, signals end the run, and the time of -d starts.
    Result<> open();
    Result<> read(Ring ring);
    // Calls `drain` when `fd` is readable and before any records are read, so that what it learns
    // (such as new mappings of processes) is known when events are printed.
    Result<> learn(int fd, std::function<void()> drain);
    Result<> end_with(Targets targets);

    // Calls Tool::ready(what) and runs until the end. Then it calls `detach`, after which no more
    // events can come, and reads the rest of the buffer.
    Result<> run(std::string_view what, const std::function<void()> &detach);
    // Reports how many events there were: in JSON as
    // {"type":"end","time_ns":…,"events":9,"shown":9,"lost":0}, and on standard error if events
    // were lost.
    void note_end() const;

    Loop &loop();
    uint64_t events() const;
    uint64_t shown() const;
    bool has_enough() const;  // -M is reached
    uint64_t lost() const;
    uint64_t end_ns() const;  // CLOCK_MONOTONIC, before `detach`

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace uscope::run
