// Pairs the starts of garbage collections with their ends, and describes the collections.
//
// Most runtimes report the start and the end of each collection. A JVM also reports, within a
// collection, how each memory manager collects each of its memory pools. Ruby reports one marking
// phase, then each step of sweeping.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "lang/language.h"
#include "output/printf.h"

namespace uscope::lang {

// A collection, or a part of one: a pool, a stage.
struct Collection {
    uint64_t since_ns = 0, took_ns = 0;
    pid_t pid = 0;
    std::string name;         // "G1 Young Generation G1 Eden Space", "gen 2", "mark"
    std::string description;  // as BCC prints it
    bool is_nested = false;   // inside another collection
    bool is_step = false;     // continues an earlier collection
    bool is_detail = false;   // another line already shows it
};

class Collections {
  public:
    using Values = std::map<Role, output::Value>;
    struct Event {
        const Hook &hook;  // its event is GcBegin or GcEnd
        uint64_t ts_ns;
        pid_t pid, tid;
        Values values;
    };
    // Returns the collections that end with this event.
    std::vector<Collection> add(const Event &event);

  private:
    struct Start {
        uint64_t ts_ns;
        uint64_t flags, used, max;
        std::optional<uint64_t> generation;
        bool is_pool;
        bool has_managers = false;
    };
    // A manager's collection, from the start of its first pool to the end of its last. All its
    // pools start before any of them ends.
    struct ManagerCollection {
        uint64_t since_ns = 0;
        size_t open_pools = 0;
        uint64_t before = 0, after = 0;  // used bytes of the heap
    };
    static void describe(const Start &start, const Values &end, Collection &collection);
    bool is_within_another(pid_t tid, uint64_t since_ns) const;
    void mark_full(pid_t tid, uint64_t since_ns);
    void begin(const Event &event);
    void begin_pool(const Event &event, bool end_was_lost);
    std::optional<Collection> end_pool(const Event &event);

    // By thread, kind and pool. A thread's collections of one kind do not overlap.
    using Key = std::tuple<pid_t, std::string, std::string>;
    static Key key_of(const Event &event);
    std::map<Key, Start> begun_;
    std::map<std::pair<pid_t, std::string>, ManagerCollection> by_manager_;  // and by thread
};

}  // namespace uscope::lang
