// The user's half of bpf/lib/unwind.bpf.h: answers the walks of user stacks that lacked a rule, and
// makes addresses of the ids of stacks.
//
//     Unwinder unwinder(object);             the object's C text includes lib/unwind.bpf.h
//     TRY(unwinder.prepare({...}));          before the object is loaded
//     TRY(unwinder.start(history));          after that, and before the probes are attached
//     loop.on_readable(unwinder.fd(), [&] { unwinder.answer(); });
//     unwinder.find(id)                      at any time, also when the process has ended
//
// The rules of a process are those of its layout: the files that it has mapped, and where. Forked processes
// share one. A process that executes another program or ends is forgotten by the kernel side at once;
// one that maps other files gets another layout when the kernel tells of it (stack::History).
//
// Processes with an interpreter are introduced before their first walk, at the start or when they map it, as a copy of
// the stack does not have the frames of interpreters. Their names are read when a stack is kept for the
// first time: later their processes may have ended.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include <bpf/libbpf.h>

#include "attach/close.h"
#include "attach/ring.h"
#include "expr/program.h"
#include "lib/unwind.h"
#include "stack/history.h"
#include "stack/unwind.h"

namespace uscope::probe {

class Unwinder {
  public:
    Unwinder() = default;  // of programs that do not walk
    template <class Object>
    explicit Unwinder(Object &object)
        : config_(&object->rodata->unwind_config),
          fork_(object->progs.unwind_fork),
          exec_(object->progs.unwind_exec),
          free_(object->progs.unwind_free),
          rules_(object->maps.unwind_rules),
          layouts_(object->maps.unwind_layouts),
          stacks_(object->maps.unwind_stacks),
          misses_(object->maps.unwind_misses),
          interpreters_(object->maps.unwind_interpreters),
          named_(object->maps.unwind_named)
    {
    }
    Unwinder(const Unwinder &) = delete;

    struct Room {
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
    // Without it, the maps take next to no room, and the programs must not walk.
    Result<> prepare(const Room &room);
    // `history` outlives this object, and knows what processes do when it watches them.
    Result<> start(stack::History &history);
    // What processes have done by now.
    void learn();

    int fd() const;  // readable when a walk waits for an answer
    void answer();

    // Null: UNWIND_NONE, or it was not kept: missing() says why (with UNWIND_MISSED: add() had no place for it). Valid
    // until forget().
    const stack::UserStack *find(uint64_t id);
    // Ids of walks that lacked a rule are used once; whoever has shown such a stack may forget it.
    void forget(uint64_t id) { missed_.erase(id); }
    static const char *missing(uint64_t id);

    // As if it had been walked. Of those that nobody forgets, so many are kept.
    void add(uint64_t id, stack::UserStack stack)
    {
        if (missed_.size() < most_missed)
            missed_[id] = std::move(stack);
    }
    // How many walks were answered.
    uint64_t answered() const { return answered_; }

  private:
    using Missed = std::unordered_map<uint64_t, stack::UserStack>;
    static constexpr size_t most_missed = 65536;

    void answer(Bytes record);
    void move_changed();
    void introduce_known();
    uint64_t free_index();
    void answer_kept(const unwind_kept &kept);
    void answer_code(const unwind_code &code);
    void name(stack::UserStack &stack, const unwind_interpreted &interpreted, pid_t pid);
    void add_interpreted(stack::UserStack &stack, const unwind_interpreted &interpreted);
    static void add_made_frames(stack::UserStack &stack, const unwind_interpreted &interpreted);
    static stack::UserStack addresses_of(const unwind_stack &stack);
    stack::UserStack stack_of(uint64_t id, const unwind_stack &stack);
    uint64_t interpreter_of(pid_t pid);
    uint64_t interpreter_index(const stack::UserSymbols::FoundInterpreter &found);
    uint64_t layout_of(uint32_t tgid, pid_t pid);
    uint64_t introduce(uint32_t tgid, pid_t pid);
    uint64_t new_number();
    uint64_t number_of(uint64_t hash);
    void set_layout(uint32_t tgid, pid_t pid, uint64_t number);
    std::vector<uint64_t> layouts_in_use() const;
    void learn(uint64_t key, const unwind_rule &rule);
    void make_room();
    void renew_stacks();

    unwind_config *config_ = nullptr;
    bpf_program *fork_ = nullptr, *exec_ = nullptr, *free_ = nullptr;
    bpf_map *rules_ = nullptr, *layouts_ = nullptr, *stacks_ = nullptr, *misses_ = nullptr,
            *interpreters_ = nullptr, *named_ = nullptr;
    struct Unmap {
        void operator()(unwind_place *places) const;
    };
    std::unique_ptr<unwind_place[], Unmap> places_;  // of the map of rules
    stack::History *history_ = nullptr;
    std::optional<attach::RingReader> reader_;

    std::unordered_map<uint64_t, uint64_t> numbers_;  // of layouts, by their hashes
    uint64_t last_number_ = 0;
    uint64_t rules_kept_ = 0;

    std::vector<lang::CodeNames::Of> described_;  // by the index of the map, less 1
    uint32_t thread_pointer_at_ = 0;              // in a task; 0: not known yet
    bool native_ = false, knows_tgids_ = false;
    lang::CodeNames code_names_;

    std::unordered_map<uint64_t, stack::UserStack> interpreted_;  // that are kept: with their names

    Missed missed_;
    std::map<uint64_t, stack::UserStack> known_;
    uint64_t answered_ = 0;
    bool is_full_ = false;
    attach::Links links_;
};

}  // namespace uscope::probe
