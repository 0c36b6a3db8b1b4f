// Finds the names, types and slots (dwarf/calling.h) of a function's arguments from its address.
//
// The calling convention gives the slots (dwarf/calling.cpp), but an optimising compiler may ignore
// it in functions that only the same file calls. The copy f.constprop.0 lacks a parameter of f;
// f.isra.0 gets the member of a structure instead of a pointer to the structure. DWARF still lists
// the parameters of the original function. It may also list the location of each parameter at the
// function's first instruction; this location takes precedence over the convention. If it is
// another argument register than the convention's, the compiler changed this function, and all
// parameters that have no location are reported as unknown. In a function with an abstract origin
// (a copy, or a function that is also inlined elsewhere), each parameter without a location is
// reported as unknown.

#include "dwarf/dwarf.h"

#include <algorithm>

#include "base/text.h"
#include "dwarf/calling.h"
#include "dwarf/go_calling.h"
#include "dwarf/session.h"
#include "dwarf/types.h"
#include "go/build_info.h"

namespace uscope::dwarf {

namespace {

constexpr size_t max_parameters = 256;

int language_of(Dwarf_Die &die)
{
    Dwarf_Die unit;
    return dwarf_diecu(&die, &unit, nullptr, nullptr) ? dwarf_srclang(&unit) : -1;
}

// Does a unit describe types at all? With -g1, DWARF has lines and functions but no types: a
// function that seems to have neither parameters nor a result may have both.
bool has_types(Dwarf_Die &unit)
{
    auto is_no_type = [](Dwarf_Die &child) {
        int tag = dwarf_tag(&child);
        return tag == DW_TAG_subprogram || tag == DW_TAG_namespace || tag == DW_TAG_variable ||
               tag == DW_TAG_imported_module || tag == DW_TAG_imported_declaration;
    };
    return !each_child(unit, is_no_type);
}

// Does DWARF list everything that callers pass to this function? Not for variadic functions, C
// functions without a prototype, and languages that are not listed here.
bool lists_all_parameters(Dwarf_Die function, int language)
{
    Dwarf_Attribute attr;
    bool prototyped = false;
    switch (language) {
    case DW_LANG_C89:
    case DW_LANG_C:
    case DW_LANG_C99:
    case DW_LANG_C11:
        if (!dwarf_attr_integrate(&function, DW_AT_prototyped, &attr) ||
            dwarf_formflag(&attr, &prototyped) != 0 || !prototyped)
            return false;
        break;
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case DW_LANG_Rust:
        break;
    default:
        return false;
    }
    auto has_no_dots = [](Dwarf_Die &child) {
        return dwarf_tag(&child) != DW_TAG_unspecified_parameters;
    };
    auto origin = reference(function, DW_AT_abstract_origin);
    return each_child(function, has_no_dots) && (!origin || each_child(*origin, has_no_dots));
}

// Returns the function's parameters, or (`results`) its results: Go's DWARF lists these as
// parameters with DW_AT_variable_parameter.
std::vector<Dwarf_Die> parameters_of(Dwarf_Die function, bool results = false)
{
    std::vector<Dwarf_Die> parameters;
    each_child(function, [&](Dwarf_Die &child) {
        bool is_result = false;
        Dwarf_Attribute attr;
        if (dwarf_attr_integrate(&child, DW_AT_variable_parameter, &attr))
            dwarf_formflag(&attr, &is_result);
        if (dwarf_tag(&child) == DW_TAG_formal_parameter && is_result == results)
            parameters.push_back(child);
        return parameters.size() < max_parameters;
    });
    return parameters;
}

enum class At { Nowhere, Register, Memory };
struct Location {
    At at = At::Nowhere;
    unsigned number = 0;  // the register's DWARF number
};

// Returns where a parameter is at the instruction at `address`, according to DWARF. For a parameter
// that is passed by reference, returns where the pointer to it is.
Location location_at(Dwarf_Die &parameter, uint64_t address, bool by_reference)
{
    Dwarf_Attribute attr;
    Dwarf_Op *operations;
    size_t count;
    if (!dwarf_attr(&parameter, DW_AT_location, &attr) ||
        dwarf_getlocation_addr(&attr, address, &operations, &count, 1) != 1 || count == 0)
        return {};
    unsigned atom = operations[0].atom, last = operations[count - 1].atom;
    if (last == DW_OP_stack_value || last == DW_OP_implicit_value ||
        last == DW_OP_implicit_pointer || last == DW_OP_GNU_implicit_pointer)
        return {};  // DWARF only knows its value; callers do not pass it
    if (count == 1 && atom >= DW_OP_reg0 && atom <= DW_OP_reg31)
        return {At::Register, atom - DW_OP_reg0};
    if (count == 1 && atom >= DW_OP_breg0 && atom <= DW_OP_breg31 && by_reference &&
        operations[0].number == 0)
        return {At::Register, atom - DW_OP_breg0};
    return {At::Memory};
}

// Is the first place that DWARF knows of a parameter its slot, or memory? The first instructions of
// a function often precede that place.
bool begins_in(abi::Machine machine, Dwarf_Die &parameter, const ArgumentSlot &argument)
{
    Dwarf_Attribute attr;
    Dwarf_Addr base, start, end;
    Dwarf_Op *operations;
    size_t count;
    if (!dwarf_attr(&parameter, DW_AT_location, &attr) ||
        dwarf_getlocations(&attr, 0, &base, &start, &end, &operations, &count) <= 0 || count == 0)
        return false;
    unsigned atom = operations[0].atom, last = operations[count - 1].atom;
    if (last == DW_OP_stack_value || last == DW_OP_implicit_value ||
        last == DW_OP_implicit_pointer || last == DW_OP_GNU_implicit_pointer)
        return false;
    unsigned first = argument.by_reference ? DW_OP_breg0 : DW_OP_reg0;
    if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31)
        return atom >= first && slot_of_register(machine, atom - first) == argument.slot;
    unsigned slot =
        atom >= first && atom <= first + 31 ? slot_of_register(machine, atom - first) : 0;
    return slot == 0 || slot == argument.slot;
}

// Returns the type of the address of an object that is passed by value in memory.
types::TypeRef reference_to(const types::TypeRef &type)
{
    auto reference = std::make_shared<types::Type>(*types::pointer_to(type));
    reference->is_reference = true;
    return reference;
}

// Does DWARF say that the parts of a structure are in their slots at `address`?
bool has_parts_at(abi::Machine machine, Dwarf_Die &parameter, uint64_t address,
                  const std::vector<types::RegisterPart> &parts)
{
    Dwarf_Attribute attr;
    Dwarf_Op *operations;
    size_t count, part_bytes = 8;
    if (!dwarf_attr(&parameter, DW_AT_location, &attr) ||
        dwarf_getlocation_addr(&attr, address, &operations, &count, 1) != 1 ||
        count != parts.size() * 2)  // each a register and the size of a piece
        return false;
    for (size_t i = 0; i < parts.size(); i++) {
        const Dwarf_Op &place = operations[i * 2], &piece = operations[i * 2 + 1];
        if (place.atom < DW_OP_reg0 || place.atom > DW_OP_reg31 || piece.atom != DW_OP_piece ||
            piece.number != part_bytes || parts[i].offset != i * part_bytes ||
            slot_of_register(machine, place.atom - DW_OP_reg0) != parts[i].slot)
            return false;
    }
    return true;
}

// Is a parameter in the function's frame all the time? Code that is not optimised stores its
// arguments there, and gets all of them.
bool is_in_frame(Dwarf_Die &parameter)
{
    Dwarf_Attribute attr;
    Dwarf_Op *operations;
    size_t count;
    return dwarf_attr(&parameter, DW_AT_location, &attr) &&
           dwarf_whatform(&attr) == DW_FORM_exprloc &&
           dwarf_getlocation(&attr, &operations, &count) == 0 && count == 1 &&
           operations[0].atom == DW_OP_fbreg;
}

// May callers pass fewer arguments than the function has parameters? In code compiled by Clang or
// rustc, callers in the same unit do not pass parameters that the function does not use; these
// parameters have no location.
bool may_lack_arguments(Dwarf_Die function)
{
    Dwarf_Die unit;
    Dwarf_Attribute attr;
    if (!dwarf_diecu(&function, &unit, nullptr, nullptr) ||
        !dwarf_attr_integrate(&unit, DW_AT_producer, &attr))
        return false;
    const char *producer = dwarf_formstring(&attr);
    std::string_view text = producer ? producer : "";
    return text.find("clang") != text.npos || text.find("rustc") != text.npos;
}

// Replaces the slots that follow from the convention by the locations in DWARF. Returns false if
// the compiler changed the function, so that its parameters are not those of the source.
bool believe_locations(abi::Machine machine, Dwarf_Die &function, uint64_t address,
                       std::vector<Dwarf_Die> &parameters, std::vector<ArgumentSlot> &arguments)
{
    Dwarf_Attribute attr;
    bool is_copy = dwarf_attr(&function, DW_AT_abstract_origin, &attr);
    bool may_lack = may_lack_arguments(function);
    bool is_changed = false;
    std::vector<Location> locations;
    for (size_t i = 0; i < parameters.size(); i++) {
        Location location = location_at(parameters[i], address, arguments[i].by_reference);
        unsigned slot =
            location.at == At::Register ? slot_of_register(machine, location.number) : 0;
        if (slot && arguments[i].slot && slot != arguments[i].slot) {
            arguments[i].slot = slot;
            is_changed = true;
        }
        locations.push_back(location);
    }
    bool is_as_written = !is_changed;
    for (size_t i = 0; i < parameters.size(); i++) {
        bool unknown = is_changed ? locations[i].at != At::Register
                                  : is_copy && locations[i].at == At::Nowhere;
        unknown |= may_lack && locations[i].at == At::Nowhere &&
                   !begins_in(machine, parameters[i], arguments[i]);
        if (!arguments[i].parts.empty() && (may_lack || is_copy || is_changed))
            unknown = !has_parts_at(machine, parameters[i], address, arguments[i].parts) &&
                      !(is_in_frame(parameters[i]) && !is_copy && !is_changed);
        if (!unknown || (!arguments[i].slot && arguments[i].parts.empty()))
            continue;
        arguments[i] = {.why = "an argument that the compiler removed or changed"};
        is_as_written = false;
    }
    return is_as_written;
}

// Shifts the registers in `location` if DWARF says that the parameter starts in another register at
// `address`. This happens in generic functions that are compiled once for several types: they get
// an additional argument, which DWARF does not list. Returns false if it shifted them.
bool believe_register(Dwarf_Die &parameter, uint64_t address, GoLocation &location)
{
    Dwarf_Attribute attr;
    Dwarf_Op *operations;
    size_t count;
    if (location.parts.empty() || !dwarf_attr(&parameter, DW_AT_location, &attr) ||
        dwarf_getlocation_addr(&attr, address, &operations, &count, 1) != 1 || count == 0 ||
        operations[0].atom < DW_OP_reg0 || operations[0].atom > DW_OP_reg31)
        return true;
    unsigned slot = go_slot_of_register(operations[0].atom - DW_OP_reg0);
    unsigned first = location.parts[0].slot;
    if (!slot || !first || slot == first)
        return true;
    for (GoLocation::Part &part : location.parts)
        part.slot = part.slot ? part.slot + slot - first : 0;
    return false;
}

FunctionInfo go_function(const std::shared_ptr<Session> &session, GoConvention convention,
                         Dwarf_Die &function, uint64_t address)
{
    std::vector<Dwarf_Die> parameters = parameters_of(function),
                           results = parameters_of(function, true);
    auto types_of = [](std::vector<Dwarf_Die> &entries) {
        Types types;
        for (Dwarf_Die &entry : entries)
            types.push_back(reference(entry, DW_AT_type));
        return types;
    };
    Types parameter_types = types_of(parameters), result_types = types_of(results);
    GoLocations locations = locate_go(convention, parameter_types, result_types);
    bool is_shifted = false;
    for (size_t i = 0; i < parameters.size(); i++) {
        if (is_shifted && locations.parameters[i].stack)
            locations.parameters[i].is_known = false;
        is_shifted |= !believe_register(parameters[i], address, locations.parameters[i]);
    }
    auto describe = [&](std::vector<Dwarf_Die> &entries, const Types &types,
                        std::vector<GoLocation> &at) {
        std::vector<Parameter> described;
        for (size_t i = 0; i < entries.size(); i++) {
            described.push_back({.name = std::string(name_of(entries[i])),
                                 .type = make_type(session, types[i]),
                                 .why = "passed by Go's own convention",
                                 .go = std::move(at[i])});
        }
        return described;
    };
    FunctionInfo info;
    info.parameters = describe(parameters, parameter_types, locations.parameters);
    info.results = describe(results, result_types, locations.results);
    return info;
}

// Returns "client" for "struct client", "" for a name without such a keyword.
std::string without_tag(std::string_view name)
{
    name = trim(name);
    for (std::string_view tag : {"struct ", "union ", "class ", "enum "})
        if (name.starts_with(tag))
            return std::string(trim(name.substr(tag.size())));
    return "";
}

}  // namespace

Result<std::optional<Debug>> Debug::open(const elf::Image &image, const std::string &path,
                                         const elf::SymbolOptions &options)
{
    auto session = TRY(Session::find(image, path, options));
    if (!session)
        return std::nullopt;
    Debug debug(std::move(session));
    debug.machine_ = abi::machine_of(image.machine()).value_or(abi::host_machine);
    if (image.is_go() && go::passes_in_registers(image))
        debug.go_convention_ = GoConvention::Registers;
    return debug;
}

std::optional<FunctionInfo> Debug::function_at(uint64_t vaddr) const
{
    auto function = session_->function_at(vaddr);
    int language = function ? language_of(*function) : -1;
    if (!function || language == DW_LANG_Mips_Assembler)
        return std::nullopt;
    if (language == DW_LANG_Go)
        return go_function(session_, go_convention_, *function, vaddr);
    std::vector<Dwarf_Die> parameters = parameters_of(*function);
    if (parameters.empty())
        if (auto origin = reference(*function, DW_AT_abstract_origin))
            parameters = parameters_of(*origin);

    auto return_type = reference(*function, DW_AT_type);
    Dwarf_Die unit;
    if (!return_type && parameters.empty() &&
        (!dwarf_diecu(&*function, &unit, nullptr, nullptr) || !has_types(unit)))
        return std::nullopt;
    std::vector<std::optional<Dwarf_Die>> types;
    for (Dwarf_Die &parameter : parameters)
        types.push_back(reference(parameter, DW_AT_type));
    CallingRules rules = {machine_, language == DW_LANG_Rust ? Convention::Rust : Convention::C};
    auto [arguments, last_slot] = parameter_slots(rules, return_type, types);
    bool is_as_written = believe_locations(machine_, *function, vaddr, parameters, arguments);

    FunctionInfo info;
    if (is_as_written && parameters.size() < max_parameters &&
        lists_all_parameters(*function, language))
        info.last_slot = last_slot;
    for (size_t i = 0; i < parameters.size(); i++) {
        ArgumentSlot &argument = arguments[i];
        types::TypeRef type = make_type(session_, types[i]);
        if (argument.by_reference)
            type = reference_to(type);
        info.parameters.push_back({.name = std::string(name_of(parameters[i])),
                                   .type = type,
                                   .slot = argument.slot,
                                   .why = argument.why,
                                   .parts = std::move(argument.parts)});
    }
    if (return_type) {
        ArgumentSlot result = result_slot(rules, *return_type);
        info.return_type = make_type(session_, return_type);
        if (result.by_reference)
            info.return_type = reference_to(info.return_type);
        info.return_why = result.why;
        info.result_parts = std::move(result.parts);
        // LLVM does not return the parts of a pair that it knows already.
        bool is_changed = number_of(*function, DW_AT_calling_convention) == DW_CC_nocall;
        if (is_changed && info.result_parts.size() > 1) {
            info.result_parts.clear();
            info.return_why = "a structure in registers, which the compiler changed";
        }
        info.has_result_pointer = is_as_written && result.by_reference;
    }
    return info;
}

std::string Debug::missing_split(uint64_t vaddr) const
{
    return session_->missing_split(vaddr);
}

types::TypeRef Debug::find_type(std::string_view name) const
{
    std::string tag = without_tag(name);
    auto found =
        tag.empty() ? session_->find_named(std::string(trim(name))) : session_->find_tagged(tag);
    if (!found && tag.empty())
        found = session_->find_tagged(std::string(trim(name)));
    return found ? make_type(session_, found) : nullptr;
}

types::TypeRef Debug::variable_type(std::string_view name, uint64_t vaddr) const
{
    auto found = session_->variable_at(name, vaddr);
    return found ? make_type(session_, reference(*found, DW_AT_type)) : nullptr;
}

}  // namespace uscope::dwarf
