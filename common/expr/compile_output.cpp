// Generates the output of values: into a record of the ring buffer, or into a key for the C
// function that counts.
#include <cerrno>
#include <cstddef>

#include "bpf/lib/event.h"
#include "bpf/lib/sums.h"
#include "bpf/lib/table.h"
#include "expr/builder.h"

namespace uscope::expr {

void Builder::records()
{
    for (size_t layout = 0; layout < plan_.layouts.size(); layout++)
        record(layout);
    out_.jump(silent_);
    out_.bind(lost_);
    forget_call();
    emit_lost(EVENT_LOST);
}

// Reserves, fills and emits a record with one layout. If a string does not fit, discards the record
// and continues with the code that follows, which tries the next layout.
void Builder::record(size_t index)
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
    out_.call(request_.event_output.function);
    if (is_last)
        return;
    out_.jump(silent_);
    out_.bind(too_long);
    out_.move(r1, record_reg);
    out_.set(r2, BPF_RB_NO_WAKEUP);
    out_.call(BPF_FUNC_ringbuf_discard);
}

void Builder::fill_all(const Program::Layout &layout, Location record,
                       const Assembler::Label *too_long)
{
    for (size_t i = 0; i < layout.fields.size(); i++) {
        const Field &field = layout.fields[i];
        fill(plan_.values[i], field, record, too_long);
        if (field.shape != Shape::Interface)
            continue;
        // Skip the parts of an interface that is nil or unreadable: the field is 0 in both cases.
        Assembler::Label nil = out_.label();
        generate_.load(8, r1, {record.base, record.offset + static_cast<int32_t>(field.offset)});
        out_.jump_imm(BPF_JEQ, r1, 0, nil);
        for (size_t last = i + field.parts; i < last; i++)
            fill(plan_.values[i + 1], layout.fields[i + 1], record, too_long);
        out_.bind(nil);
    }
}

void Builder::fill(const PlannedValue &value, const Field &field, Location record,
                   const Assembler::Label *too_long)
{
    Location to = {record.base, record.offset + static_cast<int32_t>(field.offset)};
    Location status = {record.base, record.offset + static_cast<int32_t>(field.status_offset)};
    switch (field.shape) {
    case Shape::Integer:
    case Shape::Float:
    case Shape::Interface:
        return generate_.number(*value.expr, to, status);
    case Shape::Whole:
    case Shape::NetAddress:
        if (value.expr->op == Op::Parts)
            return generate_.parts(*value.expr, to);
        [[fallthrough]];
    case Shape::String:
    case Shape::Bytes:
    case Shape::Wide:
        return generate_.text(*value.expr, to, field.capacity, too_long);
    case Shape::Unknown:
    case Shape::Fixed:
        return;
    }
}

// Builds the key and the measured value on the stack, then calls the C function that counts.
void Builder::key()
{
    const Program::Layout &layout = plan_.layouts[0];
    uint32_t key_bytes = layout.record_bytes;
    int16_t measured = generate_.push(measured_bytes());
    int16_t key = generate_.push(key_bytes + addend_bytes()) + addend_bytes();
    // The kernel compares whole keys, so the bytes between the fields must have a defined value.
    for (uint32_t i = 0; i < key_bytes; i += 8)
        out_.store_imm(8, frame_reg, key + i, 0);
    fill_all(layout, {frame_reg, key}, nullptr);
    fill_measured(measured);
    fill_addends(key);

    forget_call();
    out_.move(r1, ctx_reg);
    out_.load_map(r2, MapSlot::Table);
    if (key_bytes || addend_bytes())
        generate_.stack_address(r3, key);
    else
        out_.set(r3, 0);
    load_measured(measured, r4, r5);
    out_.call(request_.event_output.function);
    generate_.pop(key_bytes + addend_bytes());
    generate_.pop(measured_bytes());
}

uint32_t Builder::addend_bytes() const
{
    return plan_.addends.size() * sizeof(sums_addend);
}

// Stores the addends on the stack, the last one at the lowest address.
void Builder::fill_addends(int16_t end)
{
    for (const ExprRef &addend : plan_.addends) {
        end -= sizeof(sums_addend);
        Location at = {frame_reg, end}, status = at;
        status.offset += offsetof(sums_addend, status);
        out_.store_imm(8, frame_reg, status.offset, 0);
        generate_.number(*addend, at, status);
    }
}

int16_t Builder::measured_bytes() const
{
    return plan_.measured ? 16 : 0;
}

// Stores the measured value and its status on the stack.
void Builder::fill_measured(int16_t offset)
{
    if (plan_.measured)
        generate_.number(*plan_.measured, {frame_reg, offset}, {frame_reg, offset + 8});
}

// Loads the measured value (or the number of its bucket) and its status. May clobber r5.
void Builder::load_measured(int16_t offset, Reg value, Reg status)
{
    if (plan_.measured)
        out_.load(8, value, frame_reg, offset);
    else
        out_.set(value, plan_.addends.size());
    if (request_.buckets)
        bucket(*request_.buckets, value);
    if (plan_.measured && plan_.measured->can_fail) {
        out_.load(4, status, frame_reg, offset + 8);
        out_.extend(status, 4, true);
    } else {
        out_.set(status, 0);
    }
}

// Replaces a value by the number of its bucket. May clobber r5.
void Builder::bucket(const output::LinearScale &scale, Reg value)
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
    if (any_below) {  // the kernel refuses unreachable code
        out_.bind(below);
        out_.set(value, 0);
        out_.jump(done);
    }
    out_.bind(above);
    out_.set(value, scale.buckets() - 1);
    out_.bind(done);
}

void Builder::emit_without_key(int64_t status)
{
    out_.move(r1, ctx_reg);
    out_.load_map(r2, MapSlot::Table);
    out_.set(r3, 0);
    out_.set(r4, 0);
    out_.set(r5, status);
    out_.call(request_.event_output.function);
}

void Builder::emit_lost(uint64_t tag)
{
    if (request_.event_output.kind == OutputKind::Key)
        return emit_without_key(-ENOSPC);
    out_.move(r1, ctx_reg);
    out_.set(r2, 0);
    out_.set(r3, tag);
    out_.call(request_.event_output.function);
}

// Counts the event as lost because the record of its call is missing, and leaves.
void Builder::lose()
{
    emit_lost(EVENT_LOST_CALL);
    out_.jump(silent_);
}

}  // namespace uscope::expr
