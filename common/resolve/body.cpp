// Walks a function's code piece by piece (a piece is a contiguous range of code).
#include "resolve/body.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "insn/flow.h"

namespace uscope::resolve {
namespace {

using insn::Flow;

// Larger pieces of code are not read: following them would dominate the run time.
constexpr uint64_t max_code = 4 << 20;

class BodyWalk {
  public:
    BodyWalk(const elf::Image &image, const elf::Frames &frames, const JumpTables &tables,
             const elf::OwnLinks &links, bool with_graph)
        : image_(image),
          frames_(frames),
          tables_(tables),
          links_(links),
          machine_(abi::machine_of(image.machine()).value_or(abi::host_machine)),
          with_graph_(with_graph && machine_ == abi::Machine::X86_64)
    {
    }

    Result<FunctionBody> run(uint64_t start, uint64_t size)
    {
        start_ = start;
        if (!frames_.at(start) && size == 0)
            return fail("has no known size");
        own_size_ = size;
        TRY(visit(start));
        TRY(walk());
        if (jumps_by_table_ || jumps_by_address_) {
            TRY(visit_tables());
            TRY(check_unvisited());
        }
        std::sort(body_.returns.begin(), body_.returns.end());
        finish_graph();
        return std::move(body_);
    }

  private:
    enum class Byte : uint8_t { Unknown, Start, Inside };
    struct Piece {  // contiguous code
        uint64_t start = 0;
        Bytes code;
        std::vector<Byte> bytes;
        bool has_table = false;  // one of its jumps uses a table, or a table leads into it
        uint64_t end() const { return start + code.size(); }
    };

    Error at(uint64_t vaddr, std::string_view what) const
    {
        return {fmt::format("{} at {}{:#x}", what, vaddr < start_ ? "-" : "+",
                            vaddr < start_ ? start_ - vaddr : vaddr - start_)};
    }

    Piece *known_piece_of(uint64_t vaddr)
    {
        auto next = pieces_.upper_bound(vaddr);
        if (next == pieces_.begin())
            return nullptr;
        Piece &piece = std::prev(next)->second;
        return vaddr < piece.end() ? &piece : nullptr;
    }

    // Returns the piece of this function's code that contains `vaddr`; null if another function
    // starts at `vaddr`, or nothing is known about that address.
    Piece *piece_of(uint64_t vaddr)
    {
        if (Piece *piece = known_piece_of(vaddr))
            return piece;
        uint64_t from = start_, to = start_ + own_size_;
        if (auto frame = frames_.at(vaddr)) {
            if (frame->start == vaddr && frame->is_called && vaddr != start_)
                return nullptr;
            from = frame->start;
            to = frame->end;
        } else if (vaddr < from || vaddr >= to) {
            return nullptr;
        }
        if (to - from > max_code || !image_.is_executable(from))
            return nullptr;
        auto code = image_.bytes_at(from, to - from);
        if (!code)
            return nullptr;
        add_landing_pads(from);
        return &(pieces_[from] = Piece{from, *code, std::vector<Byte>(code->size()), false});
    }

    void add_landing_pads(uint64_t piece)
    {
        auto pads = frames_.landing_pads(piece);
        body_.may_leave_unseen |= !pads;
        if (pads) {
            waiting_.insert(waiting_.end(), pads->begin(), pads->end());
            body_.graph.indirect.insert(pads->begin(), pads->end());
        }
    }

    // Follows the code at `vaddr`, which the function reaches by a jump, a table or an exception,
    // not from the instruction before it.
    Result<> visit(uint64_t vaddr)
    {
        Piece *piece = piece_of(vaddr);
        if (!piece)
            return Failure(at(vaddr, "has code that is not in the file"));
        Byte &byte = piece->bytes[vaddr - piece->start];
        if (byte == Byte::Inside)
            return Failure(at(vaddr, "jumps into the middle of an instruction"));
        if (byte == Byte::Unknown)
            TRY(run_from(*piece, vaddr));
        return {};
    }

    Result<> walk()
    {
        do {
            while (!waiting_.empty()) {
                uint64_t vaddr = waiting_.back();
                waiting_.pop_back();
                TRY(visit(vaddr));
            }
            reclaim_moved_parts();
        } while (!waiting_.empty());
        return {};
    }

    // A moved part of this function that keeps nothing on the stack looks like another function in
    // .eh_frame, so a jump to it looked like a tail call. If this function also jumps into the
    // middle of it, it is a moved part: follow it.
    void reclaim_moved_parts()
    {
        std::erase_if(body_.tail_calls, [this](const FunctionBody::TailCall &call) {
            if (!known_piece_of(call.target))
                return false;
            waiting_.push_back(call.target);
            return true;
        });
    }

    // Follows instructions until control flow leads elsewhere. The code after a call may be
    // unreachable, because the call may not return; so the piece may also end after a call and
    // padding.
    Result<> run_from(Piece &piece, uint64_t from)
    {
        bool may_end = false;
        for (uint64_t vaddr = from; vaddr < piece.end();) {
            uint64_t offset = vaddr - piece.start;
            if (piece.bytes[offset] == Byte::Start)
                return {};
            auto step = insn::step(machine_, piece.code.from(offset));
            if (!step)
                return Failure(at(vaddr, "has an instruction that cannot be decoded"));
            for (unsigned i = 0; i < step->length; i++) {
                Byte &byte = piece.bytes[offset + i];
                if (byte != Byte::Unknown)
                    return Failure(at(vaddr, "has instructions that overlap"));
                byte = i == 0 ? Byte::Start : Byte::Inside;
            }
            if (with_graph_)
                body_.graph.nodes.push_back({vaddr, piece.code.from(offset), *step});
            note_address(piece.code.from(offset), vaddr);
            if (TRY(leads_away(piece, from, vaddr, *step)))
                return {};
            may_end &= insn::is_padding(machine_, piece.code.from(offset));
            may_end |= step->flow == Flow::Call;
            vaddr += step->length;
        }
        if (may_end)
            return {};
        return Failure(at(piece.end(), "continues past its end"));
    }

    void note_address(Bytes code, uint64_t vaddr)
    {
        if (auto named = insn::named_address(machine_, code))
            addresses_.insert(named->value + (named->is_relative ? vaddr : 0));
    }

    // Notes where the instruction at `vaddr` leads. Returns true if execution never continues at
    // the next instruction. `from`: where this straight run of instructions started.
    Result<bool> leads_away(Piece &piece, uint64_t from, uint64_t vaddr, const insn::Step &step)
    {
        switch (step.flow) {
        case Flow::Next:
            return false;
        case Flow::Call:
        case Flow::SystemCall:
            body_.calls = true;
            return false;
        case Flow::Stop:
            return true;
        case Flow::Return:
            if (!step.can_probe)
                return Failure(at(vaddr, "has a return instruction that cannot be probed"));
            body_.returns.push_back(vaddr);
            return true;
        case Flow::Jump:
        case Flow::Branch:
            jump(vaddr, vaddr + step.target, step);
            return step.flow == Flow::Jump;
        case Flow::JumpIndirect:
            jump_indirectly(piece, from, vaddr, step);
            return true;
        }
        return true;
    }

    void jump(uint64_t vaddr, uint64_t target, const insn::Step &step)
    {
        auto own = links_.target(target);
        if (!own && piece_of(target))
            waiting_.push_back(target);
        else
            call_by_jump(vaddr, own.value_or(target), step);
    }

    void call_by_jump(uint64_t vaddr, uint64_t target, const insn::Step &step)
    {
        body_.tail_calls.push_back({vaddr, target, step.flow != Flow::Branch, step.can_probe});
    }

    void jump_indirectly(Piece &piece, uint64_t from, uint64_t vaddr, const insn::Step &step)
    {
        if (auto own = links_.target(vaddr))
            return call_by_jump(vaddr, *own, step);
        auto kind =
            insn::indirect_kind(machine_, piece.code, from - piece.start, vaddr - piece.start);
        if (kind != insn::IndirectKind::Table && frames_.keeps_frame(vaddr))
            kind = insn::IndirectKind::Table;  // a computed goto: the function still has its frame
        if (kind != insn::IndirectKind::Address)
            piece.has_table = jumps_by_table_ = true;
        else if (step.can_probe)
            body_.tail_jumps.push_back(vaddr);
        jumps_by_address_ |= kind != insn::IndirectKind::Table;
        body_.may_leave_unseen |= kind == insn::IndirectKind::Unknown ||
                                  (kind == insn::IndirectKind::Address && !step.can_probe);
    }

    // Can a jump table lead to `vaddr`? It can lead into known code of this function, or to a moved
    // part of the function. (In .eh_frame, a moved part that keeps nothing on the stack looks like
    // a function.)
    bool may_be_target(uint64_t vaddr)
    {
        if (known_piece_of(vaddr))
            return true;
        auto frame = frames_.at(vaddr);
        return frame && (frame->start == vaddr || !frame->is_called);
    }

    // Follows the targets of all tables until there are no new ones: the code to which one table
    // leads may name another table.
    Result<> visit_tables()
    {
        auto may_be = [this](uint64_t vaddr) { return may_be_target(vaddr); };
        size_t named = 0;
        bool is_new = true;
        while (is_new || addresses_.size() > named) {
            JumpTables::Addresses tables = addresses_;
            named = tables.size();
            std::set<uint64_t> targets;
            for (uint64_t table : tables) {
                if (known_piece_of(table))
                    continue;
                add_targets(tables_.distances(table, tables, may_be), targets);
                size_t labels = add_targets(tables_.addresses(table, tables, may_be), targets);
                if (labels > 1 && jumps_by_address_)  // the jump may lead to one of these labels
                    jumps_by_table_ = body_.may_leave_unseen = true;
            }
            is_new = TRY(visit_agreeing(targets));
        }
        return {};
    }

    // Adds a table's entries up to the last one that is certainly in this function. Returns the
    // number of entries added.
    size_t add_targets(const std::vector<uint64_t> &entries, std::set<uint64_t> &targets)
    {
        auto last = std::find_if(entries.rbegin(), entries.rend(),
                                 [this](uint64_t entry) { return known_piece_of(entry); });
        targets.insert(entries.begin(), last.base());
        return last.base() - entries.begin();
    }

    // Visits those targets of tables with which the code agrees: if the unvisited bytes are decoded
    // one instruction after the other, an instruction starts there. Returns true if one of these
    // targets is new.
    Result<bool> visit_agreeing(const std::set<uint64_t> &targets)
    {
        body_.graph.indirect.insert(targets.begin(), targets.end());
        for (uint64_t target : targets) {
            if (Piece *piece = piece_of(target))
                piece->has_table |= jumps_by_table_;
            else if (jumps_by_table_ && agreeing_.insert(target).second)
                body_.tail_calls.push_back({target, target, false, false});
        }
        bool is_new = false;
        for (auto &[from, piece] : pieces_) {
            for (uint64_t start : unvisited_starts(piece)) {
                if (!targets.count(start) || !agreeing_.insert(start).second)
                    continue;
                is_new = true;
                waiting_.push_back(start);
            }
        }
        TRY(walk());
        return is_new;
    }

    void finish_graph()
    {
        FlowGraph &graph = body_.graph;
        if (!with_graph_ || body_.may_leave_unseen) {
            graph = {};
            return;
        }
        graph.entry = start_;
        graph.indirect.insert(addresses_.begin(), addresses_.end());
        auto before = [](const auto &a, const auto &b) { return a.vaddr < b.vaddr; };
        std::sort(graph.nodes.begin(), graph.nodes.end(), before);
        for (const auto &[from, piece] : pieces_) {
            if (is_visited(piece))
                continue;
            for (const FlowGraph::Node &node : graph.nodes) {
                if (node.vaddr >= from && node.vaddr < piece.end())
                    graph.indirect.insert(node.vaddr);
            }
        }
    }

    // Returns where instructions start in the unvisited bytes, if these are code.
    std::vector<uint64_t> unvisited_starts(const Piece &piece) const
    {
        std::vector<uint64_t> starts;
        for (uint64_t offset = 0; offset < piece.code.size();) {
            if (piece.bytes[offset] != Byte::Unknown) {
                offset++;
                continue;
            }
            starts.push_back(piece.start + offset);
            auto step = insn::step(machine_, piece.code.from(offset));
            offset += step ? step->length : 1;
        }
        return starts;
    }

    // Is all of the piece this function's code? The moved part of another function may jump back
    // into the middle of that function. Other instructions of that function also lead there.
    bool is_visited(const Piece &piece) const
    {
        auto starts = unvisited_starts(piece);
        return std::all_of(starts.begin(), starts.end(), [&](uint64_t vaddr) {
            return insn::is_padding(machine_, piece.code.from(vaddr - piece.start));
        });
    }

    // Fails if the unvisited bytes, read as code, would leave the function: either a table was not
    // found, or the bytes are not code.
    Result<> check_unvisited() const
    {
        for (const auto &[from, piece] : pieces_) {
            if (!piece.has_table)
                continue;
            for (uint64_t vaddr : unvisited_starts(piece)) {
                auto step = insn::step(machine_, piece.code.from(vaddr - from));
                if (!step || may_leave(vaddr, *step))
                    return Failure(at(vaddr, "has bytes that may be code or data"));
            }
        }
        return {};
    }

    bool may_leave(uint64_t vaddr, const insn::Step &step) const
    {
        if (step.flow == Flow::Return || step.flow == Flow::JumpIndirect)
            return true;
        if (step.flow != Flow::Jump && step.flow != Flow::Branch)
            return false;
        auto next = pieces_.upper_bound(vaddr + step.target);
        return next == pieces_.begin() || vaddr + step.target >= std::prev(next)->second.end();
    }

    const elf::Image &image_;
    const elf::Frames &frames_;
    const JumpTables &tables_;
    const elf::OwnLinks &links_;
    abi::Machine machine_;
    bool with_graph_;
    uint64_t start_ = 0, own_size_ = 0;
    std::map<uint64_t, Piece> pieces_;
    std::vector<uint64_t> waiting_;
    std::set<uint64_t> agreeing_;   // targets of tables that were followed
    std::set<uint64_t> addresses_;  // addresses in the function's instructions, perhaps of tables
    bool jumps_by_table_ = false, jumps_by_address_ = false;
    FunctionBody body_;
};

}  // namespace

Result<FunctionBody> read_body(const elf::Image &image, const elf::Frames &frames,
                               const JumpTables &tables, const elf::OwnLinks &links, uint64_t start,
                               uint64_t size, bool with_graph)
{
    return BodyWalk(image, frames, tables, links, with_graph).run(start, size);
}

}  // namespace uscope::resolve
