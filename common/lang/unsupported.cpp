// The table of unsupported runtimes.
#include "lang/unsupported.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace uscope::lang {
namespace {

const std::vector<Unsupported> all = {
    {"PyPy",
     {"pypy*"},
     {"libpypy*.so*"},
     "it has no probes; run the program in CPython to count calls",
     "PyPy's own collector",
     "PyPy",
     "it does not describe the code that it compiles"},
    {"LuaJIT",
     {"luajit*"},
     {"libluajit*.so*"},
     "it has no probes; functions of its C interface can be counted (funccount 'FILE:lua_*'), and "
     "its own profiler is -jp",
     "LuaJIT's own allocator",
     "LuaJIT",
     "it does not describe the code that it compiles; its own profiler is -jp"},
    {"Erlang (BEAM)",
     {"beam.smp", "beam"},
     {},
     "stacks name its functions if it is started with +JPperf true; its own dbg traces calls",
     "Erlang's own allocators (+Mea min makes it use malloc)",
     "BEAM",
     "it describes the code that it compiles only if it is started with +JPperf true"},
    {"Deno",
     {"deno"},
     {},
     "stacks name its functions if it is started with --v8-flags=--perf-basic-prof",
     "V8's own heap",
     "V8",
     "it describes the code that it compiles only if it is started with "
     "--v8-flags=--perf-basic-prof"},
    {"workerd",
     {"workerd"},
     {},
     "stacks name its functions if its configuration has v8Flags = [\"--perf-basic-prof\"]",
     "V8's own heap",
     "V8",
     "it describes the code that it compiles only if its configuration has v8Flags = "
     "[\"--perf-basic-prof\"]"},
    {"Bun",
     {"bun"},
     {},
     "stacks name its functions if it is started with BUN_JSC_useJITDump=1 (since Bun 1.3)",
     "JavaScriptCore's own heap",
     "JavaScriptCore",
     "it describes the code that it compiles only if it is started with BUN_JSC_useJITDump=1 "
     "(since Bun 1.3)"},
    {"Mono",
     {"mono", "mono-sgen*"},
     {"libmonosgen*.so*", "libmono-2*.so*"},
     "stacks name its methods if it is started with --jitmap",
     "Mono's own heap",
     "Mono",
     "it describes the code that it compiles only if it is started with --jitmap"},
    {".NET",
     {"dotnet"},
     {"libcoreclr.so"},
     "stacks name its methods if it is started with DOTNET_PerfMapEnabled=1",
     ".NET's own heap",
     "CoreCLR",
     "it describes the code that it compiles only if it is started with DOTNET_PerfMapEnabled=1"},
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
     "SBCL's own heap",
     "SBCL",
     "it does not describe the code that it compiles; its own profiler is sb-sprof"},
    {"Guile",
     {"guile", "guile-[0-9]*"},
     {"libguile-[0-9]*.so*"},
     "it has no probes; its own profiler is (statprof)",
     "the Boehm collector",
     "Guile",
     "it does not describe the code that it compiles; its own profiler is (statprof)"},
    {"GHC",
     {},
     {"libHSrts*.so*"},
     "it has no probes; its own profiler is +RTS -p (in programs built with -prof)",
     "GHC's own heap",
     nullptr,
     nullptr,
     "only the innermost of its Haskell functions is in stacks, because GHC keeps their frames on "
     "a stack of its own",
     "(GHC version %s for %s)"},
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

const Unsupported *find_unsupported(std::string_view file_name)
{
    auto found = std::find_if(all.begin(), all.end(), [&](const Unsupported &runtime) {
        return matches_any(runtime.executables, file_name) ||
               matches_any(runtime.libraries, file_name);
    });
    return found == all.end() ? nullptr : &*found;
}

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

const Unsupported *find_unsupported(const elf::Image &program)
{
    const elf::Section *section = program.section(".rodata");
    Bytes content = section ? program.contents(*section).value_or(Bytes()) : Bytes();
    for (const Unsupported &runtime : all) {
        std::string_view text = runtime.text ? runtime.text : "";
        if (!text.empty() && memmem(content.data(), content.size(), text.data(), text.size()))
            return &runtime;
    }
    return nullptr;
}

}  // namespace uscope::lang
