// The stack machine. It supports arithmetic (except division), comparisons, and reads of registers
// and memory, but neither jumps nor calls.
#include "elf/frame_expression.h"

#include <vector>

#include "elf/encoded_reader.h"

namespace uscope::elf {
namespace {

// The numbers of DWARF's operations: op_deref is DW_OP_deref.
enum : uint8_t {
    op_deref = 0x06,
    op_const1u = 0x08,
    op_const1s,
    op_const2u,
    op_const2s,
    op_const4u,
    op_const4s,
    op_const8u,
    op_const8s,
    op_constu,
    op_consts,
    op_dup,
    op_drop,
    op_over,
    op_swap = 0x16,
    op_and = 0x1a,
    op_minus = 0x1c,
    op_mul = 0x1e,
    op_neg,
    op_not,
    op_or,
    op_plus,
    op_plus_uconst,
    op_shl,
    op_shr,
    op_shra,
    op_xor,
    op_eq = 0x29,
    op_ge,
    op_gt,
    op_le,
    op_lt,
    op_ne,
    op_lit0 = 0x30,
    op_lit31 = 0x4f,
    op_breg0 = 0x70,
    op_breg31 = 0x8f,
    op_nop = 0x96,
};

class Evaluation {
  public:
    Evaluation(Bytes expression, const ExpressionInput &input)
        : reader_(expression, 0), input_(input)
    {
    }

    std::optional<uint64_t> run(std::optional<uint64_t> first)
    {
        constexpr size_t max_depth = 64;
        if (first)
            push(*first);
        while (!reader_.at_end() && !failed_ && stack_.size() < max_depth)
            execute(reader_.take<uint8_t>());
        if (failed_ || !reader_.at_end() || reader_.failed() || stack_.empty())
            return std::nullopt;
        return stack_.back();
    }

  private:
    void push(uint64_t value) { stack_.push_back(value); }
    void push(std::optional<uint64_t> value)
    {
        failed_ |= !value;
        stack_.push_back(value.value_or(0));
    }
    uint64_t pop()
    {
        if (stack_.empty()) {
            failed_ = true;
            return 0;
        }
        uint64_t value = stack_.back();
        stack_.pop_back();
        return value;
    }

    void execute(uint8_t op)
    {
        if (op >= op_lit0 && op <= op_lit31)
            return push(uint64_t(op - op_lit0));
        if (op >= op_breg0 && op <= op_breg31) {
            int64_t offset = reader_.sleb();
            auto base = input_.read_register(op - op_breg0);
            return push(base ? std::optional(*base + uint64_t(offset)) : std::nullopt);
        }
        if (!execute_constant(op) && !execute_unary(op))
            execute_binary(op);
    }

    bool execute_constant(uint8_t op)
    {
        switch (op) {
        case op_const1u:
            push(uint64_t(reader_.take<uint8_t>()));
            return true;
        case op_const1s:
            push(uint64_t(int64_t(reader_.take<int8_t>())));
            return true;
        case op_const2u:
            push(uint64_t(reader_.take<uint16_t>()));
            return true;
        case op_const2s:
            push(uint64_t(int64_t(reader_.take<int16_t>())));
            return true;
        case op_const4u:
            push(uint64_t(reader_.take<uint32_t>()));
            return true;
        case op_const4s:
            push(uint64_t(int64_t(reader_.take<int32_t>())));
            return true;
        case op_const8u:
        case op_const8s:
            push(reader_.take<uint64_t>());
            return true;
        case op_constu:
            push(reader_.uleb());
            return true;
        case op_consts:
            push(uint64_t(reader_.sleb()));
            return true;
        default:
            return false;
        }
    }

    bool execute_unary(uint8_t op)
    {
        switch (op) {
        case op_deref:
            push(input_.read_memory(pop()));
            return true;
        case op_dup: {
            uint64_t top = pop();
            push(top);
            push(top);
            return true;
        }
        case op_drop:
            pop();
            return true;
        case op_neg:
            push(0 - pop());
            return true;
        case op_not:
            push(~pop());
            return true;
        case op_plus_uconst: {
            uint64_t added = reader_.uleb();
            push(pop() + added);
            return true;
        }
        case op_nop:
            return true;
        default:
            return false;
        }
    }

    void execute_binary(uint8_t op)
    {
        uint64_t right = pop(), left = pop();
        auto a = int64_t(left), b = int64_t(right);
        switch (op) {
        case op_over:
            push(left);
            push(right);
            return push(left);
        case op_swap:
            push(right);
            return push(left);
        case op_and:
            return push(left & right);
        case op_or:
            return push(left | right);
        case op_xor:
            return push(left ^ right);
        case op_plus:
            return push(left + right);
        case op_minus:
            return push(left - right);
        case op_mul:
            return push(left * right);
        case op_shl:
            return push(right < 64 ? left << right : 0);
        case op_shr:
            return push(right < 64 ? left >> right : 0);
        case op_shra:
            return push(uint64_t(a >> (right < 64 ? right : 63)));
        case op_eq:
            return push(uint64_t(a == b));
        case op_ne:
            return push(uint64_t(a != b));
        case op_ge:
            return push(uint64_t(a >= b));
        case op_gt:
            return push(uint64_t(a > b));
        case op_le:
            return push(uint64_t(a <= b));
        case op_lt:
            return push(uint64_t(a < b));
        default:
            failed_ = true;
        }
    }

    EncodedReader reader_;
    const ExpressionInput &input_;
    std::vector<uint64_t> stack_;
    bool failed_ = false;
};

}  // namespace

std::optional<uint64_t> evaluate(Bytes expression, std::optional<uint64_t> first,
                                 const ExpressionInput &input)
{
    return Evaluation(expression, input).run(first);
}

}  // namespace uscope::elf
