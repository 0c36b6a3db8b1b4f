// Pairs entries with returns: a stream of single events becomes calls with a beginning and an end.
//
// The kernel side counts the depth of each thread; the depth includes calls that a filter leaves
// out or whose events are lost. Two things can still be missing; the tree is corrected as soon as
// that shows:
//
//  - Lost events. A return without a known call has no entry time. When a call is entered
//    at the depth of a known one, the known one has ended, at an unknown time.
//  - Returns that the language does not report when an exception passes through (Ruby's methods
//    written in C, Perl's subs). The thread is then less deep than counted:
//
//        depth 1  -> Job.run
//        depth 2    -> Kernel.raise        never returns
//        depth 2  <- Job.run               is known at depth 1: so raise has ended, and from
//                                          now on the thread is one less deep than counted
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace uscope::lang {

class CallTree {
  public:
    struct Call {
        const std::string *name;  // lives as long as the tree
        uint32_t depth;           // in the program, from 1
        uint64_t entered_ns;
        uint64_t inside_ns = 0;  // spent in calls that it made and that were seen
    };

    // Identifies a kernel thread or a virtual thread; the caller chooses the numbers.
    using ThreadKey = uint64_t;

    struct Event {
        ThreadKey thread = 0;
        uint64_t ts_ns = 0;
        uint32_t depth = 0;  // as the kernel side counted it
        uint32_t lost = 0;   // events of this thread lost just before
        bool is_return = false;
        std::string_view name;
    };

    struct Step {
        uint32_t depth = 0;  // of the event's call
        // The calls that have ended, deepest first. If `is_known`, the event is a return and the
        // last one is its call; the others ended now or earlier, without a return being seen.
        std::vector<Call> ended;
        bool is_known = false;
        const std::string *entered = nullptr;  // entry: its name, as in Call
    };
    // The result is valid until the next call of add().
    const Step &add(const Event &event);

    // Visits the calls that are under way, each thread's deepest first.
    void each_open(const std::function<void(ThreadKey, const Call &)> &action) const;

  private:
    struct Thread {
        std::vector<Call> calls;  // the deepest last
        uint32_t skew = 0;        // how much too deep the kernel side counts
        // At depths up to this one, calls may be under way whose entries were lost.
        uint32_t unsure = 0;
    };

    const std::string *intern(std::string_view name);
    void end_from(Thread &thread, size_t first, uint64_t now_ns);
    void enter(Thread &thread, const Event &event);
    void leave(Thread &thread, const Event &event);

    std::unordered_map<ThreadKey, Thread> threads_;
    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    std::unordered_set<std::string, Hash, std::equal_to<>> names_;
    Step step_;
};

}  // namespace uscope::lang
