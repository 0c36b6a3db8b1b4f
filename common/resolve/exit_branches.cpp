// Follows each path backwards from a return instruction to the last branch before it.
#include "resolve/exit_branches.h"

#include <algorithm>
#include <map>
#include <optional>

#include "insn/decode.h"
#include "insn/parts.h"
#include "unwind/frame_state.h"

namespace uscope::resolve {
namespace {

using insn::Flow;
using Node = FlowGraph::Node;

// The straight code after a branch is short: what it takes is not part of the measured latency.
constexpr size_t max_straight = 48;
// A branch that does not lead to the return costs a trap for nothing. A call passes at most this
// many of them; a single-stepped return costs more than as many traps.
constexpr unsigned max_idle = 5;

struct Edge {
    size_t from;    // the branch
    size_t target;  // the instruction to which it leads
    bool is_taken;
    auto operator<=>(const Edge &) const = default;
};

// The branches through which all paths to one return instruction lead.
struct Return {
    uint64_t vaddr;
    std::set<Edge> edges;
    std::set<size_t> straight;  // the instructions after these branches
};

// What straight code from a branch to a return does.
struct Straight {
    bool by_frame_pointer = false;
    int32_t offset = 0;
    insn::ReturnedValue value;
};

// Does FrameState know what the instruction does to %rsp and %rbp?
bool is_followed(const insn::Parts &parts)
{
    constexpr uint16_t pointers = 1 << unwind::rsp | 1 << unwind::rbp;
    if (!(insn::written_registers(parts) & pointers))
        return true;
    if (!parts.is_legacy(0) || parts.size_prefix || parts.idle_rex)
        return false;
    switch (parts.opcode) {
    case 0x31:
    case 0x33:
    case 0x50 ... 0x5f:
    case 0x68:
    case 0x6a:
    case 0x81:
    case 0x83:
    case 0x89:
    case 0x8b:
    case 0x8d:
    case 0xb8 ... 0xbf:
    case 0xc9:
    case 0xff:
        return true;
    default:
        return false;
    }
}

// Follows straight code from this node to a return instruction. Returns nullopt if the code leads
// elsewhere, does something unknown to the stack pointer, or writes memory although the probe reads
// it.
std::optional<Straight> straight_from(const std::vector<Node> &nodes, size_t node,
                                      spec::BranchUse use)
{
    unwind::FrameState frame;
    insn::ReturnedValueState value;
    uint64_t next = nodes[node].vaddr;
    for (size_t passed = 0;; passed++, node++) {
        if (passed > max_straight || node == nodes.size() || nodes[node].vaddr != next)
            return std::nullopt;
        const auto &[vaddr, code, step] = nodes[node];
        if (step.flow == Flow::Return)
            break;
        auto parts = insn::take_apart(code);
        if (step.flow != Flow::Next || !parts || !is_followed(*parts) ||
            (use.needs_memory && insn::may_write_memory(*parts, code)) ||
            !frame.execute(code, *parts))
            return std::nullopt;
        value.execute(*parts, code);
        next = vaddr + step.length;
    }
    if (!frame.sp.is_address())
        return std::nullopt;
    return Straight{frame.sp.from == unwind::Value::From::Fp, int32_t(frame.sp.offset),
                    value.value()};
}

std::optional<size_t> index_of(const std::vector<Node> &nodes, uint64_t vaddr)
{
    auto at = std::lower_bound(nodes.begin(), nodes.end(), vaddr,
                               [](const Node &node, uint64_t to) { return node.vaddr < to; });
    if (at == nodes.end() || at->vaddr != vaddr)
        return std::nullopt;
    return at - nodes.begin();
}

// Does the instruction read the stack protector's value, %fs:0x28, to compare it?
bool reads_stack_guard(Bytes code)
{
    constexpr uint8_t fs = 0x64, sub = 0x2b, exclusive_or = 0x33, cmp = 0x3b, mov = 0x8b;
    constexpr uint8_t only_displacement = 0x25;
    constexpr int32_t guard = 0x28;
    uint8_t opcode = code.read<uint8_t>(2).value_or(0);
    return code.read<uint8_t>(0) == fs && (code.read<uint8_t>(1).value_or(0) & 0xf8) == 0x48 &&
           (opcode == sub || opcode == exclusive_or || opcode == cmp || opcode == mov) &&
           code.read<uint8_t>(4) == only_displacement && code.read<int32_t>(5) == guard;
}

class BranchFinder {
  public:
    BranchFinder(const FlowGraph &graph, const IsClosed &is_closed)
        : graph_(graph), nodes_(graph.nodes), is_closed_(is_closed)
    {
    }

    BranchExits run(spec::BranchUse use)
    {
        connect();
        for (size_t node = 0; node < nodes_.size(); node++) {
            if (nodes_[node].step.flow != Flow::Return)
                continue;
            if (auto to = paths_to(node))
                returns_.push_back(std::move(*to));
        }
        if (returns_.empty())
            return {};
        find_loops();
        std::erase_if(returns_, [this](const Return &to) {
            bool is_any_in_loop =
                std::any_of(to.edges.begin(), to.edges.end(), [this](const Edge &edge) {
                    return in_loop_[edge.from] && !is_stack_check(edge.from);
                });
            return is_any_in_loop || !is_closed(to.straight);
        });
        BranchExits exits = collect(use);
        while (most_idle(exits) > max_idle) {
            drop_largest();
            exits = collect(use);
        }
        return exits;
    }

  private:
    static bool continues(Flow flow)
    {
        return flow == Flow::Next || flow == Flow::Branch || flow == Flow::Call ||
               flow == Flow::SystemCall;
    }

    void connect()
    {
        next_.resize(nodes_.size());
        target_.resize(nodes_.size());
        before_.resize(nodes_.size());
        for (size_t i = 0; i < nodes_.size(); i++) {
            const auto &[vaddr, code, step] = nodes_[i];
            if (continues(step.flow))
                next_[i] = index_of(nodes_, vaddr + step.length);
            if (step.flow == Flow::Jump || step.flow == Flow::Branch)
                target_[i] = index_of(nodes_, vaddr + step.target);
            if (next_[i])
                before_[*next_[i]].push_back({i, *next_[i], false});
            if (target_[i])
                before_[*target_[i]].push_back({i, *target_[i], true});
        }
    }

    // Is it the branch after the stack protector's check? One of its ways leads to a call that
    // never returns, so that it is in no loop, although other code may follow that call.
    bool is_stack_check(size_t node) const
    {
        for (size_t back = 1; back <= 2 && back <= node; back++) {
            if (reads_stack_guard(nodes_[node - back].code))
                return true;
        }
        return false;
    }

    bool can_be_exit(size_t node) const
    {
        auto instruction = insn::decode(nodes_[node].code);
        return instruction && instruction->kind == insn::Kind::JumpRelative &&
               insn::is_emulated(*instruction) && nodes_[node].step.can_probe;
    }

    // The last branches of all paths to the return instruction; nullopt if a path has none, a call
    // follows the branch, or the way in is unknown.
    std::optional<Return> paths_to(size_t node) const
    {
        Return to = {nodes_[node].vaddr, {}, {node}};
        std::vector<size_t> waiting = {node};
        while (!waiting.empty()) {
            size_t node = waiting.back();
            waiting.pop_back();
            uint64_t vaddr = nodes_[node].vaddr;
            if (vaddr == graph_.entry || graph_.indirect.count(vaddr) || before_[node].empty())
                return std::nullopt;
            for (const Edge &edge : before_[node]) {
                Flow flow = nodes_[edge.from].step.flow;
                if (flow == Flow::Jump || flow == Flow::Branch) {
                    if (!can_be_exit(edge.from))
                        return std::nullopt;
                    to.edges.insert(edge);
                } else if (flow != Flow::Next || to.straight.size() > max_straight) {
                    return std::nullopt;
                } else if (to.straight.insert(edge.from).second) {
                    waiting.push_back(edge.from);
                }
            }
        }
        return to;
    }

    // Do only the function's own branches lead into the straight code?
    bool is_closed(const std::set<size_t> &straight) const
    {
        for (auto at = straight.begin(); at != straight.end();) {
            size_t first = *at, last = first, own_near = 0;
            for (; at != straight.end() && *at <= last + 1; ++at) {
                last = *at;
                for (const Edge &edge : before_[*at])
                    own_near += edge.is_taken && nodes_[edge.from].step.length >= 5;
            }
            if (!is_closed_(nodes_[first].vaddr, nodes_[last].vaddr, own_near))
                return false;
        }
        return true;
    }

    // Tarjan's algorithm: numbers the strongly connected components, the last ones first.
    void find_loops()
    {
        struct Visit {
            size_t node;
            unsigned step;
        };
        constexpr size_t none = SIZE_MAX;
        std::vector<size_t> order(nodes_.size(), none), low(nodes_.size()), open;
        std::vector<bool> is_open(nodes_.size());
        in_loop_.resize(nodes_.size());
        finished_.reserve(nodes_.size());
        size_t count = 0;
        for (size_t root = 0; root < nodes_.size(); root++) {
            std::vector<Visit> visits;
            auto enter = [&](size_t node) {
                order[node] = low[node] = count++;
                open.push_back(node);
                is_open[node] = true;
                visits.push_back({node, 0});
            };
            if (order[root] == none)
                enter(root);
            while (!visits.empty()) {
                auto &[node, step] = visits.back();
                if (step < 2) {
                    auto to = step++ == 0 ? next_[node] : target_[node];
                    if (to && *to == node)
                        in_loop_[node] = true;
                    if (to && order[*to] == none)
                        enter(*to);
                    else if (to && is_open[*to])
                        low[node] = std::min(low[node], order[*to]);
                    continue;
                }
                size_t done = node;
                visits.pop_back();
                if (!visits.empty())
                    low[visits.back().node] = std::min(low[visits.back().node], low[done]);
                if (low[done] == order[done])
                    close_component(done, open, is_open);
            }
        }
    }

    void close_component(size_t root, std::vector<size_t> &open, std::vector<bool> &is_open)
    {
        bool is_loop = open.back() != root;
        while (true) {
            size_t node = open.back();
            open.pop_back();
            is_open[node] = false;
            in_loop_[node] = in_loop_[node] || is_loop;
            finished_.push_back(node);
            if (node == root)
                return;
        }
    }

    // The branches of all returns whose straight code is understood.
    BranchExits collect(spec::BranchUse use)
    {
        std::map<uint64_t, ExitBranch> branches;
        BranchExits exits;
        for (const Return &to : returns_) {
            std::map<uint64_t, ExitBranch> with = branches;
            bool is_complete = std::all_of(to.edges.begin(), to.edges.end(),
                                           [&](const Edge &edge) { return add(edge, use, with); });
            if (!is_complete)
                continue;
            branches = std::move(with);
            exits.replaced.insert(to.vaddr);
        }
        for (auto &[vaddr, branch] : branches)
            exits.branches.push_back(std::move(branch));
        return exits;
    }

    bool add(const Edge &edge, spec::BranchUse use, std::map<uint64_t, ExitBranch> &branches) const
    {
        auto straight = straight_from(nodes_, edge.target, use);
        if (!straight || (use.needs_value && !straight->value.is_known()))
            return false;
        const Node &node = nodes_[edge.from];
        auto [at, is_new] = branches.try_emplace(node.vaddr);
        ExitBranch &branch = at->second;
        if (is_new) {
            branch.vaddr = node.vaddr;
            branch.by_frame_pointer = straight->by_frame_pointer;
            branch.offset = straight->offset;
            if (node.step.flow == Flow::Branch)
                branch.condition = condition_of(node.code);
        }
        if (branch.by_frame_pointer != straight->by_frame_pointer ||
            branch.offset != straight->offset)
            return false;
        ExitBranch::Way &way = edge.is_taken ? branch.taken : branch.not_taken;
        way = {true, straight->value};
        return true;
    }

    static uint8_t condition_of(Bytes code)
    {
        auto parts = insn::take_apart(code);
        return parts ? parts->opcode & 15 : 0;
    }

    // The maximum number of branches that a call passes without being led to a return.
    unsigned most_idle(const BranchExits &exits) const
    {
        std::vector<unsigned> passed(nodes_.size());
        std::vector<bool> is_idle(nodes_.size());
        for (const ExitBranch &branch : exits.branches) {
            if (branch.condition != ExitBranch::always &&
                branch.taken.returns != branch.not_taken.returns)
                is_idle[*index_of(nodes_, branch.vaddr)] = true;
        }
        unsigned most = 0;
        for (size_t node : finished_) {  // what comes later in the code is finished earlier
            unsigned after = 0;
            for (auto to : {next_[node], target_[node]}) {
                if (to)
                    after = std::max(after, passed[*to]);
            }
            passed[node] = after + is_idle[node];
            most = std::max(most, passed[node]);
        }
        return most;
    }

    void drop_largest()
    {
        auto largest = std::max_element(
            returns_.begin(), returns_.end(),
            [](const Return &a, const Return &b) { return a.edges.size() < b.edges.size(); });
        returns_.erase(largest);
    }

    const FlowGraph &graph_;
    const std::vector<Node> &nodes_;
    const IsClosed &is_closed_;
    std::vector<std::optional<size_t>> next_, target_;
    std::vector<std::vector<Edge>> before_;
    std::vector<bool> in_loop_;
    std::vector<size_t> finished_;
    std::vector<Return> returns_;
};

}  // namespace

std::optional<ExitBranch> find_exit_at_entry(const FlowGraph &graph, uint64_t site,
                                             spec::BranchUse use)
{
    auto at = index_of(graph.nodes, site);
    if (!at || graph.nodes[*at].step.flow == Flow::Return)
        return std::nullopt;
    auto straight = straight_from(graph.nodes, *at, use);
    if (!straight || (use.needs_value && !straight->value.is_known()))
        return std::nullopt;
    return ExitBranch{.vaddr = site,
                      .by_frame_pointer = straight->by_frame_pointer,
                      .offset = straight->offset,
                      .taken = {true, straight->value}};
}

BranchExits find_exit_branches(const FlowGraph &graph, spec::BranchUse use,
                               const IsClosed &is_closed)
{
    return BranchFinder(graph, is_closed).run(use);
}

}  // namespace uscope::resolve
