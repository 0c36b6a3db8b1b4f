// Sizes the stack maps, names the counted stacks, and reports events without a stack.
#include "stacks/counted_stacks.h"

#include <cstddef>
#include <utility>

#include <bpf/libbpf.h>

#include "run/loop.h"
#include "run/losses.h"
#include "run/tool.h"
#include "symbols/process_history.h"

namespace uscope::stacks {

Result<> CountedStacks::prepare(const Unwinder::MapSizes &sizes, const Sides &sides)
{
    walks_ = sides.user;
    if (choice_)
        *choice_ = {sizes.pidns_device, sizes.pidns_inode, sides.user,
                    sides.kernel,       sides.process,     {}};
    if (kernel_ && sides.kernel &&
        (bpf_map__set_max_entries(kernel_, sizes.stacks) != 0 ||
         bpf_map__set_max_entries(more_kernel_, sizes.stacks / 2 + 1) != 0))
        return fail("stack maps are already sized; cannot change --stacks");
    return walks_ ? unwinder_.prepare(sizes) : Result<>();
}

void CountedStacks::watch(const StackNamer::Style &style)
{
    constexpr int no_map = -1;
    namer_.emplace(style, unwinder_, kernel_ ? bpf_map__fd(kernel_) : no_map,
                   kernel_ ? bpf_map__fd(more_kernel_) : no_map);
    if (!walks_ && !style.comm)
        return;
    auto watching = namer_->history().watch();
    watches_ = watching.has_value();
    if (!watching)
        tool_.note("stacks of short-lived processes will lack names: {}", watching.error().text);
}

Result<> CountedStacks::walk()
{
    return unwinder_.start(namer_->history(),
                           [this](const std::string &text) { tool_.note("{}", text); });
}

Result<> CountedStacks::listen(run::Loop &loop)
{
    if (walks_)
        TRY(loop.on_readable(unwinder_.fd(), [this] { unwinder_.handle_unknown_frames(); }));
    return watches_ ? loop.on_readable(namer_->history().fd(), [this] { learn(); }) : Result<>();
}

void CountedStacks::learn()
{
    if (walks_)
        unwinder_.learn();
    else if (namer_)
        namer_->history().learn();
}

output::NamedStack CountedStacks::name(const stack_key &key, uint64_t events, From from)
{
    output::NamedStack named = namer_->name(key, from);
    StackNamer::MissingReason reason = namer_->missing_reason(key);
    if (reason == StackNamer::MissingReason::Full)
        table_full_ += events;
    if (reason == StackNamer::MissingReason::NotWalked)
        not_walked_ += events;
    if (reason == StackNamer::MissingReason::NotKept)
        not_kept_ += events;
    return named;
}

CountedStacks::From CountedStacks::from(bool is_at_exits)
{
    return is_at_exits ? From::Caller : From::Leaf;
}

void CountedStacks::report_lost(std::string_view what)
{
    auto report = [&](uint64_t &count, const char *reason) {
        uint64_t lost = std::exchange(count, 0);
        if (!lost)
            return;
        run::record_loss(tool_, lost, "stacks", reason);
        tool_.note("{} {} are counted without their stack: {}", lost, what, reason);
    };
    report(table_full_, "the stack table was full (increase --stacks)");
    report(not_walked_, "too many stacks had to be walked at once");
    report(not_kept_, "the tool keeps at most 65536 of the stacks that it walks itself");
}

uint32_t key_header_bytes(bool is_keyed, bool by_stacks)
{
    if (by_stacks)
        return sizeof(site_stacks_key);
    return is_keyed ? sizeof(uint64_t) : 0;
}

stack_key key_stacks(Bytes key)
{
    return key.read<stack_key>(offsetof(site_stacks_key, stacks)).value_or(stack_key{});
}

}  // namespace uscope::stacks
