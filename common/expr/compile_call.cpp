// Generates the code that identifies a call, and that finds its saved values at its return.
//
// The map Calls has a record for each call under way. The key of the record must be the same at the
// entry and at the return.
//
// CallIdentity::StackPointer: {u32 tgid, u32 probe, u64 stack pointer}. The stack pointers at the
// function's first instruction and after its return differ only on x86-64, which pops the return
// address (8 bytes).
//
// CallIdentity::Goroutine: {u32 tgid, u32 depth, u64 g | probe << 48}. Go moves goroutines between
// threads, and moves their stacks in memory when they grow. During a call, only two things stay the
// same: the goroutine (the address of its struct g, Scope::goroutine) and the call's depth. The
// depth is the stack's upper end (g.stack.hi, 8 bytes into g) minus the stack pointer; it is the
// same after the function's stack check and at its `ret`, where the programs run. It fits into 32
// bits because a stack has at most 2 GB. Such a key never equals one of another CallIdentity,
// because the depth is not 0 and a g is not an address on a stack.
//
// CallIdentity::OnlyOfGoroutine: the same with the depth 0, for a function of which a goroutine
// executes at most one call at a time. The program at the end of the call may then run elsewhere
// than at the function's return.
//
// CallIdentity::Function: {u32 tgid, u32 function, u64 stack pointer + (probe << 48)}. This is for
// probes at the exits of compiled functions, where the stack pointer alone does not identify the
// call: several functions may share an exit (resolve/exits.h), and a function that another one
// tail-calls starts with the same stack pointer. `function` is the number of the site
// (bpf/lib/site.h). The sum is unique because addresses of stacks are below 1 << 47. At a `ret`,
// the stack pointer is the same as at the entry.
//
// With Goroutine and Function, a record stays in the map after its call has returned, for the next
// call with the same key: inserting and deleting records costs more than all else together. The
// record's first word, the time of the entry, is 0 then. Once the map may drop records
// (call_may_be_forgotten), the program at the return deletes them instead, because records that
// nobody needs must not displace those of calls under way. If the entry program finds a record that
// is in use, that record belongs to an abandoned call: one that an exception, a panic, longjmp() or
// the end of its thread has ended without a return.
//
// A session program runs at both the entry and the return, and asks the kernel at which of them it
// is. The kernel keeps 8 bytes for each call. The program saves the time of the entry there, or the
// only value that it saves at all. If it ignores a call, it returns 1 at the entry, so that the
// kernel does not run it at the return.
#include <algorithm>

#include "bpf/lib/site.h"
#include "expr/builder.h"

namespace uscope::expr {

void Builder::call_key(int32_t stack_adjust)
{
    int16_t key = generate_.slot(Slot::CallIdentity);
    generate_.ids();
    if (request_.calls.key == CallIdentity::Function) {
        function_key();
    } else if (is_at_exits()) {
        goroutine();
    } else {
        out_.store_imm(4, frame_reg, key + 4, call_number());
        load_register(r1, abi::stack_pointer(request_.scope->machine));
        out_.add(r1, static_cast<int64_t>(stack_adjust), r2);
        out_.store(8, frame_reg, key + 8, r1);
    }
    out_.load(4, r1, frame_reg, generate_.slot(Slot::Ids) + 4);
    out_.store(4, frame_reg, key, r1);
}

// Stores the key of CallIdentity::Function, except for the tgid. Leaves the site's number in
// saved_reg.
void Builder::function_key()
{
    int16_t key = generate_.slot(Slot::CallIdentity);
    if (is_at_branch_)
        out_.load(4, r0, frame_reg, generate_.slot(Slot::ExitNumber));
    else
        site_number();
    out_.move(saved_reg, r0);
    out_.alu_imm(BPF_AND, r0, ~SITE_BORROWED);
    out_.store(4, frame_reg, key + 4, r0);
    entry_stack(r1);
    out_.set(r2, uint64_t(call_number()) << 48);
    out_.alu(BPF_ADD, r1, r2);
    out_.store(8, frame_reg, key + 8, r1);
}

// Sets r0 to the site's number, as site_number() of bpf/lib/site.bpf.h does. kernel/templates.h
// later replaces SITE_PLACEHOLDER by a constant that selects one of the branches, so that the
// verifier follows only this one.
void Builder::site_number()
{
    Assembler::Label by_address = out_.label(), fixed = out_.label(), done = out_.label();
    out_.set(r1, SITE_PLACEHOLDER);
    out_.move(r2, r1);
    out_.alu_imm(BPF_RSH, r2, 32);
    out_.alu_imm(BPF_AND, r2, SITE_KIND);
    out_.jump_imm(BPF_JNE, r2, SITE_COOKIE, by_address);
    out_.move(r1, ctx_reg);
    out_.call(BPF_FUNC_get_attach_cookie);
    out_.jump(done);

    out_.bind(by_address);
    out_.jump_imm(BPF_JNE, r2, SITE_TABLE, fixed);
    load_register(r2, abi::instruction_pointer(request_.scope->machine));
    out_.alu_imm(BPF_AND, r2, SITE_PAGE_BYTES - 1);
    out_.alu(BPF_ADD, r1, r2);
    out_.store(4, frame_reg, generate_.slot(Slot::MapKey), r1);
    lookup(MapSlot::Sites, generate_.slot(Slot::MapKey));
    out_.jump_imm(BPF_JEQ, r0, 0, silent_);
    out_.load(4, r0, r0, 0);
    out_.jump(done);

    out_.bind(fixed);
    out_.move(r0, r1);
    out_.alu_imm(BPF_LSH, r0, 32);
    out_.alu_imm(BPF_RSH, r0, 32);
    out_.bind(done);
}

// Stores the key of a Go call, except for the tgid. If the goroutine is unknown, counts the event
// as lost and leaves.
void Builder::goroutine()
{
    int16_t key = generate_.slot(Slot::CallIdentity);
    Assembler::Label unknown = out_.label(), known = out_.label();
    generate_.word(*plan_.goroutine, r1, unknown);
    out_.set(r2, static_cast<uint64_t>(call_number()) << 48);
    out_.alu(BPF_OR, r2, r1);
    out_.store(8, frame_reg, key + 8, r2);
    bool may_be_unknown =
        plan_.goroutine->can_fail || request_.calls.key == CallIdentity::Goroutine;
    if (request_.calls.key == CallIdentity::Goroutine)
        depth(unknown);
    else
        out_.store_imm(4, frame_reg, key + 4, 0);
    if (!may_be_unknown)
        return;
    out_.jump(known);
    out_.bind(unknown);
    lose();
    out_.bind(known);
}

// Expects the goroutine in r1. Stores the call's depth in the key; jumps to `unknown` if the depth
// cannot be read.
void Builder::depth(Assembler::Label unknown)
{
    constexpr int32_t stack_hi = 8;  // in struct g, since Go 1.3
    int16_t key = generate_.slot(Slot::CallIdentity);
    out_.move(r3, r1);
    out_.alu_imm(BPF_ADD, r3, stack_hi);
    generate_.stack_address(r1, key);
    out_.set(r2, 8);
    out_.call(BPF_FUNC_probe_read_user);
    out_.jump_imm(BPF_JNE, r0, 0, unknown);
    out_.load(8, r1, frame_reg, key);
    load_register(r2, abi::stack_pointer(abi::Machine::X86_64));
    out_.alu(BPF_SUB, r1, r2);
    out_.store(4, frame_reg, key + 4, r1);
    out_.alu_imm(BPF_RSH, r1, 32);
    out_.jump_imm(BPF_JNE, r1, 0, unknown);
}

void Builder::load_register(Reg dst, abi::Register reg)
{
    out_.load(8, dst, ctx_reg, reg.pt_regs_offset);
}

void Builder::lookup(MapSlot map, int16_t key)
{
    out_.load_map(r1, map);
    generate_.stack_address(r2, key);
    out_.call(BPF_FUNC_map_lookup_elem);
}

void Builder::call_kernel(uint32_t function)
{
    if (request_.calls.session->take_context)
        out_.move(r1, ctx_reg);
    out_.call_kernel(function);
}

// Generates what a session program does at the entry. The code that is generated after it runs at
// the return.
void Builder::session_entry()
{
    Assembler::Label at_return = out_.label();
    call_kernel(request_.calls.session->is_return);
    out_.jump_imm(BPF_JNE, r0, 0, at_return);
    filter();
    ask_at_entry();
    if (!plan_.saved.empty()) {
        int16_t value = generate_.push(8);
        generate_.number(*plan_.saved[0].value, {frame_reg, value}, {});
        call_kernel(request_.calls.session->cookie);
        out_.load(8, r1, frame_reg, value);
        out_.store(8, r0, 0, r1);
        generate_.pop(8);
    } else {  // read the time last, so that the latency does not include our own work
        call_kernel(request_.calls.session->cookie);
        out_.move(saved_reg, r0);
        out_.call(BPF_FUNC_ktime_get_ns);
        out_.store(8, saved_reg, 0, r0);
    }
    out_.set(r0, 0);
    out_.exit();
    out_.bind(at_return);
    generate_.begin_again();
}

void Builder::find_call()
{
    if (plan_.is_session) {
        call_kernel(request_.calls.session->cookie);
        out_.move(saved_reg, r0);
        return take_latency();
    }
    bool popped = request_.calls.key == CallIdentity::StackPointer &&
                  request_.scope->machine == abi::Machine::X86_64;
    call_key(popped ? -8 : 0);
    lookup(MapSlot::Calls, generate_.slot(Slot::CallIdentity));
    if (keeps_records())
        ignore_unused();
    if (request_.calls.key != CallIdentity::OnlyOfGoroutine)
        lose_forgotten();
    else
        out_.jump_imm(BPF_JEQ, r0, 0, silent_);
    if (plan_.saves_caller)
        check_caller();
    out_.move(saved_reg, r0);
    take_latency();
}

// Expects the site's number in saved_reg, and the call record in r0, and keeps r0. A borrowed exit
// (SITE_BORROWED) belongs to another function, which the traced one tail-calls. At such an exit,
// leaves unless the return address is the one that the record contains: otherwise, a call of that
// other function ends here, not the traced call.
void Builder::check_caller()
{
    Assembler::Label done = out_.label();
    int16_t call = generate_.push(8), caller = generate_.push(8);
    out_.store(8, frame_reg, call, r0);
    out_.move(r1, saved_reg);
    out_.alu_imm(BPF_RSH, r1, SITE_BORROWED_BIT);
    out_.jump_imm(BPF_JEQ, r1, 0, done);
    read_caller({frame_reg, caller});
    out_.jump_imm(BPF_JNE, r0, 0, silent_);
    out_.load(8, r1, frame_reg, call);
    out_.load(8, r2, r1, call_caller_offset);
    out_.load(8, r1, frame_reg, caller);
    out_.jump(BPF_JNE, r1, r2, silent_);
    out_.bind(done);
    out_.load(8, r0, frame_reg, call);
    generate_.pop(8);
    generate_.pop(8);
}

// Reads the return address, which is on top of the stack at a function's first instruction and at
// its `ret`. Sets r0 to 0 or an error.
void Builder::read_caller(Location to)
{
    out_.move(r1, to.base);
    out_.alu_imm(BPF_ADD, r1, to.offset);
    out_.set(r2, sizeof(uint64_t));
    entry_stack(r3);
    out_.call(BPF_FUNC_probe_read_user);
}

// Sets r0 to the counter's address; jumps to `none` if there is no such counter.
void Builder::find_number(CallNumber number, Assembler::Label none)
{
    out_.store_imm(4, frame_reg, generate_.slot(Slot::MapKey), number);
    lookup(MapSlot::CallZero, generate_.slot(Slot::MapKey));
    out_.jump_imm(BPF_JEQ, r0, 0, none);
}

void Builder::count(CallNumber number)
{
    Assembler::Label none = out_.label();
    find_number(number, none);
    out_.set(r1, 1);
    out_.add_atomically(r0, 0, r1);
    out_.bind(none);
}

// At the stack check at the start of a Go function: leaves if the check is about to jump. Go then
// grows the stack or preempts the goroutine, and afterwards starts the function again from its
// beginning, so that the program runs again.
void Builder::leave_to_next_try()
{
    constexpr abi::Register flags = {144, 8, 0};  // EFLAGS: offset in pt_regs, size, shift
    constexpr int32_t below_or_equal = 0x41;      // CF, ZF
    Assembler::Label begins = out_.label();
    out_.set(r1, SITE_PLACEHOLDER);
    out_.alu_imm(BPF_RSH, r1, 60);
    out_.alu_imm(BPF_AND, r1, SITE_AT_STACK_CHECK >> 60);
    out_.jump_imm(BPF_JEQ, r1, 0, begins);
    load_register(r1, flags);
    out_.alu_imm(BPF_AND, r1, below_or_equal);
    out_.jump_imm(BPF_JNE, r1, 0, silent_);
    out_.bind(begins);
}

// Do records stay in the map after their calls have returned?
bool Builder::keeps_records() const
{
    return request_.calls.key == CallIdentity::Function ||
           request_.calls.key == CallIdentity::Goroutine;
}

// Expects a record, or NULL, in r0. Sets r0 to NULL if the record is not in use.
void Builder::ignore_unused()
{
    Assembler::Label done = out_.label();
    out_.jump_imm(BPF_JEQ, r0, 0, done);
    out_.load(8, r1, r0, 0);
    out_.jump_imm(BPF_JNE, r1, 0, done);
    out_.set(r0, 0);
    out_.bind(done);
}

// Does the return program need anything that is known only at the entry: the time or saved values?
bool Builder::wants_entry() const
{
    return plan_.uses_latency || !plan_.saved.empty();
}

// Expects the call record, or NULL, in r0. If it is NULL, counts the event as lost and leaves, with
// three exceptions:
// - The exit is borrowed, so another function's call may have ended: leaves silently.
// - The map Calls was never half full, so the call began before the tracing: leaves silently.
// - The event needs nothing from the entry, so it is complete without the record: continues.
void Builder::lose_forgotten()
{
    Assembler::Label found = out_.label();
    out_.jump_imm(BPF_JNE, r0, 0, found);
    if (request_.calls.key == CallIdentity::Function) {
        out_.alu_imm(BPF_RSH, saved_reg, SITE_BORROWED_BIT);
        out_.jump_imm(BPF_JNE, saved_reg, 0, silent_);
    }
    if (!wants_entry())
        return out_.bind(found);
    find_number(call_may_be_forgotten, silent_);
    out_.load(8, r1, r0, 0);
    out_.jump_imm(BPF_JSLE, r1, 0, silent_);
    lose();
    out_.bind(found);
}

void Builder::take_latency()
{
    if (!plan_.uses_latency)
        return;
    out_.call(BPF_FUNC_ktime_get_ns);
    out_.load(8, r1, saved_reg, 0);
    out_.alu(BPF_SUB, r0, r1);
    out_.store(8, frame_reg, generate_.slot(Slot::Latency), r0);
}

// Ends the use of the record in saved_reg.
void Builder::forget_call()
{
    if (!plan_.call_bytes || plan_.is_session)
        return;
    if (!keeps_records())
        return delete_call();
    Assembler::Label may_drop = out_.label(), done = out_.label();
    if (!wants_entry())  // there may be no record
        out_.jump_imm(BPF_JEQ, saved_reg, 0, done);
    find_number(call_may_be_forgotten, may_drop);
    out_.load(8, r1, r0, 0);
    out_.jump_imm(BPF_JSGT, r1, 0, may_drop);
    out_.store_imm(8, saved_reg, 0, 0);
    out_.jump(done);
    out_.bind(may_drop);
    delete_call();
    out_.bind(done);
}

void Builder::delete_call()
{
    out_.load_map(r1, MapSlot::Calls);
    generate_.stack_address(r2, generate_.slot(Slot::CallIdentity));
    out_.call(BPF_FUNC_map_delete_elem);
}

}  // namespace uscope::expr
