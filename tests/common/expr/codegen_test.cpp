// Generates programs for random expressions, and compares their results with those of an evaluation
// by the rules of C. Also checks the listings of some programs.
#include <random>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/format.h"
#include "support/bpf_interpreter.h"
#include "support/expr_program.h"

using namespace uscope;
using namespace uscope::expr;
using uscope::test::BpfInterpreter;
using uscope::test::TestRequest;

namespace {

// A number with a C type, stored exactly in 128 bits. is_none: there is no value, because of a
// division by zero or unmapped memory.
struct Number {
    __int128 value = 0;
    int size = 4;
    bool is_signed = true;
    bool is_none = false;
};

Number wrap(__int128 value, int size, bool is_signed)
{
    auto bits = static_cast<unsigned __int128>(value) &
                ((static_cast<unsigned __int128>(1) << size * 8) - 1);
    __int128 result = static_cast<__int128>(bits);
    if (is_signed && (bits >> (size * 8 - 1)))
        result -= static_cast<__int128>(1) << size * 8;
    return {result, size, is_signed};
}

Number promoted(Number n)
{
    return n.size < 4 ? Number{n.value, 4, true, n.is_none} : n;
}

using NameValues = std::map<std::string, Number, std::less<>>;

class Reference {
  public:
    explicit Reference(const NameValues &names) : names_(names) {}

    Number evaluate(const Node &node) const
    {
        if (node.kind == NodeKind::Conditional || node.text == "&&" || node.text == "||")
            return choice(node);
        if (node.kind == NodeKind::Arrow)
            return names_.at("p->" + node.text);
        Number result = strict(node);
        for (const NodeRef &child : node.children)
            result.is_none |= evaluate(*child).is_none;
        return result;
    }

  private:
    // The result of ?: has a value even if the operand that C does not evaluate has none.
    Number choice(const Node &node) const
    {
        Number first = evaluate(*node.children[0]), second = evaluate(*node.children[1]);
        if (node.kind != NodeKind::Conditional) {
            bool decided = (first.value != 0) == (node.text == "||");
            const Number &decisive = decided ? first : second;
            return {decisive.value != 0, 4, true, first.is_none || decisive.is_none};
        }
        Number yes = promoted(second), no = promoted(evaluate(*node.children[2]));
        Number type = common(yes, no);
        const Number &chosen = first.value ? yes : no;
        Number result = wrap(chosen.value, type.size, type.is_signed);
        result.is_none = first.is_none || chosen.is_none;
        return result;
    }

    Number strict(const Node &node) const
    {
        auto child = [&](size_t index) { return evaluate(*node.children[index]); };
        switch (node.kind) {
        case NodeKind::Number:
            return wrap(node.number, node.is_long ? 8 : 4, !node.is_unsigned);
        case NodeKind::Name:
            return names_.at(node.text);
        case NodeKind::Cast: {
            types::TypeRef type = types::parse_type(node.text);
            return wrap(child(0).value, type->size, type->is_signed);
        }
        case NodeKind::Unary: {
            Number n = promoted(child(0));
            if (node.text == "!")
                return {n.value == 0, 4, true};
            if (node.text == "+")
                return n;
            return wrap(node.text == "-" ? -n.value : ~n.value, n.size, n.is_signed);
        }
        default:
            return binary(node.text, child(0), child(1));
        }
    }

    static Number common(Number a, Number b)
    {
        if (a.size != b.size)
            return a.size > b.size ? a : b;
        return {0, a.size, a.is_signed && b.is_signed};
    }

    // The product of two unsigned 64-bit numbers may not fit in a signed 128-bit one; wrap() takes
    // the low bits.
    static __int128 product(unsigned __int128 x, unsigned __int128 y)
    {
        return static_cast<__int128>(x * y);
    }

    static Number binary(const std::string &op, Number a, Number b)
    {
        a = promoted(a);
        b = promoted(b);
        if (op == "<<" || op == ">>") {
            int count = static_cast<int>(b.value & (a.size * 8 - 1));
            return wrap(op == "<<" ? a.value << count : a.value >> count, a.size, a.is_signed);
        }
        Number type = common(a, b);
        __int128 x = wrap(a.value, type.size, type.is_signed).value;
        __int128 y = wrap(b.value, type.size, type.is_signed).value;
        if (op == "==" || op == "!=" || op[0] == '<' || op[0] == '>') {
            bool holds = op == "=="   ? x == y
                         : op == "!=" ? x != y
                         : op == "<"  ? x < y
                         : op == "<=" ? x <= y
                         : op == ">"  ? x > y
                                      : x >= y;
            return {holds, 4, true};
        }
        if ((op == "/" || op == "%") && y == 0)
            return {0, type.size, type.is_signed, true};
        __int128 result = op == "+"   ? x + y
                          : op == "-" ? x - y
                          : op == "*" ? product(x, y)
                          : op == "/" ? x / y
                          : op == "%" ? x % y
                          : op == "&" ? (x & y)
                          : op == "|" ? (x | y)
                                      : (x ^ y);
        return wrap(result, type.size, type.is_signed);
    }

    const NameValues &names_;
};

class RandomExpressions {
  public:
    explicit RandomExpressions(unsigned seed) : random_(seed) {}

    std::string expression(int depth)
    {
        if (depth == 0 || below(6) == 0)
            return leaf();
        auto inside = [&] { return expression(depth - 1); };
        switch (below(10)) {
        case 0:
            return pick({"-", "~", "!", "+"}) + "(" + inside() + ")";
        case 1:
            return "(" + pick({"int", "unsigned", "short", "char", "long", "uint8_t", "u64"}) +
                   ")(" + inside() + ")";
        case 2:
            return "((" + inside() + ") ? (" + inside() + ") : (" + inside() + "))";
        case 3:
            return "(" + inside() + ") " + pick({"&&", "||"}) + " (" + inside() + ")";
        case 4:
            return "(" + inside() + ") " + pick({"<", "<=", ">", ">=", "==", "!="}) + " (" +
                   inside() + ")";
        default:
            return "(" + inside() + ") " +
                   pick({"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"}) + " (" + inside() +
                   ")";
        }
    }

    uint64_t number()
    {
        switch (below(4)) {
        case 0:
            return below(10);
        case 1:
            return -uint64_t(below(10));
        case 2:
            return uint64_t(1) << below(64);
        default:
            return random_();
        }
    }

  private:
    unsigned below(unsigned limit) { return random_() % limit; }
    std::string pick(std::vector<std::string> choices) { return choices[below(choices.size())]; }
    std::string leaf()
    {
        if (below(3) == 0)
            return fmt::format("{}{}", number(), pick({"", "u", "l"}));
        return pick({"arg1", "arg2", "arg3", "i", "u", "h", "b", "l", "seven", "p->id", "p->flags",
                     "p->low", "p->high", "p->cross", "on_stack"});
    }

    std::mt19937_64 random_;
};

constexpr uint64_t node_at = 0x7000'0000'5000, stack_at = 0x7fff'0000;

// Gives the registers and the memory of one event random values; returns the values of all
// variables.
NameValues set_up_event(RandomExpressions &random, BpfInterpreter &run)
{
    NameValues names;
    auto in_register = [&](const char *name, uint32_t offset, int size, bool is_signed,
                           int shift = 0) {
        uint64_t value = random.number();
        run.set_context(offset, value);
        names[name] = wrap(value >> shift, size, is_signed);
    };
    in_register("arg2", 104, 8, false);
    in_register("arg3", 96, 8, false);
    in_register("i", 72, 4, true);
    in_register("u", 64, 4, false);
    in_register("h", 56, 2, true);
    in_register("b", 80, 1, false, 8);
    in_register("l", 40, 8, true);
    bool is_mapped = random.number() % 4;
    run.set_context(112, node_at);
    run.set_context(152, stack_at);
    names["arg1"] = wrap(node_at, 8, false);
    names["seven"] = {7, 4, true};

    std::string node(72, '\0');
    for (size_t i = 0; i < node.size(); i += 8) {
        uint64_t value = random.number();
        memcpy(&node[i], &value, sizeof(value));
    }
    auto at = [&](size_t offset) { return *Bytes(node).read<uint32_t>(offset); };
    names["p->id"] = wrap(at(0), 4, true);
    names["p->flags"] = wrap(at(4), 1, false);
    names["p->low"] = wrap(at(5) & 7, 4, false);
    __int128 high = (at(5) >> 3) & 31;
    names["p->high"] = {high < 16 ? high : high - 32, 4, true};
    names["p->cross"] = wrap((at(64) >> 6) & 0xfff, 8, false);
    if (is_mapped)
        run.add_user_memory(node_at, node);
    for (auto &[name, number] : names)
        number.is_none = name.starts_with("p->") && !is_mapped;
    std::string stack(16, '\0');
    uint64_t value = random.number();
    memcpy(&stack[8], &value, 8);
    names["on_stack"] = wrap(value, 4, true);
    run.add_user_memory(stack_at, stack);
    return names;
}

TEST(Codegen, CalculatesAsCDoes)
{
    RandomExpressions random(20240607);
    size_t compiled = 0;
    for (int round = 0; round < 6000; round++) {
        TestRequest request;
        std::string text = random.expression(1 + round % 6);
        request.values = {{text}};
        bool has_predicate = round % 3;
        if (has_predicate)
            request.predicate = text;
        request.request.sleepable = round % 2;
        auto program = request.compile();
        if (!program) {  // a random expression can only fail to compile for these reasons
            bool expected = program.error().text == "division by zero" ||
                            program.error().text.find("shift count") != std::string::npos ||
                            program.error().text.find("bytes of stack") != std::string::npos;
            ASSERT_TRUE(expected) << program.error().text << "\n" << text;
            continue;
        }
        compiled++;
        BpfInterpreter run(*program);
        NameValues names = set_up_event(random, run);
        auto node = parse(text);
        Number expected = Reference(names).evaluate(**node);
        auto result = run.run();
        ASSERT_TRUE(result.has_value()) << result.error().text << "\n"
                                        << text << "\n"
                                        << listing(*program);
        bool wanted = expected.value != 0 && !expected.is_none;
        ASSERT_EQ(run.emitted.size(), wanted || !has_predicate) << text << "\n"
                                                                << listing(*program);
        if (run.emitted.empty())
            continue;
        const Field &field = program->layouts[0].fields[0];
        Bytes record(*run.emitted[0].record);
        int32_t status = field.status_offset ? *record.read<int32_t>(field.status_offset) : 0;
        ASSERT_EQ(status < 0, expected.is_none) << text << "\n" << listing(*program);
        if (expected.is_none)
            continue;
        auto value = record.read<uint64_t>(field.offset);
        ASSERT_EQ(*value, static_cast<uint64_t>(expected.value)) << text << "\n"
                                                                 << listing(*program);
        ASSERT_EQ(field.size, expected.size) << text;
        ASSERT_EQ(field.is_signed, expected.is_signed) << text;
    }
    EXPECT_GT(compiled, 5000u);
}

std::string listing_of(const std::string &predicate, std::vector<TestRequest::Value> values = {})
{
    TestRequest request;
    request.predicate = predicate;
    request.values = std::move(values);
    return listing(test::must_compile(request));
}

TEST(Codegen, AnIntegerConditionIsLoadsAndJumps)
{
    EXPECT_EQ(listing_of("arg1 == 3 && arg2 > 4", {{"arg1"}}), R"(   0: r6 = r1
   1: r1 = *(u64 *)(r6 + 112)
   2: if r1 != 3 goto 24
   3: r1 = *(u64 *)(r6 + 104)
   4: if r1 <= 4 goto 24
   5: r1 = map events
   7: r2 = 24
   8: r3 = 0
   9: call ringbuf_reserve
  10: if r0 == 0 goto 19
  11: r7 = r0
  12: r1 = *(u64 *)(r6 + 112)
  13: *(u64 *)(r7 + 16) = r1
  14: r1 = r6
  15: r2 = r7
  16: r3 = 0
  17: call emit()
  18: goto 24
  19: r1 = r6
  20: r2 = 0
  21: r3 = 0x8000000000000000 ll
  23: call emit()
  24: r0 = 0
  25: exit
)");
}

TEST(Codegen, AStringIsReadOnceAndComparedInWords)
{
    std::string text = listing_of("path == \"/etc/passwd\"");
    EXPECT_NE(text.find(R"(   1: r3 = *(u64 *)(r6 + 104)
   2: r1 = r10
   3: r1 += -16
   4: r2 = 13
   5: call probe_read_user_str
   6: if r0 != 12 goto 30
   7: r1 = *(u64 *)(r10 - 16)
   8: r2 = 0x7361702f6374652f ll
  10: if r1 != r2 goto 30
  11: r1 = *(u32 *)(r10 - 8)
  12: if r1 != 6584179 goto 30
)"),
              std::string::npos)
        << text;
}

TEST(Codegen, InTheKernelOnlyMarkedPointersLeadToUserMemory)
{
    auto reads = [](const char *value) {
        TestRequest request;
        request.scope.kernel_memory = true;
        request.values = {{value, ValueForm::String}};
        std::string text = listing(test::must_compile(request));
        return std::pair(text.find("probe_read_kernel_str") != text.npos,
                         text.find("probe_read_user_str") != text.npos);
    };
    EXPECT_EQ(reads("arg1"), std::pair(true, false));
    EXPECT_EQ(reads("arg1@user"), std::pair(false, true));
    EXPECT_EQ(reads("(char __user *)arg1"), std::pair(false, true));
    EXPECT_EQ(reads("(char __user *)arg1 + 1"), std::pair(false, true));
    EXPECT_EQ(reads("(char *)arg1@user"), std::pair(false, true));
}

}  // namespace
