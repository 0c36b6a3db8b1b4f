// The stacks of a tool that counts them: walked and kept in the kernel (bpf/lib/unwind.bpf.h,
// bpf/lib/stacks.bpf.h), named here, also when their processes have ended.
//
//     CountedStacks stacks(tool, object);
//     TRY(stacks.prepare({...}, sides));            before the object is loaded
//     TRY(stacks.start(style, probes, lookup));     after that, and before the probes are attached
//     loop: TRY(stacks.listen(loop));
//     at each interval: stacks.learn(), stacks.name(key, count) of each, stacks.tell_lost("events")
//
// Without prepare() and start() there are no stacks, and the others do nothing.
#pragma once

#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "lib/site_stacks.h"
#include "probe/stack_namer.h"
#include "probe/unwinder.h"

namespace uscope::run {
class Loop;
class Tool;
}  // namespace uscope::run

namespace uscope::probe {

struct Program;

class CountedStacks {
  public:
    // An object without the maps of lib/stacks.bpf.h has no stacks of the kernel.
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

    // Without user stacks the programs must not walk. Those of lib/site_stacks.bpf.h are told.
    struct Sides {
        bool user = true, kernel = true;
        bool process = false;  // told also without user stacks
    };
    Result<> prepare(const Unwinder::MapSizes &sizes, const Sides &sides);
    Result<> prepare(const Unwinder::MapSizes &sizes) { return prepare(sizes, Sides()); }
    // `whose`: as StackNamer::remember() takes it.
    template <class... Whose>
    Result<> start(const StackNamer::Style &style, const Whose &...whose)
    {
        watch(style);
        if (walks_ || style.comm)
            namer_->remember(whose...);
        return walks_ ? walk() : Result<>();
    }
    Result<> listen(run::Loop &loop);

    // What processes have done by now, before their stacks are named.
    void learn();
    // So many events have this stack, which are reported as lost if it was not kept, or not walked.
    using From = StackNamer::From;
    output::NamedStack name(const stack_key &key, uint64_t events = 0, From from = From::Leaf);
    // Of a return from the caller on, as behind the kernel's return probe.
    static From from(const Program &program);
    // Reports the events without their stack since the last time. `what` they are: "samples".
    void tell_lost(std::string_view what);
    // How many stacks were walked here, from copies.
    uint64_t answered() const { return unwinder_.answered(); }

  private:
    void watch(const StackNamer::Style &style);
    Result<> walk();

    run::Tool &tool_;
    Unwinder unwinder_;
    bpf_map *kernel_ = nullptr, *more_kernel_ = nullptr;
    stack_choice *choice_ = nullptr;
    std::optional<StackNamer> namer_;
    bool walks_ = false, watches_ = false;
    uint64_t without_place_ = 0, not_walked_ = 0, not_kept_ = 0;  // events
};

// Keys of generated programs begin with bytes of their C half's own: none without a key, 8 with one, and
// behind these the stacks of a program that counts by them (lib/site_stacks.bpf.h).
uint32_t key_header_bytes(bool is_keyed, bool by_stacks);
stack_key key_stacks(Bytes key);

}  // namespace uscope::probe
