// Generates a whole program: its filters, the code that saves and finds calls, and its output.
// Generator (codegen.h) generates the code of the expressions in it.
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

    // Generate the program. Call exactly one of them:
    void main();    // it produces the event, at an entry, a return or elsewhere
    void forget();  // for SavedCalls::only_deletes_record: it only deletes the call record
    void entry();   // at a function's entry: it saves what the return program needs
    Slots used_slots() const { return generate_.used_slots(); }
    // Errors: the program needs more than `max_stack` bytes of stack, or is too long.
    Result<Program> finish(int max_stack);

  private:
    using Location = Generator::Location;

    // compile.cpp
    enum class Filtered { Process, Thread };  // filter() tests the process only, or also the thread
    void leave();
    void find_own_ids();
    void call_check();
    void choose();
    void choose_every(uint32_t number);
    bool samples() const { return request_.sampled.every || request_.sampled.chance; }
    void ask_at_entry();
    void filter(Filtered by = Filtered::Thread);
    void filter_thread();
    void filter_process();
    bool filters_threads() const;
    void require_equal(int16_t offset, uint32_t wanted, Assembler::Label other);
    void filter_comm();

    // compile_call.cpp
    bool is_at_exits() const { return request_.calls.key != CallIdentity::StackPointer; }
    uint32_t call_number() const { return request_.calls.number.value_or(request_.probe); }
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
    void read_caller(Location to);
    void find_number(CallNumber number, Assembler::Label none);
    void count(CallNumber number);
    void forget_call_of_other_thread();
    void leave_to_next_try();
    bool keeps_records() const;
    void ignore_unused();
    bool wants_entry() const;
    void lose_forgotten();
    void take_latency();
    void forget_call();
    void delete_call();

    // compile_save.cpp
    void save_call();
    void save_in_kept_record();
    void insert_empty_record();
    void save(Location value);
    void save_from_stack();
    void save_in_map();
    void update_call();

    // compile_exit.cpp
    void find_exit();
    void find_exit_stack();
    void find_taken_way();
    void find_exit_value();
    void entry_stack(Reg dst);

    // compile_output.cpp
    void records();
    void record(size_t index);
    void fill_all(const Program::Layout &layout, Location record, const Assembler::Label *too_long);
    void fill(const PlannedValue &value, const Field &field, Location record,
              const Assembler::Label *too_long);
    void key();
    int16_t measured_bytes() const;
    void fill_measured(int16_t offset);
    uint32_t addend_bytes() const;
    void fill_addends(int16_t end);
    void load_measured(int16_t offset, Reg value, Reg status);
    void bucket(const output::LinearScale &scale, Reg value);
    void emit_without_key(int64_t status);
    void emit_lost(uint64_t tag);
    void lose();

    const ProgramRequest &request_;
    const Plan &plan_;
    Assembler out_;
    Generator generate_;
    // Jump targets. silent_: leaves without an event. rejected_: deletes the call record and
    // leaves.
    Assembler::Label silent_ = out_.label(), rejected_ = out_.label();
    Assembler::Label lost_ = out_.label();  // the ring buffer is full
    // The target for threads that do not pass the filter. It differs from silent_ if the call
    // record of such a thread must be deleted.
    Assembler::Label other_thread_ = silent_;
    bool is_at_branch_ = false;  // find_exit() has filled its slots
};

}  // namespace uscope::expr
