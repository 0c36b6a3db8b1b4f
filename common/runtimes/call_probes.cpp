// Chooses between probes on entries, on returns, and on calls where no probe reports entries.
#include "runtimes/call_probes.h"

#include <algorithm>

#include "base/format.h"
#include "runtimes/hooks.h"
#include "runtimes/long_names.h"

namespace uscope::runtimes {
namespace {

// Does a value of each hook contain the address of the method's code?
bool have_code(const lang::Runtime &runtime, const lang::Availability &available)
{
    return std::all_of(available.hooks.begin(), available.hooks.end(), [&](const auto *hook) {
        return !runtime.value(*hook, lang::Role::Code).empty();
    });
}

// `has_code`: the keys contain the address of the method's code.
Result<probe::ProbeRequest> parse_call(const lang::Runtime &runtime, const lang::Hook &hook,
                                       const CallProbes &wanted, bool has_code)
{
    auto request = TRY(hook_request(runtime, hook, {lang::Role::Class, lang::Role::Method}));
    TRY(distinguish(request, wanted.string_bytes));
    // All keys of a language need the same layout, so without an address this field is 0.
    if (runtime.language->find_code_sites)
        TRY(request.add_value(has_code ? runtime.value(hook, lang::Role::Code) : "0", "code"));
    if (!wanted.measured.empty())
        request.measured = TRY(expr::parse(wanted.measured));
    return request;
}

// Adds the notes that are not among `known`.
void note_all(run::Tool &tool, const std::vector<std::string> &notes,
              const std::vector<std::string> &known = {})
{
    for (const std::string &note : notes) {
        if (std::find(known.begin(), known.end(), note) == known.end())
            tool.note("{}", note);
    }
}

}  // namespace

Result<> add_call_probes(run::Tool &tool, const lang::Runtime &runtime, const CallProbes &wanted,
                         std::vector<probe::ProbeRequest> &probes)
{
    using lang::Event;
    bool has_code = false;  // entries and returns need equal keys
    auto add = [&](const lang::Availability &available,
                   const expr::EventOutput &output) -> Result<> {
        for (const lang::Hook *hook : available.hooks) {
            probes.push_back(TRY(parse_call(runtime, *hook, wanted, has_code)));
            probes.back().event_output = output;
        }
        return {};
    };
    auto available = [&](Event event) { return lang::availability(runtime, event, wanted.unsafe); };
    lang::Availability entries = available(Event::MethodEntry);
    lang::Availability returns = available(Event::MethodReturn);
    lang::Availability calls = available(Event::Call);
    if (!wanted.times && !calls.hooks.empty()) {
        note_all(tool, calls.notes);
        has_code = have_code(runtime, calls);
        return add(calls, wanted.enter);
    }
    has_code = have_code(runtime, entries) && (!wanted.times || have_code(runtime, returns));
    bool can_count = !returns.hooks.empty() || !calls.hooks.empty();
    if (entries.hooks.empty() && (!can_count || wanted.times)) {
        return fail("{}{}", join(entries.notes, "\n"),
                    can_count ? "; omit -L and -H to count calls" : "");
    }
    note_all(tool, entries.notes);
    if (entries.hooks.empty()) {
        tool.note("counting calls when they return");
        return add(returns, wanted.enter);
    }
    TRY(add(entries, wanted.enter));
    if (wanted.times) {
        note_all(tool, returns.notes, entries.notes);
        TRY(add(returns, wanted.leave));
    }
    // The hooks fire only while the semaphore is held up; this probe itself has no key.
    if (entries.kept_up)
        probes.push_back(TRY(semaphore_request(runtime, *entries.kept_up)));
    return {};
}

}  // namespace uscope::runtimes
