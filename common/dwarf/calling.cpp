// Implements the part of the System V calling convention of x86-64 (psABI 3.2.3) that decides which
// integer registers and stack words hold a function's arguments.
//
// There are six integer registers (rdi rsi rdx rcx r8 r9) and eight vector registers for arguments.
// They are assigned from left to right; arguments for which no register is left are on the stack,
// in 8-byte words. The convention divides an argument into pieces of 8 bytes, called eightbytes. A
// structure of up to 16 bytes is in one register for each eightbyte: a vector register if the
// eightbyte has only floating-point members, else an integer register. If not enough registers are
// left for all of the structure, all of it is on the stack. Larger structures, and those with
// unaligned members, are always on the stack. For a C++ object whose copying is not trivial, the
// caller makes a copy and passes a pointer to it. A function that returns an object in memory gets
// a pointer to that memory as an additional first argument, before `this`.
//
//     Large f(int a, double d, Pair p, int b)    // Large: 24 bytes, Pair: two longs
//     rdi = where to put the Large; a: slot 2, d: xmm0, p: slots 3 and 4, b: slot 5
//
// A result of up to 16 bytes is returned in the same way, in rax and rdx or in vector registers; a
// long double is in an x87 register. Probes can read only the integer registers.
//
// On arm64 (AAPCS64), there are eight integer registers, and the pointer to the result's memory is
// in x8, which is not one of them. The rules for structures are not implemented here: a structure
// passed by value and all arguments after it are reported as unknown.

#include "dwarf/calling.h"

#include <algorithm>

#include "base/format.h"

namespace uscope::dwarf {

namespace {

using Class = Passing::Class;

// Returns the parts of a structure that are in integer registers, the first one in slot `slot`.
std::vector<types::RegisterPart> parts_of(Convention convention, const Passing &passing,
                                          unsigned slot)
{
    // Each of Rust's registers holds a scalar: two small ones are not 8 bytes apart.
    bool is_known = convention == Convention::C || passing.size == max_by_value;
    if (!passing.is_structure || !is_known)
        return {};
    std::vector<types::RegisterPart> parts;
    for (unsigned i = 0; i < 2; i++)
        if (passing.parts[i] == Class::Integer)
            parts.push_back({i * uint64_t{8}, slot++});
    return parts;
}

// Assigns registers and stack words to the arguments of one call, from left to right.
class Assigner {
  public:
    explicit Assigner(const CallingRules &rules)
        : rules_(rules), integer_registers_(rules.machine == abi::Machine::Aarch64 ? 8 : 6)
    {
    }

    // The locations of all arguments from here on are unknown.
    void lose() { lost_ = true; }
    void take_result_pointer() { integers_++; }
    std::optional<unsigned> last_slot() const
    {
        if (lost_)
            return std::nullopt;
        return stack_slots_ ? integer_registers_ + stack_slots_ : integers_;
    }

    ArgumentSlot assign(std::optional<Dwarf_Die> type)
    {
        if (lost_)
            return {.why = "an argument after one whose type is unknown"};
        Passing passing = classify(rules_.convention, type);
        unsigned integers = passing.count(Class::Integer), vectors = passing.count(Class::Vector);
        if (passing.kind == Passing::Kind::Reference)
            return integer(true);
        if (is_lost_by(passing, integers + vectors)) {
            lost_ = true;
            return {.why = "an argument whose type is unknown"};
        }
        if (passing.kind == Passing::Kind::Registers && integers + vectors == 0)
            return {.why = "an object without members, which is not passed"};
        if (passing.kind == Passing::Kind::Registers && integers == 1 && vectors == 0 &&
            !passing.is_structure)
            return integer(false);
        if (passing.kind == Passing::Kind::Memory || integers_ + integers > integer_registers_ ||
            vectors_ + vectors > vector_registers)
            return on_stack(passing);
        return in_registers(passing, integers, vectors);
    }

  private:
    static constexpr unsigned vector_registers = 8;

    bool is_lost_by(const Passing &passing, unsigned registers) const
    {
        if (passing.kind == Passing::Kind::Unknown)
            return true;
        if (rules_.machine == abi::Machine::Aarch64)
            return passing.is_structure || passing.size > 8;
        // Rust may split a pair between the last register and the stack.
        return rules_.convention == Convention::Rust && passing.is_structure &&
               integers_ + registers > integer_registers_;
    }

    ArgumentSlot integer(bool by_reference)
    {
        unsigned slot =
            integers_ < integer_registers_ ? ++integers_ : integer_registers_ + ++stack_slots_;
        return {.slot = slot, .by_reference = by_reference};
    }

    ArgumentSlot on_stack(const Passing &passing)
    {
        if (passing.is_wide)
            stack_slots_ += stack_slots_ % 2;
        stack_slots_ += std::min<uint64_t>((passing.size + 7) / 8, 1 << 20);
        return {.why = passing.is_structure ? "a structure on the stack" : "a value on the stack"};
    }

    ArgumentSlot in_registers(const Passing &passing, unsigned integers, unsigned vectors)
    {
        unsigned first = integers_ + 1;
        integers_ += integers;
        vectors_ += vectors;
        if (!passing.is_structure && vectors > 0)
            return {.why = "a floating-point argument, in a vector register"};
        const char *what = passing.is_structure ? "a structure" : "a 16-byte integer";
        auto parts = parts_of(rules_.convention, passing, first);
        if (integers == 2)
            return {.why = fmt::format("{} in registers: its parts are arg{} and arg{}", what,
                                       first, first + 1),
                    .parts = std::move(parts)};
        if (integers == 0)
            return {.why = "a structure in vector registers"};
        return {
            .why = fmt::format("a structure in {}: {} arg{}", vectors ? "registers" : "a register",
                               vectors ? "its integer part is" : "it is", first),
            .parts = std::move(parts)};
    }

    CallingRules rules_;
    unsigned integer_registers_;
    unsigned integers_ = 0, vectors_ = 0, stack_slots_ = 0;  // in use so far
    bool lost_ = false;
};

// Does the function store its result in memory? The first argument then points to this memory, and
// at the return so does the return register.
bool is_returned_in_memory(const CallingRules &rules, std::optional<Dwarf_Die> return_type)
{
    if (!return_type || rules.machine == abi::Machine::Aarch64)
        return false;
    Passing passing = classify(rules.convention, return_type);
    return passing.is_structure &&
           (passing.kind == Passing::Kind::Memory || passing.kind == Passing::Kind::Reference);
}

}  // namespace

ArgumentSlot result_slot(const CallingRules &rules, Dwarf_Die return_type)
{
    bool is_arm = rules.machine == abi::Machine::Aarch64;
    const char *first = is_arm ? "reg(\"x0\")" : "reg(\"rax\")";
    const char *second = is_arm ? "reg(\"x1\")" : "reg(\"rdx\")";
    if (is_returned_in_memory(rules, return_type))
        return {.slot = 1, .by_reference = true};
    Passing passing = classify(rules.convention, return_type);
    unsigned integers = passing.count(Class::Integer), vectors = passing.count(Class::Vector);
    if (passing.kind == Passing::Kind::Unknown || (is_arm && passing.is_structure))
        return {.why = fmt::format("a value of an unknown type: {} may hold a part of it", first)};
    if (passing.kind == Passing::Kind::Memory || (vectors && !passing.is_structure))
        return {.why = "a floating-point value, in a register that probes cannot read"};
    const char *what = passing.is_structure ? "a structure" : "a 16-byte value";
    auto parts = parts_of(rules.convention, passing, 1);
    if (integers == 2)
        return {.why = fmt::format("{} in registers: its parts are {} and {}", what, first, second),
                .parts = std::move(parts)};
    if (integers == 1 && vectors == 1)
        return {.why = fmt::format("a structure in registers: its integer part is {}", first),
                .parts = std::move(parts)};
    if (integers == 1 && passing.is_structure)
        return {.why = fmt::format("a structure in a register: it is {}", first),
                .parts = std::move(parts)};
    if (integers == 1)
        return {.slot = 1};
    return {.why = vectors ? "a structure in vector registers, which probes cannot read"
                           : "an object without members, which is not returned"};
}

ArgumentSlots parameter_slots(const CallingRules &rules, std::optional<Dwarf_Die> return_type,
                              const std::vector<std::optional<Dwarf_Die>> &parameters)
{
    Assigner assigner(rules);
    if (is_returned_in_memory(rules, return_type))
        assigner.take_result_pointer();
    else if (return_type && classify(rules.convention, return_type).kind == Passing::Kind::Unknown)
        assigner.lose();
    ArgumentSlots slots;
    for (const auto &type : parameters)
        slots.parameters.push_back(assigner.assign(type));
    slots.last_slot = assigner.last_slot();
    return slots;
}

unsigned slot_of_register(abi::Machine machine, unsigned dwarf_register)
{
    if (machine == abi::Machine::Aarch64)
        return dwarf_register < 8 ? dwarf_register + 1 : 0;
    constexpr unsigned order[] = {5, 4, 1, 2, 8, 9};  // rdi rsi rdx rcx r8 r9
    auto found = std::find(std::begin(order), std::end(order), dwarf_register);
    return found == std::end(order) ? 0 : found - std::begin(order) + 1;
}

}  // namespace uscope::dwarf
