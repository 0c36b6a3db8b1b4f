// Makes probe requests from the hooks that a language lists (lang/language.h).
#include "runtimes/hooks.h"

#include "base/format.h"

namespace uscope::runtimes {
namespace {

const char *name_of(lang::Role role)
{
    using lang::Role;
    switch (role) {
    case Role::Class:
        return "class";
    case Role::Method:
        return "method";
    case Role::File:
        return "file";
    case Role::Line:
        return "line";
    case Role::Type:
        return "type";
    case Role::Bytes:
        return "bytes";
    case Role::Address:
        return "address";
    case Role::Name:
        return "name";
    case Role::ThreadId:
        return "thread";
    case Role::NativeId:
        return "native";
    case Role::Start:
        return "start";
    case Role::Manager:
        return "manager";
    case Role::Pool:
        return "pool";
    case Role::Used:
        return "used";
    case Role::Most:
        return "max";
    case Role::Generation:
        return "generation";
    case Role::Collected:
        return "collected";
    case Role::Flags:
        return "flags";
    case Role::Code:
        return "code";
    }
    return "";
}

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
        if (expression.empty())
            continue;
        parsed.values.push_back(TRY(expr::parse(expression)));
        parsed.wanted.push_back(expr::Wanted::Natural);
        parsed.value_texts.emplace_back(name_of(role));
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
