// The stacks of a tool that counts events by stack. BPF programs walk and store the stacks
// (bpf/unwind/unwind.bpf.h, bpf/unwind/stacks.bpf.h). This class names them, even after their
// processes have ended.
//
//     CountedStacks stacks(tool, object);
//     TRY(stacks.prepare({...}, sides));            before the object is loaded
//     TRY(stacks.start(style, probes, lookup));     after that, and before the probes are attached
//     loop: TRY(stacks.listen(loop));
//     at each interval: stacks.learn(); stacks.name(key, count) for each key;
//                       stacks.report_lost("events")
//
// A tool that never calls prepare() and start() has no stacks; the other functions do nothing then.
#pragma once

#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "bpf/unwind/site_stacks.h"
#include "stacks/stack_namer.h"
#include "stacks/unwinder.h"

namespace uscope::run {
class Loop;
class Tool;
}  // namespace uscope::run

namespace uscope::stacks {

class CountedStacks {
  public:
    // `object`: the skeleton of the tool's BPF programs. If it lacks the maps of
    // bpf/unwind/stacks.bpf.h, there are no kernel stacks.
    template <class Object>
    CountedStacks(run::Tool &tool, Object &object) : tool_(tool), unwinder_(object)
    {
        if constexpr (requires { object->maps.stacks_first; }) {
            kernel_ = object->maps.stacks_first;
            more_kernel_ = object->maps.stacks_more;
        }
        if constexpr (requires { object->rodata->stack_choice; })
            choice_ = &object->rodata->stack_choice;
    }

    // Which stacks the keys of the tool's counts contain. If `user` is false, the BPF programs must
    // not walk user stacks; those that include bpf/unwind/site_stacks.bpf.h read this in
    // `stack_choice`, which prepare() sets.
    struct Sides {
        bool user = true, kernel = true;
        bool process = false;  // keys contain the process even without user stacks
    };
    Result<> prepare(const Unwinder::MapSizes &sizes, const Sides &sides);
    Result<> prepare(const Unwinder::MapSizes &sizes) { return prepare(sizes, Sides()); }
    // Starts to walk and to name stacks. `whose`: the arguments of StackNamer::remember(), which
    // select the processes.
    template <class... Whose>
    Result<> start(const StackNamer::Style &style, const Whose &...whose)
    {
        watch(style);
        if (walks_ || style.comm)
            namer_->remember(whose...);
        return walks_ ? walk() : Result<>();
    }
    Result<> listen(run::Loop &loop);

    // Reads what processes have done (fork, exec, mappings). Call it before name().
    void learn();
    // Returns the names of the stacks in `key`. `events`: how many events have this key. If the
    // user or kernel stack was not stored or not walked, report_lost() reports these events.
    using From = StackNamer::From;
    output::NamedStack name(const stack_key &key, uint64_t events = 0, From from = From::Leaf);
    // Returns the first frame to show: the caller if the BPF program runs at exit sites
    // (instructions that leave the function), as with the kernel's return probe, which runs in the
    // caller.
    static From from(bool is_at_exits);
    // Reports the events without a stack since the last call. `what`: the plural noun, "samples".
    void report_lost(std::string_view what);
    // How many stacks the frontend has walked itself, from copies.
    uint64_t unwound_from_copies() const { return unwinder_.unwound_from_copies(); }

  private:
    void watch(const StackNamer::Style &style);
    Result<> walk();

    run::Tool &tool_;
    Unwinder unwinder_;
    bpf_map *kernel_ = nullptr, *more_kernel_ = nullptr;
    stack_choice *choice_ = nullptr;
    std::optional<StackNamer> namer_;
    bool walks_ = false, watches_ = false;
    uint64_t table_full_ = 0, not_walked_ = 0, not_kept_ = 0;  // lost events, by reason
};

// How many bytes at the start of a generated program's key are filled in by C code: all of
// site_stacks_key (32 bytes) if the program counts by stacks, else 8, or 0 if it has no key
// (bpf/unwind/site_stacks.h).
uint32_t key_header_bytes(bool is_keyed, bool by_stacks);
// The stacks in the key of a program that counts by stacks.
stack_key key_stacks(Bytes key);

}  // namespace uscope::stacks
