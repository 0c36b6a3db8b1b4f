// The programs in the kernel compare the beginnings of names. This file filters by what they cannot
// compare:
//
//  - PHP's names begin with a namespace ("App\Cart"); a filter may include it or not;
//  - a method may be given with its class ("Cart.add", "Cart#add", "Cart::add"), and the class with
//    its package or without. Python's names of methods include the class; those of other languages
//    do not.
#include "runtimes/flow_probes.h"

#include "base/format.h"
#include "runtimes/hooks.h"

namespace uscope::runtimes {
namespace {

using lang::Role;

// Restricts the probe to events whose `value` begins with `prefix`.
Result<> add_condition(probe::ProbeRequest &parsed, const std::string &value,
                       const std::string &prefix)
{
    auto condition = TRY(expr::parse(fmt::format("starts_with({}, \"\")", value)));
    condition->children[1]->text = prefix;
    if (parsed.predicate) {
        auto both = TRY(expr::parse("0 && 0"));
        both->children[0] = std::move(parsed.predicate);
        both->children[1] = std::move(condition);
        condition = std::move(both);
    }
    parsed.predicate = std::move(condition);
    return {};
}

bool has_namespaces(const lang::Runtime &runtime)
{
    return runtime.language == &lang::php;
}

// Replaces the separators of "java/lang/Thread", "Cart::Item", "Cart#add" and "Cart->add" by dots.
std::string with_dots(std::string_view name)
{
    std::string text;
    for (size_t at = 0; at < name.size(); at++) {
        std::string_view rest = name.substr(at);
        bool is_pair = rest.starts_with("::") || rest.starts_with("->");
        bool is_one = rest[0] == '/' || rest[0] == '#' || rest[0] == '\\';
        text += is_pair || is_one ? '.' : rest[0];
        at += is_pair;
    }
    return text;
}

// Is it a method with its class? PHP's namespaces are not classes.
bool has_class(const std::string &method)
{
    return method.find_first_of(".#") != method.npos || method.find("::") != method.npos ||
           method.find("->") != method.npos;
}

std::string without_class(const std::string &method)
{
    std::string text = with_dots(method);
    return text.substr(text.rfind('.') + 1);
}

// `name`: a class and a method, with dots. Do its last parts begin with `wanted`, such as
// "Cart.add"?
bool is_of_class(std::string_view name, const std::string &wanted)
{
    for (size_t at = 0; at < name.size(); at++) {
        bool is_start = at == 0 || name[at - 1] == '.';
        std::string_view rest = name.substr(at);
        if (is_start && rest.starts_with(wanted) && rest.find('.', wanted.size()) == rest.npos)
            return true;
    }
    return false;
}

// Removes the leading backslash: "\App\Cart" is the same as "App\Cart".
std::string_view without_root(std::string_view name)
{
    return name.starts_with('\\') ? name.substr(1) : name;
}

}  // namespace

// The values of the request are the class, if the language has classes; the method; and the code
// object, for MethodNames.
Result<probe::ProbeRequest> FlowProbes::parse(const lang::Runtime &runtime, const lang::Hook &hook)
{
    probe::ProbeRequest parsed =
        TRY(hook_request(runtime, hook, {Role::Class, Role::Method, Role::Code}));
    parsed.event_output = hook.event == lang::Event::MethodReturn ? wanted_.leave : wanted_.enter;
    if (!runtime.virtual_thread.empty())
        parsed.measured = TRY(expr::parse(runtime.virtual_thread));
    for (auto [role, prefix] :
         {std::pair(Role::Method, &wanted_.method), std::pair(Role::Class, &wanted_.class_name)}) {
        if (prefix->empty())
            continue;
        std::string value = runtime.value(hook, role);
        if (value.empty())
            return fail("{} has no classes: omit -C", runtime.language->title);
        if (role == Role::Method && has_class(*prefix)) {
            with_classes_.insert(parsed.label);
            if (runtime.language != &lang::python)
                TRY(add_condition(parsed, value, without_class(*prefix)));
        } else if (!has_namespaces(runtime))
            TRY(add_condition(parsed, value, *prefix));
        else if (prefix->find('\\') != prefix->npos)
            TRY(add_condition(parsed, value, std::string(without_root(*prefix))));
        else
            has_namespaces_.insert(parsed.label);
    }
    return parsed;
}

Result<> FlowProbes::add(run::Tool &tool, const lang::Runtime &runtime)
{
    using lang::Event;
    lang::Availability entries = lang::availability(runtime, Event::MethodEntry, wanted_.unsafe);
    lang::Availability returns = lang::availability(runtime, Event::MethodReturn, wanted_.unsafe);
    if (entries.hooks.empty() || returns.hooks.empty()) {
        const auto &notes = entries.notes.empty() ? returns.notes : entries.notes;
        return fail("{}",
                    notes.empty() ? runtime.who() + " has no method probes" : join(notes, "; "));
    }
    for (const lang::Availability *availability : {&entries, &returns}) {
        for (const std::string &note : availability->notes)
            if (noted_.insert(note).second)
                tool.note_text(note);
    }
    if (entries.kept_up)
        parsed_.push_back(TRY(semaphore_request(runtime, *entries.kept_up)));
    for (const lang::Availability *availability : {&entries, &returns}) {
        for (const lang::Hook *hook : availability->hooks) {
            probe::ProbeRequest parsed = TRY(parse(runtime, *hook));
            if (known_.insert(runtime.file() + " " + parsed.spec.source).second)
                parsed_.push_back(std::move(parsed));
        }
    }
    return {};
}

bool FlowProbes::passes(const probe::ProbeRequest &probe,
                        const std::vector<output::Value> &values) const
{
    if (with_classes_.contains(probe.label)) {
        std::string name;
        for (size_t i = 0; i < values.size(); i++) {
            if (probe.values[i].name == "class" || probe.values[i].name == "method")
                name += fmt::format("{}{}", name.empty() ? "" : ".", with_dots(values[i].text));
        }
        if (!is_of_class(name, with_dots(wanted_.method)))
            return false;
    }
    return !has_namespaces_.contains(probe.label) || passes_by_namespace(probe, values);
}

bool FlowProbes::passes_by_namespace(const probe::ProbeRequest &probe,
                                     const std::vector<output::Value> &values) const
{
    for (size_t i = 0; i < values.size(); i++) {
        bool is_class = probe.values[i].name == "class";
        const std::string &prefix = is_class ? wanted_.class_name : wanted_.method;
        if (!is_class && with_classes_.contains(probe.label))
            continue;
        std::string_view name = values[i].text;
        if (prefix.find('\\') == prefix.npos && !name.starts_with(prefix) &&
            !name.substr(name.rfind('\\') + 1).starts_with(prefix))
            return false;
    }
    return true;
}

}  // namespace uscope::runtimes
