// Generates the code that saves values at a function's entry, in the record of its call
// (compile_call.cpp).
#include <algorithm>

#include "expr/builder.h"

namespace uscope::expr {

// Call records up to this size are built on the stack.
constexpr uint32_t max_stack_value = 128;

void Builder::save_call()
{
    if (keeps_records())
        save_in_kept_record();
    else if (std::max(plan_.call_bytes, request_.calls.least_bytes) <= max_stack_value)
        save_from_stack();
    else
        save_in_map();
}

void Builder::save_in_kept_record()
{
    Assembler::Label found = out_.label(), unused = out_.label();
    lookup(MapSlot::Calls, generate_.slot(Slot::CallIdentity));
    out_.jump_imm(BPF_JNE, r0, 0, found);
    insert_empty_record();
    out_.bind(found);
    out_.move(record_reg, r0);
    out_.load(8, r1, record_reg, 0);
    out_.jump_imm(BPF_JEQ, r1, 0, unused);
    count(abandoned_calls);
    out_.bind(unused);
    save({record_reg, 0});
}

void Builder::save(Location value)
{
    for (const SavedItem &item : plan_.saved) {
        Location to = {value.base, value.offset + static_cast<int32_t>(item.offset)};
        Location status = {value.base, value.offset + static_cast<int32_t>(item.status_offset)};
        if (item.value->op == Op::Text)
            generate_.text(*item.value, to, item.capacity, nullptr);
        else
            generate_.number(*item.value, to, status);
    }
    if (plan_.saves_caller)
        read_caller({value.base, value.offset + call_caller_offset});
    // Read the time last, so that the latency does not include our own work.
    out_.call(BPF_FUNC_ktime_get_ns);
    generate_.store(8, value, r0, r1);
}

void Builder::save_from_stack()
{
    // The kernel copies a whole value into the map, so all of it has to be initialized.
    uint32_t bytes = std::max(plan_.call_bytes, request_.calls.least_bytes);
    int16_t value = generate_.push(bytes);
    for (uint32_t i = 0; i < bytes; i += 8)
        out_.store_imm(8, frame_reg, value + i, 0);
    save({frame_reg, value});
    generate_.stack_address(r3, value);
    update_call();
    generate_.pop(bytes);
}

// For a record that is too large for the stack: inserts an empty one, then fills it in the map.
void Builder::save_in_map()
{
    insert_empty_record();
    out_.move(record_reg, r0);
    save({record_reg, 0});
}

// Sets r0 to the new record.
void Builder::insert_empty_record()
{
    out_.store_imm(4, frame_reg, generate_.slot(Slot::MapKey), 0);
    lookup(MapSlot::CallZero, generate_.slot(Slot::MapKey));
    out_.jump_imm(BPF_JEQ, r0, 0, silent_);
    out_.move(r3, r0);
    update_call();
    lookup(MapSlot::Calls, generate_.slot(Slot::CallIdentity));
    out_.jump_imm(BPF_JEQ, r0, 0, silent_);
}

void Builder::update_call()
{
    out_.load_map(r1, MapSlot::Calls);
    generate_.stack_address(r2, generate_.slot(Slot::CallIdentity));
    out_.set(r4, BPF_ANY);
    out_.call(BPF_FUNC_map_update_elem);
    // If the map is full, the return program will find no record: count its event as lost.
    Assembler::Label saved = out_.label();
    out_.jump_imm(BPF_JEQ, r0, 0, saved);
    if (wants_entry())
        lose();
    out_.bind(saved);
    if (request_.calls.key != CallIdentity::OnlyOfGoroutine)
        count(call_may_be_forgotten);
}

}  // namespace uscope::expr
