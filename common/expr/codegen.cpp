// Generates code for values and conditions. codegen_arithmetic.cpp generates the operators on
// numbers, codegen_text.cpp strings and reads of memory.
#include "expr/codegen.h"

#include <algorithm>
#include <array>

namespace uscope::expr {
namespace {

struct Jump {  // how to jump if a comparison is true
    Op op;
    uint8_t jump_unsigned, jump_signed;
    Op inverse, swapped;  // the opposite of `op`; the same as `op` with swapped operands
};
constexpr std::array<Jump, 6> jumps = {{
    {Op::Equal, BPF_JEQ, BPF_JEQ, Op::NotEqual, Op::Equal},
    {Op::NotEqual, BPF_JNE, BPF_JNE, Op::Equal, Op::NotEqual},
    {Op::Less, BPF_JLT, BPF_JSLT, Op::GreaterEqual, Op::Greater},
    {Op::LessEqual, BPF_JLE, BPF_JSLE, Op::Greater, Op::GreaterEqual},
    {Op::Greater, BPF_JGT, BPF_JSGT, Op::LessEqual, Op::Less},
    {Op::GreaterEqual, BPF_JGE, BPF_JSGE, Op::Less, Op::LessEqual},
}};

const Jump &jump_of(Op op)
{
    return jumps[static_cast<size_t>(op) - static_cast<size_t>(Op::Equal)];
}

}  // namespace

Generator::Generator(Assembler &out, const ProgramRequest &request,
                     const std::vector<SavedItem> &saved, Slots placed)
    : out_(out), request_(request), saved_(saved)
{
    static constexpr std::array<uint8_t, 9> bytes = {8, 8, 16, 8, 16, 8, 8, 8, 8};
    for (size_t i = 0; i < slots_.size(); i++)
        if (placed & 1u << i)
            slots_[i] = push(bytes[i]);
}

int16_t Generator::slot(Slot slot)
{
    auto index = static_cast<size_t>(slot);
    used_slots_ |= 1u << index;
    return slots_[index];
}

void Generator::value(const Expr &expr, Reg dst, unsigned busy)
{
    if (is_condition(expr.op))
        return truth(expr, dst, busy);
    switch (expr.op) {
    case Op::Constant:
        return out_.set(dst, expr.number);
    case Op::Context:
        if (is_returned_value(expr))
            out_.load(expr.type->size, dst, frame_reg, slot(Slot::ExitValue));
        else
            out_.load(expr.type->size, dst, ctx_reg, expr.number);
        if (expr.type->is_signed)
            out_.extend(dst, expr.type->size, true);
        return;
    case Op::ContextAddress:
        out_.move(dst, ctx_reg);
        return out_.add(dst, expr.number, r0);
    case Op::Builtin:
        return builtin(expr, dst);
    case Op::Load:
        return load(expr, dst);
    case Op::Saved:
        return saved(expr, dst);
    case Op::Convert:
        return convert(expr, dst, busy);
    case Op::Negate:
    case Op::Complement:
    case Op::SwapBytes:
        return unary(expr, dst, busy);
    case Op::Choose:
        return choose(expr, dst, busy);
    default:
        return binary(expr, dst, busy);
    }
}

// Is it the register with the returned value, which has it only after the code behind a branch?
bool Generator::is_returned_value(const Expr &expr) const
{
    abi::Machine machine = request_.scope->machine;
    return request_.calls.at_branches && expr.number == abi::return_value(machine).pt_regs_offset;
}

// Puts the value of a condition, 0 or 1, into `dst`.
void Generator::truth(const Expr &expr, Reg dst, unsigned busy)
{
    Label no = out_.label(), end = out_.label();
    unsigned before = available_;
    condition(expr, no, false, busy);
    out_.set(dst, 1);
    out_.jump(end);
    out_.bind(no);
    out_.set(dst, 0);
    out_.bind(end);
    available_ = before;
}

void Generator::choose(const Expr &expr, Reg dst, unsigned busy)
{
    Label otherwise = out_.label(), end = out_.label();
    unsigned before = available_;
    condition(*expr.children[0], otherwise, false, busy);
    value(*expr.children[1], dst, busy);
    out_.jump(end);
    out_.bind(otherwise);
    available_ = before;
    value(*expr.children[2], dst, busy);
    out_.bind(end);
    available_ = before;
}

void Generator::convert(const Expr &expr, Reg dst, unsigned busy)
{
    const Expr &from = *expr.children[0];
    value(from, dst, busy);
    if (expr.type->kind != types::Type::Kind::Float && !keeps_form(*from.type, *expr.type))
        out_.extend(dst, expr.type->size, expr.type->is_signed);
}

Reg Generator::free_register(unsigned busy) const
{
    for (Reg reg : {r1, r2, r3, r4, r5})
        if (!(busy & bit(reg)))
            return reg;
    return r0;  // all are busy; r0 never holds a value for long
}

void Generator::require(const Expr &expr, Label rejected)
{
    failed_ = &rejected;
    condition(expr, rejected, false);
    failed_ = nullptr;
}

void Generator::word(const Expr &expr, Reg dst, Label unknown)
{
    failed_ = &unknown;
    value(expr, dst);
    failed_ = nullptr;
}

void Generator::condition(const Expr &expr, Label target, bool when, unsigned busy)
{
    switch (expr.op) {
    case Op::Not:
        return condition(*expr.children[0], target, !when, busy);
    case Op::Both:
    case Op::Either: {
        // If the left side has this value, the right side is not evaluated.
        bool decisive = expr.op == Op::Either;
        if (decisive == when) {
            condition(*expr.children[0], target, when, busy);
            condition(*expr.children[1], target, when, busy);
            return;
        }
        Label decided = out_.label();
        unsigned before = available_;
        condition(*expr.children[0], decided, decisive, busy);
        condition(*expr.children[1], target, when, busy);
        out_.bind(decided);
        available_ = before;
        return;
    }
    case Op::TextEqual:
        return text_equal(expr, target, when);
    default:
        break;
    }
    if (is_condition(expr.op))
        return compare(expr, target, when, busy);
    Reg reg = free_register(busy);
    value(expr, reg, busy);
    out_.jump_imm(when ? BPF_JNE : BPF_JEQ, reg, 0, target);
}

void Generator::compare(const Expr &expr, Label target, bool when, unsigned busy)
{
    const Expr *left = expr.children[0].get(), *right = expr.children[1].get();
    bool is_signed = left->type->is_signed;
    Op op = when ? expr.op : jump_of(expr.op).inverse;
    if (left->op == Op::Constant) {
        std::swap(left, right);
        op = jump_of(op).swapped;
    }
    const Jump &jump = jump_of(op);
    uint8_t code = is_signed ? jump.jump_signed : jump.jump_unsigned;
    Reg reg = free_register(busy);
    if (right->op == Op::Constant) {
        value(*left, reg, busy);
        if (fits_immediate(right->number))
            return out_.jump_imm(code, reg, right->number, target);
        out_.set(r0, right->number);
        return out_.jump(code, reg, r0, target);
    }
    Reg other;
    operands(expr, reg, &other, busy);
    out_.jump(code, reg, other, target);
}

void Generator::ids(const Label *unwanted)
{
    if (available_ & has_ids)
        return;
    const ProcessFilter &filter = request_.filter;
    if (filter.pidns_inode && unwanted) {
        out_.set(r1, filter.pidns_device);
        out_.set(r2, filter.pidns_inode);
        stack_address(r3, slot(Slot::Ids));
        out_.set(r4, 8);
        out_.call(BPF_FUNC_get_ns_current_pid_tgid);
        out_.jump_imm(BPF_JNE, r0, 0, *unwanted);
    } else {
        out_.call(BPF_FUNC_get_current_pid_tgid);
        out_.store(8, frame_reg, slot(Slot::Ids), r0);
    }
    available_ |= has_ids;
}

void Generator::owner()
{
    if (available_ & has_owner)
        return;
    out_.call(BPF_FUNC_get_current_uid_gid);
    out_.store(8, frame_reg, slot(Slot::Owner), r0);
    available_ |= has_owner;
}

void Generator::comm()
{
    if (available_ & has_comm)
        return;
    // The helper of Linux 6.1 does not write the bytes after a short name's terminator.
    out_.store_imm(8, frame_reg, slot(Slot::Comm), 0);
    out_.store_imm(8, frame_reg, slot(Slot::Comm) + 8, 0);
    stack_address(r1, slot(Slot::Comm));
    out_.set(r2, 16);
    out_.call(BPF_FUNC_get_current_comm);
    available_ |= has_comm;
}

void Generator::builtin(const Expr &expr, Reg dst)
{
    switch (expr.builtin) {
    case Builtin::Tid:
    case Builtin::Pid:
        ids();
        return out_.load(4, dst, frame_reg,
                         slot(Slot::Ids) + (expr.builtin == Builtin::Pid ? 4 : 0));
    case Builtin::Uid:
    case Builtin::Gid:
        owner();
        return out_.load(4, dst, frame_reg,
                         slot(Slot::Owner) + (expr.builtin == Builtin::Gid ? 4 : 0));
    case Builtin::Latency:
        return out_.load(8, dst, frame_reg, slot(Slot::Latency));
    case Builtin::Cpu:
        out_.call(BPF_FUNC_get_smp_processor_id);
        break;
    case Builtin::Task:
        out_.call(BPF_FUNC_get_current_task);
        break;
    case Builtin::Nsecs:
        out_.call(BPF_FUNC_ktime_get_ns);
        break;
    default:
        out_.call(BPF_FUNC_get_current_cgroup_id);
        break;
    }
    out_.move(dst, r0);
}

const SavedItem &Generator::saved_item(const Expr &value) const
{
    return *std::find_if(saved_.begin(), saved_.end(),
                         [&](const SavedItem &item) { return same(*item.value, value); });
}

void Generator::saved(const Expr &expr, Reg dst)
{
    const SavedItem &item = saved_item(*expr.children[0]);
    if (item.status_offset) {
        load(4, r0, {saved_reg, static_cast<int32_t>(item.status_offset)});
        out_.jump_imm(BPF_JNE, r0, 0, *failed_);
    }
    load(8, dst, {saved_reg, static_cast<int32_t>(item.offset)});
}

void Generator::number(const Expr &expr, Location to, Location status)
{
    if (!expr.can_fail) {
        value(expr, r1);
        return store(8, to, r1, r2);
    }
    Label failed = out_.label(), done = out_.label();
    unsigned before = available_;
    failed_ = &failed;
    value(expr, r1);
    failed_ = nullptr;
    out_.set(r0, 0);
    out_.jump(done);
    out_.bind(failed);
    out_.set(r1, 0);
    out_.bind(done);
    available_ = before;
    store(8, to, r1, r2);
    store(4, status, r0, r2);
}

void Generator::stack_address(Reg dst, int16_t offset)
{
    address(dst, {frame_reg, offset});
}

void Generator::address(Reg dst, Location at)
{
    out_.move(dst, at.base);
    out_.add(dst, at.offset, r0);
}

void Generator::load(uint8_t size, Reg dst, Location at)
{
    if (at.offset <= INT16_MAX)
        return out_.load(size, dst, at.base, at.offset);
    address(dst, at);
    out_.load(size, dst, dst, 0);
}

void Generator::store(uint8_t size, Location at, Reg src, Reg scratch)
{
    if (at.offset <= INT16_MAX)
        return out_.store(size, at.base, at.offset, src);
    address(scratch, at);
    out_.store(size, scratch, 0, src);
}

int16_t Generator::push(uint32_t bytes)
{
    depth_ += bytes;
    deepest_ = std::max(deepest_, depth_);
    // If the stack is too deep, Builder::finish() reports it; until then, any offset will do.
    return -std::min(depth_, INT16_MAX + 0);
}

void Generator::pop(uint32_t bytes)
{
    depth_ -= bytes;
}

}  // namespace uscope::expr
