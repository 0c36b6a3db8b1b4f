// Collects the exits of a function and of those that it tail-calls.
#include "resolve/exits.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "elf/symbols.h"
#include "insn/decode.h"
#include "resolve/body.h"

namespace uscope::resolve {

namespace {

// The maximum number of functions to read for one: itself and those that it tail-calls, directly or
// indirectly. In the programs measured, nine in ten functions need at most 8; mimalloc's malloc
// needs 9.
constexpr size_t max_bodies = 16;

// Adds a function's own exits to the lists of returns and branches.
void add_own_exits(const FunctionBody &body, std::vector<uint64_t> &returns,
                   std::vector<ExitBranch> &branches)
{
    const BranchExits &by = body.by_branches;
    for (uint64_t vaddr : body.returns) {
        if (!by.replaced.count(vaddr))
            returns.push_back(vaddr);
    }
    branches.insert(branches.end(), by.branches.begin(), by.branches.end());
}

void add_lone_return(const FunctionBody &body, uint64_t start, Exits &exits)
{
    if (std::count(body.returns.begin(), body.returns.end(), start))
        exits.lone_returns.push_back(start);
}

// Adds what another function's code shows of the same branch. Returns false if they disagree.
bool merge(const ExitBranch &other, ExitBranch &branch)
{
    for (auto way : {&ExitBranch::taken, &ExitBranch::not_taken}) {
        if ((other.*way).returns)
            branch.*way = other.*way;
    }
    return other.by_frame_pointer == branch.by_frame_pointer && other.offset == branch.offset;
}

// Leaves each branch in one list, and once. Returns false if two functions disagree about it.
bool separate_branches(Exits &exits)
{
    std::map<uint64_t, ExitBranch *> known;
    for (ExitBranch &branch : exits.branches)
        known[branch.vaddr] = &branch;
    std::vector<ExitBranch> borrowed;
    borrowed.reserve(exits.borrowed_branches.size());
    for (const ExitBranch &branch : exits.borrowed_branches) {
        ExitBranch *&at = known[branch.vaddr];
        if (at && !merge(branch, *at))
            return false;
        if (!at)
            at = &borrowed.emplace_back(branch);
    }
    exits.borrowed_branches = std::move(borrowed);
    return true;
}

}  // namespace

uint64_t FunctionEnds::bytes_from(uint64_t vaddr)
{
    constexpr uint64_t max_bytes = 64 << 10;
    if (!starts_) {
        starts_.emplace();
        for (const elf::SymbolTable &table : elf::symbol_tables(image_))
            table.each([&](const elf::Symbol &symbol) {
                if (symbol.is_function)
                    starts_->push_back(symbol.vaddr);
            });
        std::sort(starts_->begin(), starts_->end());
    }
    auto next = std::upper_bound(starts_->begin(), starts_->end(), vaddr);
    uint64_t bytes = next == starts_->end() ? 0 : *next - vaddr;
    return bytes <= max_bytes ? bytes : 0;
}

ExitFinder::ExitFinder(const elf::Image &image, spec::BranchUse use)
    : image_(image),
      use_(use),
      frames_(elf::Frames::of(image)),
      tables_(image),
      links_(image),
      ends_(image)
{
}
ExitFinder::~ExitFinder() = default;

bool ExitFinder::is_called(uint64_t vaddr) const
{
    auto frame = frames_.at(vaddr);
    return frame && frame->start == vaddr && frame->is_called;
}

const Result<FunctionBody> &ExitFinder::body(uint64_t vaddr, uint64_t size)
{
    auto &known = bodies_[vaddr];
    if (!known) {
        known = std::make_unique<Result<FunctionBody>>(
            read_body(image_, frames_, tables_, links_, vaddr, size, use_.is_allowed));
        if (*known)
            find_branches(**known);
    }
    return *known;
}

void ExitFinder::find_branches(FunctionBody &body)
{
    FlowGraph graph = std::exchange(body.graph, {});
    if (graph.nodes.empty())
        return;
    elf::Frame whole = {graph.nodes.front().vaddr, graph.nodes.back().vaddr + insn::longest};
    body.by_branches =
        find_exit_branches(graph, use_, [&](uint64_t first, uint64_t last, size_t own_near) {
            return is_closed(first, last, own_near, frames_.at(first).value_or(whole));
        });
    constexpr size_t max_nodes = 64;
    bool may_be_straight =
        body.returns.size() == 1 && body.by_branches.replaced.empty() && !body.calls;
    if (may_be_straight && graph.nodes.size() <= max_nodes)
        body.graph = std::move(graph);
}

// Does only the function lead to the instructions from `first` to `last`, which are in its part
// `own`?
bool ExitFinder::is_closed(uint64_t first, uint64_t last, size_t own_near, elf::Frame own)
{
    for (const elf::Segment &segment : image_.segments()) {
        if (!segment.executable || first - segment.vaddr >= segment.file_size)
            continue;
        auto text = image_.bytes_at(segment.vaddr, segment.file_size);
        if (!text)
            return false;
        auto &branches = text_branches_.try_emplace(segment.vaddr, *text).first->second;
        constexpr uint64_t max_padding = 16;
        auto before = frames_.at(own.start - 1);
        for (uint64_t gap = 2; !before && gap <= max_padding; gap++)
            before = frames_.at(own.start - gap);
        uint64_t from = before ? before->start : own.start, base = segment.vaddr;
        return !branches.lead_from_outside({first - base, last + 1 - base},
                                           {own.start - base, own.end - base}, own_near,
                                           from - base);
    }
    return false;
}

// Adds the exits of all functions that `own` tail-calls, directly or indirectly. Returns false if
// there are too many of these functions, or if not all of their exits are known. `replaced`: the
// return instructions that branches replace.
bool ExitFinder::follow_tail_calls(const FunctionBody &own, Exits &exits,
                                   std::set<uint64_t> &replaced)
{
    std::set<uint64_t> seen;
    std::vector<uint64_t> waiting;
    auto add = [&](const FunctionBody &from) {
        for (const auto &call : from.tail_calls) {
            if (seen.insert(call.target).second)
                waiting.push_back(call.target);
        }
    };
    add(own);
    while (!waiting.empty()) {
        uint64_t target = waiting.back();
        waiting.pop_back();
        uint64_t size = frames_.at(target) ? 0 : ends_.bytes_from(target);
        if (seen.size() >= max_bodies || (!frames_.at(target) && size == 0))
            return false;
        const Result<FunctionBody> &other = body(target, size);
        if (!other || other->may_leave_unseen)
            return false;
        add_lone_return(*other, target, exits);
        add_own_exits(*other, exits.borrowed, exits.borrowed_branches);
        replaced.insert(other->by_branches.replaced.begin(), other->by_branches.replaced.end());
        exits.borrowed_tail_calls.insert(exits.borrowed_tail_calls.end(), other->tail_jumps.begin(),
                                         other->tail_jumps.end());
        add(*other);
    }
    return true;
}

Result<Exits> ExitFinder::find_alone(uint64_t vaddr, uint64_t size, uint64_t site)
{
    const Result<FunctionBody> &own = body(vaddr, size);
    if (!own)
        return Failure(own.error());
    Exits exits;
    add_own_exits(*own, exits.returns, exits.branches);
    if (auto branch = find_exit_at_entry(own->graph, site, use_)) {
        exits.returns.clear();
        exits.branches = {*branch};
    }
    add_lone_return(*own, vaddr, exits);
    exits.tail_calls = own->tail_jumps;
    exits.may_leave_unseen = own->may_leave_unseen;
    for (const auto &call : own->tail_calls) {
        if (call.is_certain && call.can_probe)
            exits.tail_calls.push_back(call.jump);
        else
            exits.may_leave_unseen = true;
    }
    exits.is_leaf =
        !own->calls && own->tail_calls.empty() && own->tail_jumps.empty() && !own->may_leave_unseen;
    return exits;
}

Result<Exits> ExitFinder::find(uint64_t vaddr, uint64_t size, uint64_t site)
{
    Exits alone = TRY(find_alone(vaddr, size, site));
    const FunctionBody &own = **bodies_.at(vaddr);
    if (own.tail_calls.empty())
        return alone;
    Exits exits;
    add_own_exits(own, exits.returns, exits.branches);
    add_lone_return(own, vaddr, exits);
    exits.tail_calls = own.tail_jumps;
    exits.may_leave_unseen = own.may_leave_unseen;
    std::set<uint64_t> replaced = own.by_branches.replaced;
    if (!follow_tail_calls(own, exits, replaced) || !separate_branches(exits))
        return alone;
    // A moved part of this function may look like another function, and jump back into this one.
    // Then `borrowed` also contains returns of this function: remove them. The two may also see
    // different branches: one that replaces a return instruction for one of them does so for both.
    std::erase_if(exits.returns, [&](uint64_t vaddr) { return replaced.count(vaddr) != 0; });
    std::sort(exits.borrowed.begin(), exits.borrowed.end());
    exits.borrowed.erase(std::unique(exits.borrowed.begin(), exits.borrowed.end()),
                         exits.borrowed.end());
    std::erase_if(exits.borrowed, [&](uint64_t vaddr) {
        return replaced.count(vaddr) ||
               std::binary_search(exits.returns.begin(), exits.returns.end(), vaddr);
    });
    return exits;
}

}  // namespace uscope::resolve
