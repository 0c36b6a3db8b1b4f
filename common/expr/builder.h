// One program, put together: what runs in which order, around the expressions that codegen.h makes.
#pragma once

#include "expr/codegen.h"
#include "expr/plan.h"

namespace uscope::expr {

class Builder {
  public:
    Builder(const ProgramRequest &request, const Plan &plan, Slots placed)
        : request_(request), plan_(plan), generate_(out_, request, plan.saved, placed)
    {
    }

    void main();    // of the return, too
    void forget();  // instead of it, when only_forgets is set
    void entry();   // of a function, of which something is wanted at return
    Slots used_slots() const { return generate_.used_slots(); }
    Result<Program> finish(int most_stack);

  private:
    using MemoryPlace = Generator::MemoryPlace;

    // program.cpp
    enum class Filtered { Process, Thread };
    void leave();
    void find_own_ids();
    void call_check();
    void ask_at_entry();
    void filter(Filtered by = Filtered::Thread);
    void filter_thread();
    void filter_process();
    bool filters_threads() const;
    void require_equal(int16_t place, uint32_t wanted, Assembler::Label other);
    void filter_comm();

    // compile_call.cpp
    bool is_at_exits() const { return request_.call_key != CallIdentity::StackPointer; }
    uint32_t call_number() const { return request_.call_number.value_or(request_.probe); }
    void function_key();
    void site_number();
    void call_key(int32_t stack_adjust);
    void goroutine();
    void depth(Assembler::Label unknown);
    void load_register(Reg dst, abi::Register reg);
    void lookup(MapSlot map, int16_t key);
    void call_kernel(uint32_t function);
    void session_entry();
    void find_call();
    void check_caller();
    void read_caller(MemoryPlace place);
    void find_number(CallNumber number, Assembler::Label none);
    void count(CallNumber number);
    void forget_call_of_other_thread();
    void leave_to_next_try();
    void count_replaced();
    bool wants_entry() const;
    void lose_forgotten();
    void take_latency();
    void forget_call();
    void save_call();
    void save(MemoryPlace value);
    void save_from_stack();
    void save_in_map();
    void update_call();

    // compile_output.cpp
    void records();
    void record(size_t index);
    void fill_all(const Program::Layout &layout, MemoryPlace record,
                  const Assembler::Label *too_long);
    void fill(const PlannedValue &value, const Field &field, MemoryPlace record,
              const Assembler::Label *too_long);
    void key();
    int16_t measured_bytes() const;
    void fill_measured(int16_t place);
    void load_measured(int16_t place, Reg value, Reg status);
    void bucket(const output::LinearScale &scale, Reg value);
    void emit_without_key(int64_t status);
    void emit_lost(uint64_t tag);
    void lose();

    const ProgramRequest &request_;
    const Plan &plan_;
    Assembler out_;
    Generator generate_;
    // Not wanted: leave; not wanted, but there is a call record to delete.
    Assembler::Label silent_ = out_.label(), rejected_ = out_.label();
    Assembler::Label lost_ = out_.label();  // no place for a record
    // Not a thread that counts; when its call is to be forgotten, another one than silent_.
    Assembler::Label other_thread_ = silent_;
};

}  // namespace uscope::expr
