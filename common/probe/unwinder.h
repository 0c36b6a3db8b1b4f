// The user's half of bpf/lib/unwind.bpf.h: answers the walks of user stacks that lacked a rule, and
// makes addresses of the ids of stacks.
//
//     Unwinder unwinder(object);             the object's C text includes lib/unwind.bpf.h
//     TRY(unwinder.prepare({...}));          before the object is loaded
//     TRY(unwinder.start(history));          after that, and before the probes are attached
//     loop.on_readable(unwinder.fd(), [&] { unwinder.handle_unknown_frames(); });
//     unwinder.find(id)                      at any time, also when the process has ended
//
// The rules of a process are those of its layout: the files that it has mapped, and where. Forked processes
// share one. A process that executes another program or ends is forgotten by the kernel side at once;
// one that maps other files gets another layout when the kernel tells of it (stack::ProcessHistory). From when on it has mapped a file, its
// stacks are others than before, although their addresses may be the same (dlclose, dlopen): a stack is named by what was
// mapped when it was kept.
//
// Processes with an interpreter are introduced before their first walk, at the start or when they map it, as a copy of
// the stack does not have the frames of interpreters. Their names are read when a stack is kept for the
// first time: later their processes may have ended.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "stack/user_stack.h"

struct bpf_map;
struct bpf_program;
struct unwind_config;

namespace uscope::stack {
class ProcessHistory;
}

namespace uscope::probe {

class Unwinder {
  public:
    // Of an object whose C text includes lib/unwind.bpf.h.
    struct Parts {
        unwind_config *config;
        bpf_program *fork, *exec, *free, *map;
        bpf_map *rules, *layouts, *mapped, *stacks, *misses, *sent, *interpreters, *named;
    };
    Unwinder();  // of programs that do not walk
    explicit Unwinder(const Parts &parts);
    template <class Object>
    requires requires(Object &object) { object->rodata; }
    explicit Unwinder(Object &object)
        : Unwinder(Parts{.config = &object->rodata->unwind_config,
                         .fork = object->progs.unwind_fork,
                         .exec = object->progs.unwind_exec,
                         .free = object->progs.unwind_free,
                         .map = object->progs.unwind_map,
                         .rules = object->maps.unwind_rules,
                         .layouts = object->maps.unwind_layouts,
                         .mapped = object->maps.unwind_mapped,
                         .stacks = object->maps.unwind_stacks,
                         .misses = object->maps.unwind_misses,
                         .sent = object->maps.unwind_sent,
                         .interpreters = object->maps.unwind_interpreters,
                         .named = object->maps.unwind_named})
    {
    }
    Unwinder(const Unwinder &) = delete;
    ~Unwinder();

    struct MapSizes {
        uint32_t stacks = 8192;  // different ones
        // When that is full, all make place for new ones: for tools that show each stack at once.
        // Else the rest is UNWIND_NO_PLACE.
        bool renews = false;
        // Processes are shown as in this pid namespace; 0: the initial one.
        uint64_t pidns_device = 0, pidns_inode = 0;
        bool native = false;  // interpreted frames are not wanted
        // For the copies of stacks that wait for their answer: a power of two, all of it is memory of this process.
        uint32_t miss_bytes = 8 << 20;
    };
    // Without it, the maps take next to no sizes, and the programs must not walk.
    Result<> prepare(const MapSizes &sizes);
    // `history` outlives this object, and knows what processes do when it watches them. `tell` is called with what there is to
    // say of a process's stacks as a whole.
    using Tell = std::function<void(const std::string &text)>;
    Result<> start(stack::ProcessHistory &history, Tell tell);
    // What processes have done by now.
    void learn();

    int fd() const;  // readable when a walk waits for an answer
    void handle_unknown_frames();

    // Null: UNWIND_NONE, or it was not kept: missing_reason() says why (with UNWIND_MISSED: add() had no place for it). Valid
    // until forget().
    const stack::UserStack *find(uint64_t id);
    // Whoever has shown a stack may forget it: of a walk that lacked a rule it may go. Other events that were missed with
    // it still find it, as the last ones that were forgotten are kept.
    void forget(uint64_t id);
    static const char *missing(uint64_t id);

    // As if it had been walked. Of those that nobody forgets, so many are kept.
    void add(uint64_t id, stack::UserStack stack);
    // How many walks were answered.
    uint64_t answered() const;

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace uscope::probe
