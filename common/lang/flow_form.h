// Output formats of uflow for calls and returns: lines, JSON, a trace file, folded stacks.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "lang/call_tree.h"
#include "output/chrome_trace.h"
#include "output/clock.h"
#include "output/folded_calls.h"
#include "output/rows.h"

namespace uscope::lang {

struct Flow {  // a call or a return
    uint64_t ts_ns = 0;
    pid_t pid = 0, tid = 0;
    uint32_t cpu = 0;
    uint64_t virtual_thread = 0;  // runs on `tid` (bpf/runtimes/virtual_thread.h); or 0
    uint32_t lost = 0;            // events of its thread lost just before it
    bool is_return = false;
    std::string_view name = {};  // "Job.run"

    CallTree::ThreadKey thread() const;
};

class FlowForm {
  public:
    virtual ~FlowForm() = default;
    virtual void begin() {}
    virtual void add(const Flow &flow, const CallTree::Step &step) = 0;
    // Called at the end of the run, when some calls may still be under way.
    virtual void end(const CallTree &, uint64_t /*now_ns*/) {}
};

// One line per event, in BCC's columns:
//
//     TIME            CPU PID    TID    METHOD
//     17:05:59.123456 1   181    181    -> Job.run
//     17:05:59.123465 1   181    181      -> Job.step
//     17:05:59.123477 1   181    181      <- Job.step (11.9us)
//
// or one JSON object per event.
class FlowLines : public FlowForm {
  public:
    FlowLines(output::Writer &writer, bool json);
    void begin() override { rows_.header(); }
    void add(const Flow &flow, const CallTree::Step &step) override;

  private:
    enum class What : uint8_t { Entry, Return, Unseen };
    struct Line {
        const Flow &flow;
        What what;
        uint32_t depth;
        std::string_view name;
        std::optional<uint64_t> took_ns = {};
    };
    output::Rows<Line>::Fields fields() const;
    static std::string shown(const Line &line);
    void lost_line(const Flow &flow);

    output::Clock clock_;
    output::Rows<Line> rows_;
};

// A trace file for Perfetto. Processes and threads get the names that they have when first seen.
class FlowTrace : public FlowForm {
  public:
    explicit FlowTrace(output::Writer &writer) : writer_(writer), trace_(writer.buffer()) {}
    void add(const Flow &flow, const CallTree::Step &step) override;
    void end(const CallTree &tree, uint64_t now_ns) override;

  private:
    struct Track {
        pid_t pid, tid;
    };
    const Track &track(const Flow &flow);

    output::Writer &writer_;
    output::ChromeTrace trace_;
    std::set<pid_t> processes_;
    std::unordered_map<CallTree::ThreadKey, Track> tracks_;
};

// Folded stacks, printed at the end: each stack of calls with the microseconds that its innermost
// call took, without the calls made from it. The first frame is `root`.
class FlowFolded : public FlowForm {
  public:
    FlowFolded(output::Writer &writer, std::string root) : writer_(writer), root_(std::move(root))
    {
    }
    void add(const Flow &flow, const CallTree::Step &step) override;
    void end(const CallTree &tree, uint64_t now_ns) override;

  private:
    output::Writer &writer_;
    std::string root_;
    output::FoldedCalls calls_;
};

}  // namespace uscope::lang
