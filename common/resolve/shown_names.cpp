// Chooses what is shown of a call when the user gives no format.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "resolve/names.h"
#include "resolve/operand.h"
#include "resolve/signature.h"

namespace uscope::resolve {
namespace {

using spec::ProbeKind;

constexpr size_t max_compared = 16;  // sites; each needs a search of the debug information

bool has_same_places(const types::FunctionInfo &a, const types::FunctionInfo &b)
{
    return std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(),
                      b.parameters.end(), [](const auto &one, const auto &other) {
                          return one.name == other.name && one.slot == other.slot &&
                                 one.parts.size() == other.parts.size() &&
                                 one.type->name == other.type->name;
                      });
}

bool is_showable(const types::TypeRef &type)
{
    using Kind = types::Type::Kind;
    if (!type || type->is_string() || type->interface != types::Type::Interface::No)
        return true;
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
    } else if (!probe_.offset && !probe_.is_address) {
        show_parameters();
    }
    return shown_.labels;
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
    if (!has_same_parameters())
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
    if (is_go_) {
        if (group_.site_count() != 1 || !function())
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
    bool is_single = group_.site_count() == 1;
    if (info ? info->return_type != nullptr : is_single && !debug())
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

bool Names::has_same_parameters()
{
    size_t count = group_.site_count();
    if (count == 1)
        return true;
    if (group_.is_kernel || is_go_ || group_.files.size() != 1 || count > max_compared)
        return false;
    const auto &sites = group_.files[0].sites;
    if (!function())
        return std::all_of(sites.begin(), sites.end(), [&](const Site &site) {
            return site.name == sites[0].name && site.parameters == sites[0].parameters;
        });
    return std::all_of(sites.begin(), sites.end(), [&](const Site &site) {
        auto info = debug()->function_at(site.function_vaddr);
        return info && has_same_places(*info, *function());
    });
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

}  // namespace uscope::resolve
