// Assigns registers and stack words to parameters by their types' names.
#include "resolve/signature.h"

#include <algorithm>
#include <string>

#include "base/format.h"
#include "base/text.h"
#include "elf/demangle.h"
#include "elf/symbols.h"
#include "spec/parameters.h"

namespace uscope::resolve {
namespace {

constexpr const char *in_vector_register = "a floating-point argument, in a vector register";

// Integer arguments, from left to right.
class Slots {
  public:
    Slots(abi::Machine machine, unsigned first)
        : registers_(machine == abi::Machine::Aarch64 ? 8 : 6), used_(first - 1)
    {
    }

    unsigned take() { return used_ < registers_ ? ++used_ : registers_ + ++on_stack_; }
    // Two words of one argument; both are in registers, or both on the stack.
    std::pair<unsigned, unsigned> take_pair()
    {
        if (used_ + 2 <= registers_) {
            used_ += 2;
            return {used_ - 1, used_};
        }
        on_stack_ += 2;
        return {registers_ + on_stack_ - 1, registers_ + on_stack_};
    }

  private:
    unsigned registers_, used_, on_stack_ = 0;
};

// "std::string const&" -> "std::string const*"
std::string as_pointer(std::string_view type)
{
    std::string text(trim(type));
    while (text.ends_with('&'))
        text.pop_back();
    return text.size() < trim(type).size() ? text + "*" : text;
}

bool is_view(std::string_view type)
{
    std::string name(type);
    for (std::string_view qualifier : {"const ", " const"}) {
        if (size_t at = name.find(qualifier); at != name.npos)
            name.erase(at, qualifier.size());
    }
    auto known = types::find_text_class(trim(name));
    return known && known->is_view;
}

// "ns::C" -> "2ns1C", as mangled names contain it; "" for templates and the like.
std::string mangled_part(std::string_view name)
{
    std::string part;
    while (!name.empty()) {
        size_t end = name.find("::");
        std::string_view word = name.substr(0, end);
        if (word.empty() || !std::all_of(word.begin(), word.end(), is_identifier))
            return "";
        part += fmt::format("{}{}", word.size(), word);
        name.remove_prefix(end == name.npos ? name.size() : end + 2);
    }
    return part;
}

// Does `rest` begin with the mangled name of one function, as "3fooE" or "3fooI" does?
bool is_function_name(std::string_view rest)
{
    size_t digits = rest.find_first_not_of("0123456789");
    auto length =
        digits && digits != rest.npos ? parse_number(rest.substr(0, digits)) : std::nullopt;
    if (!length || *length > rest.size() - digits - 1)
        return false;
    char next = rest[digits + *length];
    return next == 'E' || next == 'I';
}

// Is `mangled` a constructor, a destructor, a const method or the type's information of the class?
bool is_of_class(std::string_view mangled, std::string_view part)
{
    for (std::string_view start : {"_ZTV", "_ZTI", "_ZTS"}) {
        if (mangled.starts_with(start))
            return mangled == fmt::format("{}N{}E", start, part) ||
                   mangled == fmt::format("{}{}", start, part);
    }
    bool is_const = mangled.starts_with("_ZNK");
    if (!is_const && !mangled.starts_with("_ZN"))
        return false;
    mangled.remove_prefix(is_const ? 4 : 3);
    if (!mangled.starts_with(part))
        return false;
    mangled.remove_prefix(part.size());
    constexpr std::string_view special[] = {"C1E", "C2E", "D0E", "D1E", "D2E"};
    return (is_const && is_function_name(mangled)) ||
           std::any_of(std::begin(special), std::end(special),
                       [&](std::string_view start) { return mangled.starts_with(start); });
}

bool is_class(const elf::Image &image, std::string_view name)
{
    std::string part = mangled_part(name);
    bool found = false;
    if (part.empty())
        return false;
    for (const elf::SymbolTable &table : elf::symbol_tables(image)) {
        table.each_containing(part, [&](const elf::Symbol &symbol) {
            found = found || is_of_class(symbol.name, part);
        });
    }
    return found;
}

// Is the last part of "ns::C::C" or "ns::C::~C" a constructor or a destructor?
bool is_special(std::string_view owner, std::string_view last)
{
    size_t colons = owner.rfind("::");
    std::string_view name = colons == owner.npos ? owner : owner.substr(colons + 2);
    return last == name || (last.starts_with('~') && last.substr(1) == name);
}

}  // namespace

std::vector<types::Parameter> locate_parameters(abi::Machine machine,
                                                const std::vector<spec::Parameter> &parameters,
                                                unsigned first_slot, const FindType &find)
{
    std::vector<types::Parameter> located;
    Slots slots(machine, first_slot);
    for (const spec::Parameter &given : parameters) {
        std::string text = as_pointer(given.type);
        types::Parameter parameter = {.name = given.name, .type = types::parse_type(text, find)};
        types::TypeRef &type = parameter.type;
        if (type && type->kind == types::Type::Kind::Struct && !type->size)
            type = nullptr;
        if (type && type->kind == types::Type::Kind::Float) {
            parameter.why = in_vector_register;
        } else if (is_view(text)) {
            auto [first, second] = slots.take_pair();
            parameter.parts = {{0, first}, {8, second}};
        } else {
            parameter.slot = slots.take();
            if (type && type->text)
                parameter.type = types::pointer_to(type);
        }
        located.push_back(std::move(parameter));
    }
    return located;
}

std::optional<types::FunctionInfo> info_of_name(const elf::Image &image, abi::Machine machine,
                                                std::string_view name, std::string_view parameters,
                                                const FindType &find)
{
    auto end = parameters.starts_with('(') ? spec::skip_brackets(parameters, 0) : std::nullopt;
    if (!end)
        return std::nullopt;
    spec::ParameterList list = spec::parse_parameters(parameters.substr(1, *end - 2));
    if (list.kind != spec::ParameterList::Kind::Types &&
        list.kind != spec::ParameterList::Kind::Empty)
        return std::nullopt;
    std::string plain = elf::without_template_arguments(name);
    size_t colons = plain.rfind("::");
    std::string_view last = plain, owner;
    if (colons != plain.npos) {
        owner = std::string_view(plain).substr(0, colons);
        last = std::string_view(plain).substr(colons + 2);
    }
    // The result of a template, or of a function with such a tag, is often an object in memory,
    // whose address would be a hidden argument.
    if (name.ends_with('>') || name.find("[abi:") != name.npos)
        return std::nullopt;
    bool allocates = last.starts_with("operator new") || last.starts_with("operator delete");
    bool is_method =
        !allocates && (*end < parameters.size() ||
                       (!owner.empty() && (is_special(owner, last) || is_class(image, owner))));
    types::FunctionInfo info;
    if (is_method)
        info.parameters.push_back({.name = "this", .type = types::pointer_to(nullptr), .slot = 1});
    bool is_lost = false;
    size_t at = 0;
    for (types::Parameter &parameter :
         locate_parameters(machine, list.parameters, is_method ? 2 : 1, find)) {
        const std::string &text = list.parameters[at++].type;
        bool is_pointer =
            text.ends_with('*') || text.ends_with('&') || text.find("(*)(") != text.npos;
        if (!parameter.type && parameter.slot && is_pointer)
            parameter.type = types::pointer_to(nullptr);
        is_lost |= !parameter.type;
        if (is_lost) {
            parameter.type = types::integer_type(8, false);
            parameter.slot = 0;
            parameter.parts.clear();
            parameter.why = "its type is unknown without debug information";
            parameter.name = text;
        }
        info.parameters.push_back(std::move(parameter));
    }
    return info;
}

}  // namespace uscope::resolve
