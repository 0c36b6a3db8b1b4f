// A runtime of a language that has all its probes.
#pragma once

#include "base/format.h"
#include "lang/runtime.h"

namespace uscope::runtimes {

inline lang::Runtime runtime_of(const lang::Language &language, const char *path = "/bin/runtime")
{
    lang::Runtime runtime;
    runtime.language = &language;
    runtime.pid = 181;
    runtime.object.path = path;
    for (const lang::Hook &hook : language.hooks)
        runtime.probes[fmt::format("{}:{}", hook.provider, hook.name)] = path;
    runtime.switches = {{"DTraceMethodProbes", true}, {"USE_ZEND_DTRACE", true}};
    return runtime;
}

}  // namespace uscope::runtimes
