// CPython, if configured with --with-dtrace, as Debian's and Fedora's are; those of python.org,
// pyenv and conda mostly are not. All probes have semaphores.
//
//     3.6 to 3.10   functions, collections, imports
//     3.11          function__return fires, function__entry does not (bpo 98894): the interpreter
//                   reaches its site only while the semaphore of the probe `line` is also up
//     3.12 to 3.14  no probes for functions
//     from 3.15     they are back, but function__entry also fires when a generator or coroutine is
//                   created, without a return
//
// Since 3.11, probes on the code of the interpreter count calls instead, even in builds without
// USDT probes (calls.h). They also see returns: since 3.13, and in 3.11 if it has the probe
// function__return.
//
// The probe `line` itself can crash 3.11, so no hook uses it.
#include <algorithm>
#include <functional>

#include "base/format.h"
#include "base/tool_name.h"
#include "lang/memory.h"
#include "lang/python/calls.h"
#include "lang/runtime.h"

namespace uscope::lang {
namespace {

void examine_python(Runtime &runtime, const Memory *memory)
{
    runtime.version = runtime.version_by_name();
    // Py_Version, since 3.11: 0x030b02f0 is 3.11.2 final.
    if (auto hex = memory ? memory->variable<uint32_t>("Py_Version") : std::nullopt)
        runtime.version = {*hex >> 24, *hex >> 16 & 0xff, *hex >> 8 & 0xff};
}

constexpr Version lost_entries = {3, 11}, lost_functions = {3, 12}, has_functions_again = {3, 15};

// While the semaphore of `line` is up, the interpreter takes its slow path: a loop of calls took 6
// times as long.
void check_lost_entries(const Runtime &runtime, bool unsafe, Availability &availability)
{
    if (unsafe) {
        availability.kept_up = {"python", "line", "Py_FatalError"};
        availability.notes.push_back(fmt::format(
            "{}: CPython 3.11 reports calls only on the interpreter's slow path: it takes that "
            "now, and calls take several times as long",
            runtime.who()));
        return;
    }
    availability.hooks.clear();
    availability.notes.push_back(
        fmt::format("{}: in CPython 3.11 function__entry never fires (function__return does); see "
                    "ucalls(1)",
                    runtime.who()));
}

bool is_code_site(const Hook *hook)
{
    return hook->provider == std::string_view(code_site_provider);
}

// Returns why the probes do not suffice for calls.
const char *lack_of_probes(const Runtime &runtime)
{
    return runtime.version >= has_functions_again ? "its probe for calls also reports other events"
                                                  : "no probe reports calls";
}

// If the code sites of both entries and returns are known, uses these sites instead of probes. If
// not, removes their hooks and returns false.
bool check_code_sites(const Runtime &runtime, Event event, Availability &availability)
{
    bool has_returns =
        runtime.version >= lost_functions || runtime.probes.contains("python:function__return");
    if (!runtime.code_sites.contains("entry thrown") || !has_returns) {
        std::erase_if(availability.hooks, is_code_site);
        return false;
    }
    if (event == Event::MethodEntry || runtime.code_sites.contains("return"))
        std::erase_if(availability.hooks, std::not_fn(is_code_site));
    if (event == Event::MethodEntry)
        availability.notes.push_back(fmt::format(
            "{}: {}; tracing the interpreter instead, where it begins a function or resumes a "
            "generator",
            runtime.who(), lack_of_probes(runtime)));
    return true;
}

// Suggests another tool if returns cannot be traced.
std::string other_tool(const Runtime &runtime)
{
    bool has_calls = !uscope::lang::availability(runtime, Event::Call).hooks.empty();
    return has_calls ? fmt::format("; {} counts their calls, without times", tool_name("ucalls"))
                     : "";
}

void check_python(const Runtime &runtime, Event event, bool unsafe, Availability &availability)
{
    if (event == Event::Call) {
        if (!availability.hooks.empty())
            availability.notes.push_back(
                fmt::format("{}: {}; tracing the interpreter instead, where it begins a function",
                            runtime.who(), lack_of_probes(runtime)));
        return;
    }
    const Version &version = runtime.version;
    bool is_function = event == Event::MethodEntry || event == Event::MethodReturn;
    if (is_function && version >= lost_entries && check_code_sites(runtime, event, availability))
        return;
    if (is_function && version >= lost_functions && version < has_functions_again) {
        availability.hooks.clear();
        availability.notes.push_back(
            fmt::format("{}: CPython 3.12 to 3.14 have no probes for functions (3.11 and earlier "
                        "and 3.15 do){}",
                        runtime.who(), other_tool(runtime)));
        return;
    }
    if (runtime.probes.empty()) {
        bool is_collection = event == Event::GcBegin || event == Event::GcEnd;
        availability.notes.push_back(
            fmt::format("{}: {} was built without probes; CPython has them if configured with "
                        "--with-dtrace, as Debian's and Fedora's are{}",
                        runtime.who(), runtime.object.path,
                        is_collection ? "; the program itself can watch collections by gc.callbacks"
                        : is_function ? other_tool(runtime)
                                      : ""));
        return;
    }
    if (event == Event::MethodEntry && version >= lost_entries && version < lost_functions)
        check_lost_entries(runtime, unsafe, availability);
    if (event == Event::MethodEntry && version >= has_functions_again &&
        !availability.hooks.empty())
        availability.notes.push_back(fmt::format(
            "{}: its probe for calls also fires when a generator or coroutine is created, without "
            "a return: this counts as a call, and later calls are shown a level too deep",
            runtime.who()));
    if (event == Event::Allocation || event == Event::Exception)
        availability.notes.push_back(
            fmt::format("{}: CPython has no probe for {}", runtime.who(),
                        event == Event::Allocation ? "allocations" : "exceptions"));
}

const std::vector<Value> python_function = {
    {Role::Class, "str(arg1)"}, {Role::Method, "str(arg2)"}, {Role::Line, "arg3"}};

}  // namespace

const Language python = {
    .name = "python",
    .title = "Python (CPython)",
    .executables = {"python", "python[23]", "python[23].*"},
    .libraries = {"libpython[23].*.so*"},
    .provider = "python",
    .hooks =
        {
            {Event::MethodEntry, "python", "function__entry", python_function},
            {Event::MethodReturn, "python", "function__return", python_function},
            {Event::MethodEntry, code_site_provider, "entry RESUME"},
            {Event::MethodEntry, code_site_provider, "entry RESUME_QUICK"},
            {Event::MethodEntry, code_site_provider, "entry RESUME_CHECK"},
            {Event::MethodEntry, code_site_provider, "entry RESUME_CHECK_JIT"},
            {Event::MethodEntry, code_site_provider, "entry INSTRUMENTED_RESUME"},
            {Event::MethodEntry, code_site_provider, "entry thrown"},
            {Event::MethodReturn, code_site_provider, "return"},
            {Event::MethodReturn, code_site_provider, "YIELD_VALUE"},
            {Event::MethodReturn, code_site_provider, "INSTRUMENTED_YIELD_VALUE"},
            {Event::Call, code_site_provider, "RESUME"},
            {Event::Call, code_site_provider, "RESUME_QUICK"},
            {Event::Call, code_site_provider, "RESUME_CHECK"},
            {Event::Call, code_site_provider, "RESUME_CHECK_JIT"},
            {Event::Call, code_site_provider, "INSTRUMENTED_RESUME"},
            {Event::GcBegin, "python", "gc__start", {{Role::Generation, "arg1"}}, "collection"},
            {Event::GcEnd, "python", "gc__done", {{Role::Collected, "arg1"}}, "collection"},
            {Event::ClassLoad, "python", "import__find__load__start", {{Role::Name, "str(arg1)"}}},
        },
    .examine = examine_python,
    .check_availability = check_python,
    .find_code_sites = find_python_calls,
    .allocator = "Python's own allocator (started with PYTHONMALLOC=malloc it uses malloc)",
};

}  // namespace uscope::lang
