// The table of unsupported runtimes.
#include "lang/unsupported.h"

#include <algorithm>

#include "base/text.h"

namespace uscope::lang {
namespace {

const std::vector<Unsupported> all = {
    {"PyPy",
     {"pypy*"},
     {"libpypy*.so*"},
     "it has no probes; run the program in CPython to count calls",
     "PyPy's own collector"},
    {"LuaJIT",
     {"luajit*"},
     {"libluajit*.so*"},
     "it has no probes; functions of its C interface can be counted (funccount 'FILE:lua_*'), and "
     "its own profiler is -jp",
     "LuaJIT's own allocator"},
    {"Erlang (BEAM)",
     {"beam.smp", "beam"},
     {},
     "stacks name its functions if it is started with +JPperf true; its own dbg traces calls",
     "Erlang's own allocators (+Mea min makes it use malloc)"},
    {"Deno",
     {"deno"},
     {},
     "stacks name its functions if it is started with --v8-flags=--perf-basic-prof",
     "V8's own heap"},
    {"Bun",
     {"bun"},
     {},
     "it has no probes, and stacks cannot name its functions",
     "JavaScriptCore's own heap"},
    {"Mono",
     {"mono", "mono-sgen*"},
     {"libmonosgen*.so*", "libmono-2*.so*"},
     "stacks name its methods if it is started with --jitmap",
     "Mono's own heap"},
    {".NET",
     {"dotnet"},
     {"libcoreclr.so"},
     "stacks name its methods if it is started with DOTNET_PerfMapEnabled=1",
     ".NET's own heap"},
    {"R",
     {"R"},
     {"libR.so"},
     "it has no probes; functions of its C interface can be counted (funccount 'FILE:Rf_*'), and "
     "its own profiler is Rprof()",
     nullptr},
    {"SBCL",
     {"sbcl"},
     {"libsbcl.so*"},
     "it has no probes; its own profiler is sb-sprof",
     "SBCL's own heap"},
    {"Lua",
     {"lua", "lua[0-9]*"},
     {"liblua[0-9]*.so*"},
     "it has no probes; functions of its C interface can be counted (funccount 'FILE:lua_*')",
     nullptr},
};

std::string_view name_of_file(const proc::MappedObject &object)
{
    std::string_view path = object.path;
    return path.substr(path.rfind('/') + 1);
}

bool matches_any(const std::vector<const char *> &patterns, std::string_view name)
{
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const char *pattern) { return glob_match(pattern, name); });
}

}  // namespace

const Unsupported *find_unsupported(std::string_view executable,
                                    const std::vector<proc::MappedObject> &objects)
{
    for (const Unsupported &runtime : all) {
        if (matches_any(runtime.executables, executable))
            return &runtime;
    }
    for (const Unsupported &runtime : all) {
        if (std::any_of(objects.begin(), objects.end(), [&](const proc::MappedObject &object) {
                return matches_any(runtime.libraries, name_of_file(object));
            }))
            return &runtime;
    }
    return nullptr;
}

}  // namespace uscope::lang
