// The frame of a program around its expressions: filter, call record, reservation, emission.
//
// A call's entry and its return meet in the map Calls under {u32 tgid, u32 probe, u64 stack
// pointer}. The stack pointer at the first instruction of a function is that of the moment after its
// return but for the return address, which x86-64 pops.
//
// Go moves goroutines between threads, and their stacks in memory when they grow. What stays is the
// goroutine (its `g`, in r14) and how deep the call is: the stack's upper end (g.stack.hi, 8 bytes
// into g) less the stack pointer, which behind the function's stack check and at its `ret` is the
// same. The key is {u32 tgid, u32 depth, u64 g | probe << 48}: a stack has at most 2 GB, so that
// the depth fits; it is not 0, while a g is no place on a stack, so that no other key equals it.
// Of a function that a goroutine is in once at most, the depth may be left out (it is 0): then a
// call's end may be seen elsewhere than at the function's return.
//
// A session program runs at both, and asks which it is. Its 8 bytes belong to the call: the time of
// the entry, or the only value that is wanted from there. It returns 1 from an entry that is not
// wanted; the kernel then leaves that call's return alone.
#include "expr/program.h"

#include <algorithm>
#include <cerrno>

#include "expr/plan.h"
#include "lib/event.h"
#include "lib/table.h"

namespace uscope::expr {
namespace {

// Of the 512 bytes that a program and the functions it calls share. What main leaves is for the
// emit function.
constexpr int main_stack = 352, entry_stack = 448;
// A call record up to this size is put together on the stack.
constexpr uint32_t most_stack_value = 128;

class Builder {
  public:
    Builder(const ProgramRequest &request, const Plan &plan, Slots placed)
        : request_(request), plan_(plan), generate_(out_, request, plan.saved, placed)
    {
    }

    void main()
    {
        out_.move(ctx_reg, r1);
        if (plan_.is_session) {
            session_entry();
            find_own_ids();
        } else {
            filter();
        }
        if (!request_.ask.empty())
            ask();
        if (plan_.call_bytes)
            find_call();
        const Expr *predicate = plan_.predicate.get();
        bool is_constant = predicate && predicate->op == Op::Constant;
        if (is_constant && predicate->number == 0) {  // its arguments are constants at this site
            forget_call();
        } else {
            if (predicate && !is_constant)
                generate_.require(*predicate, rejected_);
            if (request_.sink == Sink::Key)
                key();
            else
                records();
            if (predicate && !is_constant && plan_.call_bytes) {
                out_.jump(silent_);
                out_.bind(rejected_);
                forget_call();
            } else {
                out_.bind(rejected_);
            }
        }
        leave();
    }

    void entry()
    {
        out_.move(ctx_reg, r1);
        // A goroutine may return in another thread: only there it is known which one counts.
        filter(is_go_call() ? Filtered::Process : Filtered::Thread);
        ask_at_entry();
        call_key(0);
        if (std::max(plan_.call_bytes, request_.least_call_bytes) <= most_stack_value)
            save_from_stack();
        else
            save_in_map();
        leave();
    }

    Slots used_slots() const { return generate_.used_slots(); }

    Result<Program> finish(int most_stack)
    {
        if (generate_.deepest_stack() > most_stack && request_.sink == Sink::Key)
            return fail_at(request_.source, 0,
                           "these keys do not fit into the kernel's 512 bytes of stack: "
                           "shorten strings with -z, or one with str(pointer, length)");
        if (generate_.deepest_stack() > most_stack)
            return fail_at(request_.source, 0,
                           "the expressions need more than the kernel's 512 bytes of stack");
        Program program;
        TRY(out_.finish(program));
        program.call_bytes = plan_.call_bytes;
        program.reads_memory = generate_.reads_user_memory();
        return program;
    }

  private:
    using Place = Generator::Place;

    void leave()
    {
        out_.bind(silent_);
        out_.set(r0, plan_.is_session ? 1 : 0);
        out_.exit();
        generate_.finish();
    }

    // In a pid namespace of our own: processes outside it have no ids.
    void find_own_ids()
    {
        bool uses_ids = plan_.uses_ids || (plan_.call_bytes && !plan_.is_session);
        if (request_.filter.pidns_inode && uses_ids)
            generate_.ids(&silent_);
    }

    enum class Filtered { Process, Thread };

    // Cheapest first.
    void filter(Filtered by = Filtered::Thread)
    {
        const ProcessFilter &filter = request_.filter;
        if (!filter.tgids.empty() || filter.in_targets_map || filter.tid || filter.not_tgid)
            generate_.ids(&silent_);
        find_own_ids();
        if (!filter.tgids.empty() || filter.in_targets_map || filter.not_tgid)
            filter_process();
        if (by == Filtered::Thread)
            filter_thread();
    }

    void filter_thread()
    {
        const ProcessFilter &filter = request_.filter;
        if (filter.tid)
            require_equal(generate_.slot(Slot::Ids), *filter.tid);
        if (filter.uid) {
            generate_.owner();
            require_equal(generate_.slot(Slot::Owner), *filter.uid);
        }
        if (!filter.comms.empty())
            filter_comm();
        if (filter.in_cgroup) {
            out_.load_map(r1, MapSlot::Cgroup);
            out_.set(r2, 0);
            out_.call(BPF_FUNC_current_task_under_cgroup);
            out_.jump_imm(BPF_JNE, r0, 1, silent_);
        }
    }

    void filter_process()
    {
        const ProcessFilter &filter = request_.filter;
        out_.load(4, r1, frame_reg, generate_.slot(Slot::Ids) + 4);
        if (filter.not_tgid)
            out_.jump_imm(BPF_JEQ, r1, *filter.not_tgid, silent_);
        if (!filter.tgids.empty()) {
            Assembler::Label wanted = out_.label();
            for (size_t i = 0; i + 1 < filter.tgids.size(); i++)
                out_.jump_imm(BPF_JEQ, r1, filter.tgids[i], wanted);
            out_.jump_imm(BPF_JNE, r1, filter.tgids.back(), silent_);
            out_.bind(wanted);
        }
        if (filter.in_targets_map) {
            out_.store(4, frame_reg, generate_.slot(Slot::MapKey), r1);
            lookup(MapSlot::Targets, generate_.slot(Slot::MapKey));
            out_.jump_imm(BPF_JEQ, r0, 0, silent_);
        }
    }

    // A u32 on the stack.
    void require_equal(int16_t place, uint32_t wanted)
    {
        out_.load(4, r1, frame_reg, place);
        if (fits_immediate(wanted))
            return out_.jump_imm(BPF_JNE, r1, wanted, silent_);
        out_.set(r2, wanted);
        out_.jump(BPF_JNE, r1, r2, silent_);
    }

    void filter_comm()
    {
        generate_.comm();
        Assembler::Label wanted = out_.label();
        const auto &comms = request_.filter.comms;
        for (size_t i = 0; i < comms.size(); i++) {
            bool is_last = i + 1 == comms.size();
            Assembler::Label other = is_last ? silent_ : out_.label();
            char padded[16] = {};
            comms[i].copy(padded, sizeof(padded) - 1);
            for (int half = 0; half < 2; half++) {
                uint64_t bytes;
                memcpy(&bytes, padded + half * 8, sizeof(bytes));
                out_.load(8, r1, frame_reg, generate_.slot(Slot::Comm) + half * 8);
                out_.set(r2, bytes);
                out_.jump(BPF_JNE, r1, r2, other);
            }
            if (!is_last) {
                out_.jump(wanted);
                out_.bind(other);
            }
        }
        out_.bind(wanted);
    }

    void lookup(MapSlot map, int16_t key)
    {
        out_.load_map(r1, map);
        generate_.stack_address(r2, key);
        out_.call(BPF_FUNC_map_lookup_elem);
    }

    void call_key(int32_t stack_adjust)
    {
        generate_.ids();
        out_.load(4, r1, frame_reg, generate_.slot(Slot::Ids) + 4);
        out_.store(4, frame_reg, generate_.slot(Slot::CallKey), r1);
        if (is_go_call())
            return goroutine();
        out_.store_imm(4, frame_reg, generate_.slot(Slot::CallKey) + 4, request_.probe);
        load_register(r1, abi::stack_pointer(request_.scope->machine));
        out_.add(r1, static_cast<int64_t>(stack_adjust), r2);
        out_.store(8, frame_reg, generate_.slot(Slot::CallKey) + 8, r1);
    }

    void load_register(Reg dst, abi::Register reg)
    {
        out_.load(8, dst, ctx_reg, reg.pt_regs_offset);
    }

    bool is_go_call() const { return request_.call_key != CallKey::StackPointer; }

    // The rest of a call's key in Go.
    void goroutine()
    {
        abi::Register g = *abi::find_register(abi::Machine::X86_64, "r14");
        int16_t key = generate_.slot(Slot::CallKey);
        if (request_.call_key == CallKey::Goroutine)
            depth(g, key);
        else
            out_.store_imm(4, frame_reg, key + 4, 0);
        load_register(r1, g);
        out_.set(r2, static_cast<uint64_t>(request_.probe) << 48);
        out_.alu(BPF_OR, r1, r2);
        out_.store(8, frame_reg, key + 8, r1);
    }

    // Without a goroutine the event is lost, and counted as such.
    void depth(abi::Register g, int16_t key)
    {
        constexpr int32_t stack_hi = 8;  // in struct g, since Go 1.3
        Assembler::Label unknown = out_.label(), known = out_.label();
        generate_.stack_address(r1, key + 8);
        out_.set(r2, 8);
        load_register(r3, g);
        out_.alu_imm(BPF_ADD, r3, stack_hi);
        out_.call(BPF_FUNC_probe_read_user);
        out_.jump_imm(BPF_JNE, r0, 0, unknown);
        out_.load(8, r1, frame_reg, key + 8);
        load_register(r2, abi::stack_pointer(abi::Machine::X86_64));
        out_.alu(BPF_SUB, r1, r2);
        out_.store(4, frame_reg, key + 4, r1);
        out_.alu_imm(BPF_RSH, r1, 32);
        out_.jump_imm(BPF_JEQ, r1, 0, known);
        out_.bind(unknown);
        lose();
        out_.bind(known);
    }

    // Counts a lost event, and leaves.
    void lose()
    {
        emit_lost();
        out_.jump(silent_);
    }

    void call_kernel(uint32_t function)
    {
        if (request_.session->take_context)
            out_.move(r1, ctx_reg);
        out_.call_kernel(function);
    }

    void ask()
    {
        out_.move(r1, ctx_reg);
        out_.call(request_.ask);
        out_.jump_imm(BPF_JNE, r0, 0, silent_);
    }

    void ask_at_entry()
    {
        if (request_.asks_at_entry) {
            emit_without_key(TABLE_AT_ENTRY);
            out_.jump_imm(BPF_JNE, r0, 0, silent_);
        }
    }

    void emit_without_key(int64_t status)
    {
        out_.move(r1, ctx_reg);
        out_.load_map(r2, MapSlot::Table);
        out_.set(r3, 0);
        out_.set(r4, 0);
        out_.set(r5, status);
        out_.call(request_.emit);
    }

    // All that a session program does at entry; goes on behind it at return.
    void session_entry()
    {
        Assembler::Label at_return = out_.label();
        call_kernel(request_.session->is_return);
        out_.jump_imm(BPF_JNE, r0, 0, at_return);
        filter();
        ask_at_entry();
        if (!plan_.saved.empty()) {
            int16_t value = generate_.push(8);
            generate_.number(*plan_.saved[0].value, {frame_reg, value}, {});
            call_kernel(request_.session->cookie);
            out_.load(8, r1, frame_reg, value);
            out_.store(8, r0, 0, r1);
            generate_.pop(8);
        } else {  // the cookie first, so that what we do ourselves does not count
            call_kernel(request_.session->cookie);
            out_.move(saved_reg, r0);
            out_.call(BPF_FUNC_ktime_get_ns);
            out_.store(8, saved_reg, 0, r0);
        }
        out_.set(r0, 0);
        out_.exit();
        out_.bind(at_return);
        generate_.begin_again();
    }

    void find_call()
    {
        if (plan_.is_session) {
            call_kernel(request_.session->cookie);
            out_.move(saved_reg, r0);
            return take_latency();
        }
        bool popped = request_.call_key == CallKey::StackPointer &&
                      request_.scope->machine == abi::Machine::X86_64;
        call_key(popped ? -8 : 0);
        lookup(MapSlot::Calls, generate_.slot(Slot::CallKey));
        out_.jump_imm(BPF_JEQ, r0, 0, silent_);
        out_.move(saved_reg, r0);
        take_latency();
    }

    void take_latency()
    {
        if (!plan_.uses_latency)
            return;
        out_.call(BPF_FUNC_ktime_get_ns);
        out_.load(8, r1, saved_reg, 0);
        out_.alu(BPF_SUB, r0, r1);
        out_.store(8, frame_reg, generate_.slot(Slot::Latency), r0);
    }

    void forget_call()
    {
        if (!plan_.call_bytes || plan_.is_session)
            return;
        out_.load_map(r1, MapSlot::Calls);
        generate_.stack_address(r2, generate_.slot(Slot::CallKey));
        out_.call(BPF_FUNC_map_delete_elem);
    }

    void records()
    {
        for (size_t layout = 0; layout < plan_.layouts.size(); layout++)
            record(layout);
        out_.jump(silent_);
        out_.bind(lost_);
        forget_call();
        emit_lost();
    }

    // Reserves, fills and emits one layout; goes on behind it when a string does not fit.
    void record(size_t index)
    {
        const Program::Layout &layout = plan_.layouts[index];
        bool is_last = index + 1 == plan_.layouts.size();
        Assembler::Label too_long = out_.label();
        out_.load_map(r1, MapSlot::Events);
        out_.set(r2, layout.record_bytes);
        out_.set(r3, 0);
        out_.call(BPF_FUNC_ringbuf_reserve);
        out_.jump_imm(BPF_JEQ, r0, 0, lost_);
        out_.move(record_reg, r0);
        fill_all(layout, {record_reg, 0}, is_last ? nullptr : &too_long);

        forget_call();
        out_.move(r1, ctx_reg);
        out_.move(r2, record_reg);
        out_.set(r3, request_.probe | static_cast<uint64_t>(index) << 32);
        out_.call(request_.emit);
        if (is_last)
            return;
        out_.jump(silent_);
        out_.bind(too_long);
        out_.move(r1, record_reg);
        out_.set(r2, BPF_RB_NO_WAKEUP);
        out_.call(BPF_FUNC_ringbuf_discard);
    }

    void fill_all(const Program::Layout &layout, Place record, const Assembler::Label *too_long)
    {
        for (size_t i = 0; i < layout.fields.size(); i++) {
            const Field &field = layout.fields[i];
            fill(plan_.values[i], field, record, too_long);
            if (field.shape != Shape::Interface)
                continue;
            // Of a nil nothing is read; nor of what cannot be, which is 0, too.
            Assembler::Label nil = out_.label();
            generate_.load(8, r1,
                           {record.base, record.offset + static_cast<int32_t>(field.offset)});
            out_.jump_imm(BPF_JEQ, r1, 0, nil);
            for (size_t last = i + field.parts; i < last; i++)
                fill(plan_.values[i + 1], layout.fields[i + 1], record, too_long);
            out_.bind(nil);
        }
    }

    void fill(const PlannedValue &value, const Field &field, Place record,
              const Assembler::Label *too_long)
    {
        Place place = {record.base, record.offset + static_cast<int32_t>(field.offset)};
        Place status = {record.base, record.offset + static_cast<int32_t>(field.status_offset)};
        switch (field.shape) {
        case Shape::Integer:
        case Shape::Float:
        case Shape::Interface:
            return generate_.number(*value.expr, place, status);
        case Shape::String:
        case Shape::Bytes:
            return generate_.text(*value.expr, place, field.capacity, too_long);
        case Shape::Unknown:
            return;
        }
    }

    // The key and the measured value on the stack, then the C function that counts.
    void key()
    {
        const Program::Layout &layout = plan_.layouts[0];
        uint32_t key_bytes = plan_.values.empty() ? 0 : layout.record_bytes;
        int16_t measured = generate_.push(plan_.measured ? 16 : 0);
        int16_t key = generate_.push(key_bytes);
        for (uint32_t i = 0; i < key_bytes; i += 8)  // what equal keys do not set is equal, too
            out_.store_imm(8, frame_reg, key + i, 0);
        fill_all(layout, {frame_reg, key}, nullptr);
        bool can_fail = plan_.measured && plan_.measured->can_fail;
        if (plan_.measured)
            generate_.number(*plan_.measured, {frame_reg, measured}, {frame_reg, measured + 8});

        forget_call();
        out_.move(r1, ctx_reg);
        out_.load_map(r2, MapSlot::Table);
        if (key_bytes)
            generate_.stack_address(r3, key);
        else
            out_.set(r3, 0);
        if (plan_.measured)
            out_.load(8, r4, frame_reg, measured);
        else
            out_.set(r4, 0);
        if (request_.buckets)
            bucket(*request_.buckets, r4);
        if (can_fail) {
            out_.load(4, r5, frame_reg, measured + 8);
            out_.extend(r5, 4, true);
        } else {
            out_.set(r5, 0);
        }
        out_.call(request_.emit);
        generate_.pop(key_bytes);
        generate_.pop(plan_.measured ? 16 : 0);
    }

    // A value -> the number of its bucket; r0 and r5 are free.
    void bucket(const output::LinearScale &scale, Reg value)
    {
        bool is_signed = plan_.measured->type->is_signed;
        if (!is_signed && scale.max <= 0)
            return out_.set(value, scale.buckets() - 1);
        Assembler::Label below = out_.label(), above = out_.label(), done = out_.label();
        bool any_below = is_signed || scale.min > 0;
        if (any_below) {
            out_.set(r5, scale.min);
            out_.jump(is_signed ? BPF_JSLT : BPF_JLT, value, r5, below);
        }
        out_.set(r5, scale.max);
        out_.jump(is_signed ? BPF_JSGE : BPF_JGE, value, r5, above);
        out_.set(r5, scale.min);
        out_.alu(BPF_SUB, value, r5);
        out_.set(r5, scale.step);
        out_.alu(BPF_DIV, value, r5);
        out_.alu_imm(BPF_ADD, value, 1);
        out_.jump(done);
        if (any_below) {  // the kernel refuses what nothing reaches
            out_.bind(below);
            out_.set(value, 0);
            out_.jump(done);
        }
        out_.bind(above);
        out_.set(value, scale.buckets() - 1);
        out_.bind(done);
    }

    void save(Place value)
    {
        for (const SavedItem &item : plan_.saved) {
            Place place = {value.base, value.offset + static_cast<int32_t>(item.offset)};
            Place status = {value.base, value.offset + static_cast<int32_t>(item.status_offset)};
            if (item.value->op == Op::Text)
                generate_.text(*item.value, place, item.capacity, nullptr);
            else
                generate_.number(*item.value, place, status);
        }
        // Last, so that what we do ourselves does not count.
        out_.call(BPF_FUNC_ktime_get_ns);
        generate_.store(8, value, r0, r1);
    }

    void update_call()
    {
        out_.load_map(r1, MapSlot::Calls);
        generate_.stack_address(r2, generate_.slot(Slot::CallKey));
        out_.set(r4, BPF_ANY);
        out_.call(BPF_FUNC_map_update_elem);
        // Full: the return's event is lost, and counted as such.
        Assembler::Label saved = out_.label();
        out_.jump_imm(BPF_JEQ, r0, 0, saved);
        lose();
        out_.bind(saved);
    }

    void emit_lost()
    {
        if (request_.sink == Sink::Key)
            return emit_without_key(-ENOSPC);
        out_.move(r1, ctx_reg);
        out_.set(r2, 0);
        out_.set(r3, EVENT_LOST);
        out_.call(request_.emit);
    }

    void save_from_stack()
    {
        // The kernel copies whole values of the map: all of it has to be initialised.
        uint32_t bytes = std::max(plan_.call_bytes, request_.least_call_bytes);
        int16_t value = generate_.push(bytes);
        for (uint32_t i = 0; i < bytes; i += 8)
            out_.store_imm(8, frame_reg, value + i, 0);
        save({frame_reg, value});
        generate_.stack_address(r3, value);
        update_call();
        generate_.pop(bytes);
    }

    // Too large for the stack: an empty value is inserted, and then filled in its place.
    void save_in_map()
    {
        out_.store_imm(4, frame_reg, generate_.slot(Slot::MapKey), 0);
        lookup(MapSlot::CallZero, generate_.slot(Slot::MapKey));
        out_.jump_imm(BPF_JEQ, r0, 0, silent_);
        out_.move(r3, r0);
        update_call();
        lookup(MapSlot::Calls, generate_.slot(Slot::CallKey));
        out_.jump_imm(BPF_JEQ, r0, 0, silent_);
        out_.move(record_reg, r0);
        save({record_reg, 0});
    }

    const ProgramRequest &request_;
    const Plan &plan_;
    Assembler out_;
    Generator generate_;
    // Not wanted: leave; not wanted, but there is a call record to delete.
    Assembler::Label silent_ = out_.label(), rejected_ = out_.label();
    Assembler::Label lost_ = out_.label();  // no place for a record
};

// Twice: see codegen.h.
Result<Program> generate(const ProgramRequest &request, const Plan &plan, void (Builder::*part)(),
                         int most_stack)
{
    Builder first(request, plan, 0);
    (first.*part)();
    Builder second(request, plan, first.used_slots());
    (second.*part)();
    return second.finish(most_stack);
}

}  // namespace

Result<Program> compile(const ProgramRequest &request)
{
    Plan plan = TRY(make_plan(request));
    Program program = TRY(generate(request, plan, &Builder::main, main_stack));
    program.layouts = std::move(plan.layouts);
    program.is_session = plan.is_session;
    return program;
}

Result<std::optional<Program>> compile_entry(const ProgramRequest &request)
{
    Plan plan = TRY(make_plan(request));
    if (!plan.call_bytes || plan.is_session)
        return std::optional<Program>();
    return std::optional(TRY(generate(request, plan, &Builder::entry, entry_stack)));
}

}  // namespace uscope::expr
