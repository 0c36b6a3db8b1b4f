// Calls: what is saved at a function's entry, for its return.
//
// A call's entry and its return meet in the map Calls under {u32 tgid, u32 probe, u64 stack
// pointer}. The stack pointer at the first instruction of a function is that of the moment after its
// return but for the return address, which x86-64 pops.
//
// Go moves goroutines between threads, and their stacks in memory when they grow. What stays is the
// goroutine (its `g`: Scope::goroutine) and how deep the call is: the stack's upper end
// (g.stack.hi, 8 bytes into g) less the stack pointer, which behind the function's stack check and
// at its `ret` is the same. The key is {u32 tgid, u32 depth, u64 g | probe << 48}: a stack has at most 2 GB, so that
// the depth fits; it is not 0, while a g is no place on a stack, so that no other key equals it.
// Of a function that a goroutine is in once at most, the depth may be left out (it is 0): then a
// call's end may be seen elsewhere than at the function's return.
//
// Where the ways out of compiled functions are probed, one of them may be that of several functions
// (resolve/exits.h), and a function that another one tail-calls begins on the same place of the
// stack. The key is {u32 tgid, u32 function, u64 stack pointer + (probe << 48)}: the function's
// number is the site's (bpf/lib/site.h), and stacks lie below 1 << 47. At a `ret` the stack pointer
// is the entry's.
//
// What an entry finds under its own key, of Go or of compiled functions, is a call that has been left
// otherwise than by its ways out: by an exception, a panic, longjmp() or the end of its thread.
//
// A session program runs at both, and asks which it is. Its 8 bytes belong to the call: the time of
// the entry, or the only value that is wanted from there. It returns 1 from an entry that is not
// wanted; the kernel then leaves that call's return alone.
#include <algorithm>

#include "expr/builder.h"
#include "lib/site.h"

namespace uscope::expr {

// A call record up to this size is put together on the stack.
constexpr uint32_t most_stack_value = 128;

void Builder::call_key(int32_t stack_adjust)
{
    int16_t key = generate_.slot(Slot::CallIdentity);
    generate_.ids();
    if (request_.call_key == CallIdentity::Function) {
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

// The key but for the process. Leaves the site's number in saved_reg.
void Builder::function_key()
{
    int16_t key = generate_.slot(Slot::CallIdentity);
    site_number();
    out_.move(saved_reg, r0);
    out_.alu_imm(BPF_AND, r0, ~SITE_BORROWED);
    out_.store(4, frame_reg, key + 4, r0);
    load_register(r1, abi::stack_pointer(request_.scope->machine));
    out_.set(r2, uint64_t(call_number()) << 48);
    out_.alu(BPF_ADD, r1, r2);
    out_.store(8, frame_reg, key + 8, r1);
}

// r0: the number of the site, as site_number() of bpf/lib/site.bpf.h finds it. The constant is put
// in later, and the verifier follows one of the branches only.
void Builder::site_number()
{
    Assembler::Label by_place = out_.label(), fixed = out_.label(), done = out_.label();
    out_.set(r1, SITE_PLACEHOLDER);
    out_.move(r2, r1);
    out_.alu_imm(BPF_RSH, r2, 32);
    out_.alu_imm(BPF_AND, r2, SITE_KIND);
    out_.jump_imm(BPF_JNE, r2, SITE_COOKIE, by_place);
    out_.move(r1, ctx_reg);
    out_.call(BPF_FUNC_get_attach_cookie);
    out_.jump(done);

    out_.bind(by_place);
    out_.jump_imm(BPF_JNE, r2, SITE_PLACES, fixed);
    load_register(r2, abi::instruction_pointer(request_.scope->machine));
    out_.alu_imm(BPF_AND, r2, SITE_PAGE_PLACES - 1);
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

// A call's key in Go, but for the process. Without a goroutine the event is lost, and counted as
// such.
void Builder::goroutine()
{
    int16_t key = generate_.slot(Slot::CallIdentity);
    Assembler::Label unknown = out_.label(), known = out_.label();
    generate_.word(*plan_.goroutine, r1, unknown);
    out_.set(r2, static_cast<uint64_t>(call_number()) << 48);
    out_.alu(BPF_OR, r2, r1);
    out_.store(8, frame_reg, key + 8, r2);
    bool may_be_unknown = plan_.goroutine->can_fail || request_.call_key == CallIdentity::Goroutine;
    if (request_.call_key == CallIdentity::Goroutine)
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

// r1: the goroutine.
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
    if (request_.session->take_context)
        out_.move(r1, ctx_reg);
    out_.call_kernel(function);
}

// All that a session program does at entry; goes on behind it at return.
void Builder::session_entry()
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

void Builder::find_call()
{
    if (plan_.is_session) {
        call_kernel(request_.session->cookie);
        out_.move(saved_reg, r0);
        return take_latency();
    }
    bool popped = request_.call_key == CallIdentity::StackPointer &&
                  request_.scope->machine == abi::Machine::X86_64;
    call_key(popped ? -8 : 0);
    lookup(MapSlot::Calls, generate_.slot(Slot::CallIdentity));
    if (request_.call_key != CallIdentity::OnlyOfGoroutine)
        lose_forgotten();
    else
        out_.jump_imm(BPF_JEQ, r0, 0, silent_);
    if (plan_.saves_caller)
        check_caller();
    out_.move(saved_reg, r0);
    take_latency();
}

// saved_reg: the number of the site; r0: the call, which stays there. At a way out of other functions,
// too, the call that ends returns to where the saved one does, or is another function's.
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

// At a function's first instruction, and at its return: the return address. r0: an error.
void Builder::read_caller(MemoryPlace place)
{
    out_.move(r1, place.base);
    out_.alu_imm(BPF_ADD, r1, place.offset);
    out_.set(r2, sizeof(uint64_t));
    load_register(r3, abi::stack_pointer(abi::Machine::X86_64));
    out_.call(BPF_FUNC_probe_read_user);
}

// r0: where the number is.
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

// At a Go function's stack check: when it jumps, the stack grows, or the goroutine is stopped for a
// while; then the function begins once more.
void Builder::leave_to_next_try()
{
    constexpr abi::Register flags = {144, 8, 0};
    constexpr int32_t below_or_equal = 0x41;  // carry, zero
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

// At an entry: is there a call on this place of the stack? It will not return any more.
void Builder::count_replaced()
{
    Assembler::Label none = out_.label();
    lookup(MapSlot::Calls, generate_.slot(Slot::CallIdentity));
    out_.jump_imm(BPF_JEQ, r0, 0, none);
    count(abandoned_calls);
    out_.bind(none);
}

// Is something wanted of the call that its entry has to tell?
bool Builder::wants_entry() const
{
    return plan_.uses_latency || !plan_.saved.empty();
}

// r0: the call. A return without one is lost, unless the call may have begun before the tracing, or
// was that of another function, which this one shares the way out with. If nothing is wanted of the
// entry, the function's own ways out say enough.
void Builder::lose_forgotten()
{
    Assembler::Label found = out_.label();
    out_.jump_imm(BPF_JNE, r0, 0, found);
    if (request_.call_key == CallIdentity::Function) {
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

void Builder::forget_call()
{
    if (!plan_.call_bytes || plan_.is_session)
        return;
    out_.load_map(r1, MapSlot::Calls);
    generate_.stack_address(r2, generate_.slot(Slot::CallIdentity));
    out_.call(BPF_FUNC_map_delete_elem);
}

void Builder::save_call()
{
    if (request_.call_key == CallIdentity::Function || request_.call_key == CallIdentity::Goroutine)
        count_replaced();
    if (std::max(plan_.call_bytes, request_.least_call_bytes) <= most_stack_value)
        save_from_stack();
    else
        save_in_map();
}

void Builder::save(MemoryPlace value)
{
    for (const SavedItem &item : plan_.saved) {
        MemoryPlace place = {value.base, value.offset + static_cast<int32_t>(item.offset)};
        MemoryPlace status = {value.base, value.offset + static_cast<int32_t>(item.status_offset)};
        if (item.value->op == Op::Text)
            generate_.text(*item.value, place, item.capacity, nullptr);
        else
            generate_.number(*item.value, place, status);
    }
    if (plan_.saves_caller)
        read_caller({value.base, value.offset + call_caller_offset});
    // Last, so that what we do ourselves does not count.
    out_.call(BPF_FUNC_ktime_get_ns);
    generate_.store(8, value, r0, r1);
}

void Builder::save_from_stack()
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
void Builder::save_in_map()
{
    out_.store_imm(4, frame_reg, generate_.slot(Slot::MapKey), 0);
    lookup(MapSlot::CallZero, generate_.slot(Slot::MapKey));
    out_.jump_imm(BPF_JEQ, r0, 0, silent_);
    out_.move(r3, r0);
    update_call();
    lookup(MapSlot::Calls, generate_.slot(Slot::CallIdentity));
    out_.jump_imm(BPF_JEQ, r0, 0, silent_);
    out_.move(record_reg, r0);
    save({record_reg, 0});
}

void Builder::update_call()
{
    out_.load_map(r1, MapSlot::Calls);
    generate_.stack_address(r2, generate_.slot(Slot::CallIdentity));
    out_.set(r4, BPF_ANY);
    out_.call(BPF_FUNC_map_update_elem);
    // Full: the return's event is lost, and counted as such.
    Assembler::Label saved = out_.label();
    out_.jump_imm(BPF_JEQ, r0, 0, saved);
    if (wants_entry())
        lose();
    out_.bind(saved);
    if (request_.call_key != CallIdentity::OnlyOfGoroutine)
        count(call_may_be_forgotten);
}

}  // namespace uscope::expr
