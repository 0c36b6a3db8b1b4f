// Makes probe requests from the hooks that a language lists (lang/language.h).
#include "runtimes/hooks.h"

#include <iterator>

#include "base/format.h"

namespace uscope::runtimes {
namespace {

// In the order of lang::Role.
constexpr const char *role_names[] = {"class",      "method",    "file",  "line",   "type",
                                      "bytes",      "address",   "name",  "thread", "native",
                                      "start",      "manager",   "pool",  "used",   "max",
                                      "generation", "collected", "flags", "code"};
static_assert(std::size(role_names) == size_t(lang::Role::Code) + 1);

}  // namespace

Result<probe::ProbeRequest> hook_request(const lang::Runtime &runtime, const lang::Hook &hook,
                                         const std::vector<lang::Role> &roles)
{
    probe::ProbeRequest parsed;
    parsed.spec = lang::probe_of(runtime, hook);
    parsed.label = parsed.spec.source;
    parsed.lookup.owner = runtime.pid;
    const lang::CodeSite *site = runtime.code_site(hook);
    std::string condition = site ? site->condition : hook.condition;
    if (!condition.empty())
        parsed.condition = TRY(expr::parse(condition));
    for (lang::Role role : roles) {
        std::string expression = runtime.value(hook, role);
        if (!expression.empty())
            TRY(parsed.add_value(expression, role_names[size_t(role)]));
    }
    return parsed;
}

Result<probe::ProbeRequest> semaphore_request(const lang::Runtime &runtime,
                                              const lang::KeptUpSemaphore &kept_up)
{
    probe::ProbeRequest parsed;
    parsed.lookup.owner = runtime.pid;
    parsed.lookup.kept_up_semaphore = lang::probe_of(runtime, {{}, kept_up.provider, kept_up.name});
    parsed.spec.kind = spec::ProbeKind::Entry;
    parsed.spec.library = parsed.lookup.kept_up_semaphore->library;
    parsed.spec.function.text = kept_up.idle;
    parsed.spec.source = fmt::format("p:{}:{}", parsed.spec.library.text, kept_up.idle);
    parsed.label = parsed.spec.source;
    parsed.predicate = TRY(expr::parse("0"));  // the program does nothing
    return parsed;
}

}  // namespace uscope::runtimes
