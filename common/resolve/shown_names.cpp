// Chooses what is shown of a call when the user gives no format; lists the names that are known.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "dwarf/local_variables.h"
#include "resolve/names.h"
#include "resolve/operand.h"
#include "resolve/shown_groups.h"
#include "resolve/signature.h"

namespace uscope::resolve {
namespace {

using spec::ProbeKind;

bool is_showable(const types::TypeRef &type)
{
    using Kind = types::Type::Kind;
    if (!type || type->is_string() || type->interface != types::Type::Interface::No)
        return true;
    if (type->kind == Kind::Struct || type->kind == Kind::Array)
        return type->size != 0;
    bool is_power = type->size == 1 || type->size == 2 || type->size == 4 || type->size == 8;
    return type->kind == Kind::Pointer || (type->kind == Kind::Integer && is_power) ||
           (type->kind == Kind::Float && type->size >= 4 && is_power);
}

}  // namespace

std::vector<Names::Shown> Names::shown()
{
    shown_.labels.clear();
    shown_.values.clear();
    if (probe_.kind == ProbeKind::Tracepoint) {
        for (const auto &field : group_.tracepoint->fields)
            show(field.name, find_field(field.name));
    } else if (probe_.kind == ProbeKind::Usdt) {
        for (size_t i = 1; i <= group_.operands.size(); i++) {
            std::string name = fmt::format("arg{}", i);
            show(name, find_at_entry(name));
        }
    } else if (is_return_) {
        show_result();
    } else if (probe_.line.number) {
        show_locals();
    } else if (!probe_.offset && !probe_.is_address) {
        show_parameters();
    }
    return shown_.labels;
}

// The variables around the line that have a value; of those with the same name, the innermost.
void Names::show_locals()
{
    std::vector<std::string> names = known_names();
    for (auto name = names.begin(); name != names.end(); ++name) {
        if (std::find(names.begin(), name, *name) != name)
            continue;
        auto found = find_at_line(*name);
        if (found && *found)
            show(*name, std::move(found));
    }
}

void Names::show(std::string label, Found found)
{
    if (shown_.labels.size() == max_shown)
        return;
    if (found && *found && is_showable((*found)->type)) {
        shown_.values.push_back(std::move(**found));
        return shown_.labels.push_back({std::move(label), {}});
    }
    std::string why = !found ? found.error().text : *found ? (*found)->type->name : "unknown";
    if (std::string prefix = label + ": "; why.starts_with(prefix))
        why.erase(0, prefix.size());
    if (why.starts_with("a floating-point"))
        why = "in a vector register";
    shown_.values.emplace_back();
    shown_.labels.push_back({std::move(label), std::move(why)});
}

void Names::show_parameters()
{
    std::vector<types::Parameter> parameters;
    if (probe_.has_signature) {
        for (const spec::Parameter &parameter : probe_.signature)
            show(parameter.name, find_in_signature(parameter.name));
        return;
    }
    if (group_.site_count() != 1 && !group_.shows_the_same)
        return;
    bool is_by_name = !function();
    if (const auto &info = function()) {
        parameters = info->parameters;
    } else if (const auto &from_name = demangled()) {
        parameters = from_name->parameters;
        if (!parameters.empty())
            note_demangled();
    }
    for (const types::Parameter &parameter : parameters) {
        std::string label = parameter.name;
        if (label.empty() && parameter.slot)
            label = fmt::format("arg{}", parameter.slot);
        else if (label.empty() && !parameter.parts.empty())
            label = fmt::format("arg{}", parameter.parts[0].slot);
        else if (label.empty())
            label = parameter.type ? parameter.type->name : "?";
        if (is_by_name && parameter.why.empty())
            label += '?';
        show(std::move(label),
             parameter.go ? go_value(parameter, parameter.name) : located(parameter));
    }
}

void Names::show_result()
{
    bool is_known = group_.site_count() == 1 || group_.shows_the_same;
    if (is_go_) {
        if (!is_known || !function())
            return;
        size_t number = 0;
        for (const types::Parameter &result : function()->results) {
            std::string label = result.name.empty() || result.name.starts_with('~')
                                    ? fmt::format("retval{}", number)
                                    : result.name;
            number++;
            show(std::move(label), go_value(result, result.name));
        }
        return;
    }
    auto info = common_result();
    if (info ? info->return_type != nullptr : is_known && !debug())
        show("retval", return_value());
}

Names::Found Names::find_shown(std::string_view name)
{
    constexpr std::string_view start = "$shown";
    if (!name.starts_with(start))
        return std::nullopt;
    auto number = parse_number(name.substr(start.size()));
    if (!number || *number >= shown_.values.size())
        return std::nullopt;
    return shown_.values[*number];
}

// $func: the function's name; $probe: the probe as typed.
Names::Found Names::find_fixed(std::string_view name)
{
    if (name == "$probe")
        return expr::Variable{types::char_pointer(), expr::FixedText{probe_.source}};
    if (name == "$container")
        return container();
    if (name.starts_with('@'))
        return find_elsewhere(name);
    if (name != "$func")
        return std::nullopt;
    std::optional<std::string> function;
    for (const FileSites &file : group_.files) {
        for (const Site &site : file.sites) {
            std::string one = site.is_overload ? site.name + site.parameters : site.name;
            if (function && one != *function)
                return fail("$func: {} functions are traced, at most {} can be distinguished",
                            group_.site_count(), max_shown_groups - 1);
            function = std::move(one);
        }
    }
    return expr::Variable{types::char_pointer(), expr::FixedText{function.value_or("")}};
}

// Returns a parameter that is in an argument's slot, or a structure in several of them.
Names::Found Names::located(const types::Parameter &parameter)
{
    if (parameter.slot)
        return argument(parameter.slot, parameter.type ? parameter.type : untyped());
    if (parameter.parts.empty())
        return fail("{}", parameter.why);
    expr::Parts parts;
    for (const auto &[offset, slot] : parameter.parts) {
        auto word = TRY(argument(slot, untyped()));
        parts.parts.push_back({offset, std::get<abi::Operand>(word->source)});
    }
    return expr::Variable{parameter.type, std::move(parts)};
}

const std::optional<types::FunctionInfo> &Names::demangled()
{
    if (std::exchange(demangled_.is_known, true) || group_.is_kernel || is_go_ ||
        group_.files.empty() || !group_.files[0].image)
        return demangled_.info;
    const FileSites &file = group_.files[0];
    const Site &site = file.sites[0];
    if (site.is_changed_copy)
        return demangled_.info;
    demangled_.info = info_of_name(*file.image, machine_, site.name, site.parameters,
                                   [this](std::string_view name) { return find_type(name); });
    return demangled_.info;
}

void Names::note_demangled()
{
    note_ = fmt::format(
        "{}: no debug information: arguments are named by the function's name; a hidden one "
        "(\"this\", or where to store a returned object) moves them on by one",
        group_.files[0].sites[0].name);
}

std::vector<std::string> Names::known_names()
{
    std::vector<std::string> names;
    if (is_return_)
        names.push_back("retval");
    if (probe_.kind == ProbeKind::Usdt) {
        for (size_t i = 1; i <= group_.operands.size(); i++)
            names.push_back(fmt::format("arg{}", i));
    } else if (group_.tracepoint) {
        for (const auto &field : group_.tracepoint->fields)
            names.push_back(field.name);
    } else if (probe_.line.number && debug()) {
        names = dwarf::local_names(*debug(), line_position());
    } else {
        for (const auto &parameter : probe_.signature)
            names.push_back(parameter.name);
        if (const auto &info = function()) {
            for (const auto *list : {&info->parameters, &info->results}) {
                for (const auto &parameter : *list)
                    names.push_back(parameter.name);
            }
        }
    }
    return names;
}

}  // namespace uscope::resolve
