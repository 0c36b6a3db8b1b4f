// Pairs the calls and returns of threads, which come one by one, into calls that have an end.
//
// The kernel side counts how deep each thread is, whatever a filter leaves out and whatever is lost.
// Two things can still be missing. Each is repaired as soon as it shows:
//
//  - Events that were lost. A return whose call was not seen stays without a beginning; a call that
//    something else now stands in the place of has ended, we know not when.
//  - Returns that the language does not tell, when an exception passes through (Ruby's methods that
//    are written in C, Perl's subs). The thread then is less deep than was counted:
//
//        depth 1  -> Job.run
//        depth 2    -> Kernel.raise        never returns
//        depth 2  <- Job.run               is known at depth 1: so raise has ended, and from
//                                          here on the thread is one less deep than is counted
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
        uint64_t inside_ns = 0;  // of it, in calls that were seen
    };

    // A thread, of the kernel or a virtual one, as the caller tells them apart.
    using ThreadKey = uint64_t;

    struct Event {
        ThreadKey thread = 0;
        uint64_t ts_ns = 0;
        uint32_t depth = 0;  // as counted
        uint32_t lost = 0;   // events of this thread, just before
        bool is_return = false;
        std::string_view name;
    };

    struct Step {
        uint32_t depth = 0;  // of the event's call
        // The calls that have ended, the deepest first. Of a return that `is_known` the last one is
        // the call itself; the others ended unseen, at this moment or before.
        std::vector<Call> ended;
        bool is_known = false;
        const std::string *entered = nullptr;  // of an entry: the name, as in Call
    };
    // Valid until the next call.
    const Step &add(const Event &event);

    // The calls that are under way, each thread's deepest first.
    void each_open(const std::function<void(ThreadKey, const Call &)> &action) const;

  private:
    struct Thread {
        std::vector<Call> calls;  // the deepest last
        uint32_t skew = 0;        // by so much the kernel counts too deep
        // Down to this depth calls may be under way whose entries were lost.
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
