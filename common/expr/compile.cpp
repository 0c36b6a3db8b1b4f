// Generates the outer structure of a program: the order of its steps, and the filters by process
// and thread.
#include "expr/compile.h"

#include <cstring>

#include "bpf/lib/table.h"
#include "expr/builder.h"

namespace uscope::expr {
namespace {

// How many bytes of stack a main and an entry program may use themselves. A program shares 512
// bytes with the functions that it calls; the main leaves the rest to the emit function.
constexpr int main_stack = 352, entry_stack = 448;

}  // namespace

void Builder::main()
{
    bool forgets_others = is_at_exits() && plan_.call_bytes && filters_threads();
    if (forgets_others)
        other_thread_ = out_.label();
    out_.move(ctx_reg, r1);
    if (request_.calls.at_branches)
        find_exit();
    if (plan_.is_session) {
        session_entry();
        find_own_ids();
    } else {
        filter();
    }
    if (plan_.condition)
        generate_.require(*plan_.condition, silent_);
    if (!request_.event_output.check_function.empty())
        call_check();
    if (plan_.call_bytes)
        find_call();
    const Expr *predicate = plan_.predicate.get();
    bool is_constant = predicate && predicate->op == Op::Constant;
    bool may_reject = (predicate && !is_constant) || samples();
    if (is_constant &&
        predicate->number == 0) {  // always false at this site: a USDT argument may be constant
        forget_call();
    } else {
        if (predicate && !is_constant)
            generate_.require(*predicate, rejected_);
        choose();
        if (request_.event_output.kind == OutputKind::Key)
            key();
        else
            records();
        if (may_reject && plan_.call_bytes) {
            out_.jump(silent_);
            out_.bind(rejected_);
            forget_call();
        } else {
            out_.bind(rejected_);
        }
    }
    if (forgets_others)
        forget_call_of_other_thread();
    leave();
}

// Deletes the record of a call whose thread does not pass the filter. The entry program has saved
// it, because it does not check the thread. If the record stayed, a later call would count it as an
// abandoned call.
void Builder::forget_call_of_other_thread()
{
    out_.jump(silent_);
    out_.bind(other_thread_);
    generate_.begin_again();
    call_key(0);
    delete_call();
}

void Builder::forget()
{
    out_.move(ctx_reg, r1);
    filter(Filtered::Process);
    find_call();
    count(calls_tail_called);
    forget_call();
    leave();
}

void Builder::entry()
{
    out_.move(ctx_reg, r1);
    // A goroutine or coroutine may return in another thread, so only the return program checks the
    // thread.
    filter(is_at_exits() ? Filtered::Process : Filtered::Thread);
    if (plan_.goroutine)
        leave_to_next_try();
    ask_at_entry();
    call_key(0);
    save_call();
    leave();
}

Result<Program> Builder::finish(int max_stack)
{
    if (generate_.deepest_stack() > max_stack && request_.event_output.kind == OutputKind::Key)
        return fail_at(request_.source, 0,
                       "these keys do not fit into the kernel's 512 bytes of stack: "
                       "shorten strings with -z, or one with str(pointer, length)");
    if (generate_.deepest_stack() > max_stack)
        return fail_at(request_.source, 0,
                       "the expressions need more than the kernel's 512 bytes of stack");
    Program program;
    TRY(out_.finish(program));
    program.call_bytes = plan_.call_bytes;
    program.reads_memory = generate_.reads_user_memory();
    return program;
}

void Builder::leave()
{
    out_.bind(silent_);
    out_.set(r0, plan_.is_session ? 1 : 0);
    out_.exit();
    generate_.finish();
}

// When uscope runs in a pid namespace of its own, leaves for processes outside that namespace,
// because they have no ids in it.
void Builder::find_own_ids()
{
    bool uses_ids = plan_.uses_ids || (plan_.call_bytes && !plan_.is_session);
    if (request_.filter.pidns_inode && uses_ids)
        generate_.ids(&silent_);
}

void Builder::call_check()
{
    int16_t measured = generate_.push(measured_bytes());
    fill_measured(measured);
    out_.move(r1, ctx_reg);
    load_measured(measured, r2, r3);
    out_.call(request_.event_output.check_function);
    generate_.pop(measured_bytes());
    out_.jump_imm(BPF_JNE, r0, 0, silent_);
}

// Leaves if the event is not one of the sample.
void Builder::choose()
{
    if (request_.sampled.chance) {
        out_.call(BPF_FUNC_get_prandom_u32);
        out_.set(r1, request_.sampled.chance);
        out_.jump(BPF_JGE, r0, r1, rejected_);
    } else if (request_.sampled.every) {
        choose_every(request_.sampled.every);
    }
}

// Programs that interrupt one another may count one number twice.
void Builder::choose_every(uint32_t number)
{
    auto left_out = out_.label(), chosen = out_.label();
    out_.store_imm(4, frame_reg, generate_.slot(Slot::MapKey), int32_t(request_.probe));
    lookup(MapSlot::Sampled, generate_.slot(Slot::MapKey));
    out_.jump_imm(BPF_JEQ, r0, 0, rejected_);
    out_.load(8, r1, r0, 0);
    out_.alu_imm(BPF_ADD, r1, 1);
    out_.jump_imm(BPF_JLT, r1, int32_t(number), left_out);
    out_.store_imm(8, r0, 0, 0);
    out_.jump(chosen);
    out_.bind(left_out);
    out_.store(8, r0, 0, r1);
    out_.jump(rejected_);
    out_.bind(chosen);
}

void Builder::ask_at_entry()
{
    if (request_.event_output.checks_at_entry) {
        emit_without_key(TABLE_AT_ENTRY);
        out_.jump_imm(BPF_JNE, r0, 0, silent_);
    }
}

// Does the cheapest tests first.
void Builder::filter(Filtered by)
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

bool Builder::filters_threads() const
{
    const ProcessFilter &filter = request_.filter;
    return filter.tid || filter.uid || !filter.comms.empty() || filter.in_cgroup ||
           filter.in_cgroups_map;
}

void Builder::filter_thread()
{
    const ProcessFilter &filter = request_.filter;
    if (filter.tid)
        require_equal(generate_.slot(Slot::Ids), *filter.tid, other_thread_);
    if (filter.uid) {
        generate_.owner();
        require_equal(generate_.slot(Slot::Owner), *filter.uid, other_thread_);
    }
    if (!filter.comms.empty())
        filter_comm();
    if (filter.in_cgroups_map) {
        out_.call(BPF_FUNC_get_current_cgroup_id);
        out_.store(8, frame_reg, generate_.slot(Slot::MapKey), r0);
        lookup(MapSlot::Cgroups, generate_.slot(Slot::MapKey));
        out_.jump_imm(BPF_JEQ, r0, 0, other_thread_);
    }
    if (filter.in_cgroup) {
        out_.load_map(r1, MapSlot::Cgroup);
        out_.set(r2, 0);
        out_.call(BPF_FUNC_current_task_under_cgroup);
        out_.jump_imm(BPF_JNE, r0, 1, other_thread_);
    }
}

void Builder::filter_process()
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

// Jumps to `other` unless the u32 at this offset of the stack is `wanted`.
void Builder::require_equal(int16_t offset, uint32_t wanted, Assembler::Label other)
{
    out_.load(4, r1, frame_reg, offset);
    if (fits_immediate(wanted))
        return out_.jump_imm(BPF_JNE, r1, wanted, other);
    out_.set(r2, wanted);
    out_.jump(BPF_JNE, r1, r2, other);
}

void Builder::filter_comm()
{
    generate_.comm();
    Assembler::Label wanted = out_.label();
    const auto &comms = request_.filter.comms;
    for (size_t i = 0; i < comms.size(); i++) {
        bool is_last = i + 1 == comms.size();
        Assembler::Label other = is_last ? other_thread_ : out_.label();
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

namespace {

// Generates the program twice: the first pass only finds the slots that the program uses
// (codegen.h).
Result<Program> generate(const ProgramRequest &request, const Plan &plan, void (Builder::*part)(),
                         int max_stack)
{
    Builder first(request, plan, 0);
    (first.*part)();
    Builder second(request, plan, first.used_slots());
    (second.*part)();
    return second.finish(max_stack);
}

}  // namespace

Result<Program> compile(const ProgramRequest &request)
{
    Plan plan = TRY(make_plan(request));
    auto part = request.calls.only_deletes_record ? &Builder::forget : &Builder::main;
    Program program = TRY(generate(request, plan, part, main_stack));
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
