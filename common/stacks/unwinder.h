// The user-space side of bpf/unwind/unwind.bpf.h, which walks user stacks by rules: completes the
// walks that lacked a rule, and converts the ids of stacks to addresses.
//
//     Unwinder unwinder(object);             the object's C text includes bpf/unwind/unwind.bpf.h
//     TRY(unwinder.prepare({...}));          before the object is loaded
//     TRY(unwinder.start(history));          after that, and before the probes are attached
//     loop.on_readable(unwinder.fd(), [&] { unwinder.handle_unknown_frames(); });
//     unwinder.find(id)                      at any time, even after the process has ended
//
// Rules belong to a layout: a set of mapped files and their addresses. A forked process has its
// parent's layout. The kernel side forgets a process's layout at once when the process ends or
// executes another program. A process that maps other files gets another layout when the kernel
// reports the mapping (symbols::ProcessHistory). Stacks from before and after a mapping get
// different ids, even if their addresses are equal, because dlclose() and dlopen() may put another
// library at the same addresses. A stack is named by the files that were mapped when it was stored.
//
// For a process without a layout, the kernel side sends only a copy of the stack, which does not
// contain an interpreter's frames. So processes with an interpreter get their layout before their
// first walk: at the start, or when they map the interpreter. The names of interpreted functions
// are read when a stack is stored for the first time, because the process may end soon after.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "unwind/user_stack.h"

struct bpf_map;
struct bpf_program;
struct unwind_config;

namespace uscope::symbols {
class ProcessHistory;
}  // namespace uscope::symbols

namespace uscope::stacks {

class Unwinder {
  public:
    // The constants, programs and maps of an object whose C text includes bpf/unwind/unwind.bpf.h.
    struct Parts {
        unwind_config *config;
        bpf_program *fork, *exec, *free, *map;
        bpf_map *rules, *layouts, *mapped, *stacks, *misses, *sent, *interpreters, *named;
    };
    Unwinder();  // for tools without user stacks
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
                         .sent = object->maps.unwind_pending_miss,
                         .interpreters = object->maps.unwind_interpreters,
                         .named = object->maps.unwind_named})
    {
    }
    Unwinder(const Unwinder &) = delete;
    ~Unwinder();

    struct MapSizes {
        uint32_t stacks = 8192;  // capacity, in different stacks
        // When the map is full, empty it: for tools that show each stack at once. Otherwise,
        // further stacks have the id UNWIND_FULL.
        bool renews = false;
        // Use process ids of this pid namespace; 0: the initial one.
        uint64_t pidns_device = 0, pidns_inode = 0;
        bool native = false;  // show an interpreter's C frames instead of interpreted frames
        // Size of the buffer for copies of stacks that the frontend has to walk. A power of two;
        // all of it counts as memory of this process.
        uint32_t miss_bytes = 8 << 20;
    };
    // Sets the sizes of the maps. Without this call they have a single entry, and the tool's BPF
    // programs must not walk stacks.
    Result<> prepare(const MapSizes &sizes);
    // `history` outlives this object, and should be watching processes. `report` is called with
    // notes for the user, such as an interpreter of an unknown version.
    using Report = std::function<void(const std::string &text)>;
    Result<> start(symbols::ProcessHistory &history, Report report);
    // Reads what processes have done (fork, exec, mappings).
    void learn();

    int fd() const;  // readable when the kernel side has sent a walk to complete
    void handle_unknown_frames();

    // Returns null if there is no user stack (UNWIND_NONE) or the stack was not stored; missing()
    // says why. Valid until forget().
    const unwind::UserStack *find(uint64_t id);
    // Frees the memory of a stack whose walk the frontend has completed. Call it when the stack has
    // been shown. The last 4096 forgotten stacks remain, because other events may have the same id.
    void forget(uint64_t id);
    // The text to show instead of a stack for which find() returns null.
    static const char *missing(uint64_t id);

    // Stores a completed walk; at most 65536 of them, unless forget() makes room.
    void add(uint64_t id, unwind::UserStack stack);
    // How many walks it has completed.
    uint64_t unwound_from_copies() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace uscope::stacks
