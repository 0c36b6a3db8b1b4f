// A variable's location is an expression for a stack machine (DWARF 5, 2.5), or a list of them for
// ranges of code. Nearly all have one operation, which this file knows: a register, an address
// relative to a register or to the stack frame, a fixed address, or a constant. The others, such as
// a structure in several registers, are Nowhere.
#include "dwarf/local_variables.h"

#include "dwarf/session.h"
#include "dwarf/types.h"

namespace uscope::dwarf {
namespace {

using Place = LocalVariable::Place;

bool is_variable(Dwarf_Die &die)
{
    int tag = dwarf_tag(&die);
    return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
}

// The entry that has the name: that of the function from which this one was inlined, or itself.
Dwarf_Die named(Dwarf_Die die)
{
    auto origin = reference(die, DW_AT_abstract_origin);
    return origin ? *origin : die;
}

// The scopes of the line, the innermost first.
std::vector<Dwarf_Die> scopes_of(const Debug &debug, const LinePosition &at)
{
    auto unit = debug.session()->find_unit(at.vaddr);
    if (!unit)
        return {};
    Dwarf_Die whole = split_or_itself(*unit);
    auto scopes = scopes_of(whole, at);
    return {scopes.rbegin(), scopes.rend()};
}

// Is the frame base of the function with these scopes the CFA? If it is a register instead, puts
// DWARF's number of that into `base`.
bool find_frame_base(std::vector<Dwarf_Die> &scopes, uint64_t vaddr, std::optional<unsigned> &base)
{
    for (Dwarf_Die &scope : scopes) {
        Dwarf_Attribute attribute;
        Dwarf_Op *ops = nullptr;
        size_t count = 0;
        if (!dwarf_attr(&scope, DW_AT_frame_base, &attribute))
            continue;
        if (dwarf_getlocation_addr(&attribute, vaddr, &ops, &count, 1) != 1 || count != 1)
            return false;
        if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
            base = ops[0].atom - DW_OP_reg0;
        return ops[0].atom == DW_OP_call_frame_cfa;
    }
    return false;
}

// Sets `place` by the variable's location at `vaddr`.
void set_place(LocalVariable &found, std::vector<Dwarf_Die> &scopes, Dwarf_Attribute &location,
               uint64_t vaddr)
{
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (dwarf_getlocation_addr(&location, vaddr, &ops, &count, 1) != 1 || count == 0) {
        found.why = "the compiler keeps no value of it here";
        return;
    }
    const Dwarf_Op &op = ops[0];
    bool is_value = count == 2 && ops[1].atom == DW_OP_stack_value;
    found.number = static_cast<int64_t>(op.number);
    if (is_value && op.atom >= DW_OP_lit0 && op.atom <= DW_OP_lit31) {
        found.place = Place::Constant;
        found.number = op.atom - DW_OP_lit0;
    } else if (is_value && op.atom >= DW_OP_const1u && op.atom <= DW_OP_consts) {
        found.place = Place::Constant;
    } else if (count != 1) {
        found.why = "it is in several places, or calculated from others";
    } else if (op.atom == DW_OP_addr) {
        found.place = Place::Static;
    } else if (op.atom >= DW_OP_reg0 && op.atom <= DW_OP_reg31) {
        found.place = Place::Register;
        found.base = op.atom - DW_OP_reg0;
    } else if (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31) {
        found.place = Place::Memory;
        found.base = op.atom - DW_OP_breg0;
    } else if (op.atom == DW_OP_fbreg) {
        std::optional<unsigned> base;
        if (find_frame_base(scopes, vaddr, base))
            found.place = Place::AtCfa;
        else if (base)
            found.place = Place::Memory, found.base = *base;
        else
            found.why = "its stack frame is not known here";
    } else {
        found.why = "its place is described in an unknown way";
    }
}

}  // namespace

std::optional<LocalVariable> find_local(const Debug &debug, std::string_view name,
                                        const LinePosition &at)
{
    std::optional<LocalVariable> found;
    auto scopes = scopes_of(debug, at);
    for (size_t i = 0; i < scopes.size() && !found; i++) {
        each_child(scopes[i], [&](Dwarf_Die &child) {
            Dwarf_Die with_name = named(child);
            if (!is_variable(child) || name_of(with_name) != name)
                return true;
            LocalVariable variable = {std::string(name),
                                      make_type(debug.session(), reference(child, DW_AT_type))};
            Dwarf_Attribute location;
            if (auto value = number_of(child, DW_AT_const_value)) {
                variable.place = Place::Constant;
                variable.number = static_cast<int64_t>(*value);
            } else if (dwarf_attr(&child, DW_AT_location, &location)) {
                set_place(variable, scopes, location, at.vaddr);
            } else {
                variable.why = "the compiler has removed it";
            }
            found = std::move(variable);
            return false;
        });
    }
    return found;
}

std::vector<std::string> local_names(const Debug &debug, const LinePosition &at)
{
    std::vector<std::string> names;
    for (Dwarf_Die &scope : scopes_of(debug, at)) {
        each_child(scope, [&](Dwarf_Die &child) {
            Dwarf_Die with_name = named(child);
            if (is_variable(child) && !name_of(with_name).empty())
                names.emplace_back(name_of(with_name));
            return true;
        });
    }
    return names;
}

}  // namespace uscope::dwarf
