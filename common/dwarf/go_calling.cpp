// Implements Go's own calling convention: that of Go 1.17 and later on x86-64
// (cmd/compile/abi-internal.md in Go's source), and the older one.
//
// A value is divided into scalars: a string is a pointer and a length, a slice also has a capacity,
// an interface is two pointers, a structure consists of the scalars of its members. Each scalar is
// in the next of nine registers for integers and pointers (rax rbx rcx rdi rsi r8 r9 r10 r11) or of
// fifteen registers for floats. If not enough registers are left for all scalars of a value, the
// whole value is on the stack, after earlier such values. A value with an array of more than one
// element is never in registers. Results use the same registers, from the first one on.
//
//     func (s *Server) Do(name string, f float64, n int) (int, error)
//     s: rax   name: rbx, rcx   f: X0   n: rdi           results: rax; rbx, rcx
//
// Before Go 1.17, and for functions in assembly, all arguments are on the stack one after the
// other, aligned like the members of a structure. The results follow, from the next multiple of 8
// on.
#include "dwarf/go_calling.h"

#include <algorithm>
#include <iterator>

namespace uscope::dwarf {
namespace {

constexpr unsigned integer_registers = 9, float_registers = 15;
constexpr int max_scalar_nesting = 16;
constexpr size_t max_parts = integer_registers + float_registers;

// The scalars into which a value is divided.
struct Scalars {
    struct Scalar {
        uint64_t offset;
        bool is_float;
    };
    std::vector<Scalar> list;
    bool fits = true;  // false: never in registers, however many are left
    bool is_known = true;
    uint64_t alignment = 1;

    void add(uint64_t offset, bool is_float, uint64_t size)
    {
        list.push_back({offset, is_float});
        alignment = std::max(alignment, size);
        fits &= list.size() <= max_parts;
    }

    void take(std::optional<Dwarf_Die> type, uint64_t offset = 0, int nesting = 0)
    {
        auto base = peeled(type);
        if (!base || nesting > max_scalar_nesting) {
            is_known = false;
            return;
        }
        switch (dwarf_tag(&*base)) {
        case DW_TAG_base_type: {
            uint64_t encoding = number_of(*base, DW_AT_encoding).value_or(0), size = size_of(*base);
            if (encoding == DW_ATE_complex_float) {
                add(offset, true, size / 2);
                return add(offset + size / 2, true, size / 2);
            }
            return add(offset, encoding == DW_ATE_float, size);
        }
        case DW_TAG_pointer_type:
        case DW_TAG_subroutine_type:  // a pointer to a closure
            return add(offset, false, 8);
        case DW_TAG_structure_type:
            each_child(*base, [&](Dwarf_Die &member) {
                if (dwarf_tag(&member) == DW_TAG_member && list.size() <= max_parts)
                    take(reference(member, DW_AT_type), offset + member_offset(member).value_or(0),
                         nesting + 1);
                return true;
            });
            return;
        case DW_TAG_array_type:
            return take_array(*base, offset, nesting);
        default:
            is_known = false;
        }
    }

    void take_array(Dwarf_Die &array, uint64_t offset, int nesting)
    {
        uint64_t count = 0;
        each_child(array, [&](Dwarf_Die &range) {
            auto last = number_of(range, DW_AT_upper_bound);
            count = number_of(range, DW_AT_count).value_or(last ? *last + 1 : 0);
            return false;
        });
        Scalars element;
        element.take(reference(array, DW_AT_type), offset, nesting + 1);
        alignment = std::max(alignment, element.alignment);
        is_known &= element.is_known;
        fits &= count <= 1 && element.fits;
        if (count == 1)
            list.insert(list.end(), element.list.begin(), element.list.end());
    }
};

class GoAssigner {
  public:
    explicit GoAssigner(GoConvention convention, uint64_t stack = 0)
        : convention_(convention), stack_(stack)
    {
    }

    GoLocation locate(std::optional<Dwarf_Die> type)
    {
        Scalars scalars;
        scalars.take(type);
        is_known_ &= scalars.is_known;
        if (!is_known_)
            return {.is_known = false};
        unsigned floats = std::count_if(scalars.list.begin(), scalars.list.end(),
                                        [](const auto &scalar) { return scalar.is_float; });
        unsigned integers = scalars.list.size() - floats;
        GoLocation location;
        if (convention_ == GoConvention::Registers && scalars.fits &&
            integers_ + integers <= integer_registers && floats_ + floats <= float_registers) {
            for (auto [offset, is_float] : scalars.list)
                location.parts.push_back({offset, is_float ? 0 : ++integers_});
            floats_ += floats;
            return location;
        }
        align(scalars.alignment);
        location.stack = stack_;
        auto base = peeled(type);
        stack_ += base ? std::max<uint64_t>(size_of(*base), 1) : 8;
        return location;
    }

    uint64_t end_of_stack()
    {
        align(8);
        return stack_;
    }

  private:
    void align(uint64_t to) { stack_ = (stack_ + to - 1) / to * to; }

    GoConvention convention_;
    unsigned integers_ = 0, floats_ = 0;
    uint64_t stack_;
    bool is_known_ = true;
};

}  // namespace

GoLocations locate_go(GoConvention convention, const Types &parameters, const Types &results)
{
    GoLocations locations;
    GoAssigner arguments(convention);
    for (const auto &type : parameters)
        locations.parameters.push_back(arguments.locate(type));
    GoAssigner returned(convention, arguments.end_of_stack());
    for (const auto &type : results)
        locations.results.push_back(returned.locate(type));
    return locations;
}

unsigned go_slot_of_register(unsigned dwarf_register)
{
    constexpr unsigned order[] = {0, 3, 2, 5, 4, 8, 9, 10, 11};
    auto *found = std::find(std::begin(order), std::end(order), dwarf_register);
    return found == std::end(order) ? 0 : found - std::begin(order) + 1;
}

}  // namespace uscope::dwarf
