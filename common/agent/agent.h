// Keeps tools running, each in a process of its own, so that one that crashes, leaks memory or is
// paused does not end the others, and its probes end with it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "agent/budget.h"
#include "agent/load.h"
#include "run/loop.h"
#include "run/tool_process.h"
#include "telemetry/metric_server.h"

namespace uscope::run {
class Tool;
}

namespace uscope::agent {

class Agent {
  public:
    // `path`: the file, which SIGHUP reads again. `loaded`: what was read from it.
    Agent(run::Tool &tool, std::string path, Loaded loaded);
    Agent(const Agent &) = delete;

    // Runs until a signal arrives, and ends the tools. Errors: it cannot listen.
    Result<> run();

  private:
    struct Runner {
        Words words;
        run::ToolProcess process = {};
        enum class State : uint8_t { Waiting, Starting, Up, Ending, Refused };
        State state = State::Waiting;
        bool is_removed = false;  // no longer in the file
        bool is_paused = false;
        uint64_t next_start_ns = 0;  // Waiting: when it starts
        uint64_t up_ns = 0;          // Up: since when
        uint64_t wait_ns = 0;        // before it was started last
        uint64_t start_up_ns = 0;    // processor time until it was up
        uint64_t ended_ns = 0;       // processor time of its processes that have ended
        uint64_t restarts = 0, pauses = 0;
    };

    Result<> listen(const std::string &address);
    void on_hangup();
    void reload();
    void apply(Loaded loaded);
    void start(const std::string &name, Runner &runner);
    void end(Runner &runner);
    void on_ready(const std::string &name);
    void on_end(const std::string &name);
    void start_later(const std::string &name, Runner &runner, int status);
    void on_tick();
    void check_budget();
    void announce();
    std::string metrics();

    run::Tool &tool_;
    std::string path_;
    Loaded loaded_;
    std::unique_ptr<run::Loop> loop_;
    std::unique_ptr<telemetry::MetricServer> server_;
    std::map<std::string, Runner> runners_;
    Budget budget_;
    bool is_announced_ = false;
    uint64_t reloads_ = 0, bad_reloads_ = 0;
    uint64_t reload_ns_ = 0;      // when the file was read again last
    bool is_reload_due_ = false;  // at the next tick
};

}  // namespace uscope::agent
