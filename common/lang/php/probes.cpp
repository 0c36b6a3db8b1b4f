// PHP (Zend), if configured with --enable-dtrace, as in Debian 12: command line, FPM and Apache's
// module.
//
// PHP reports functions, files and requests only if it was started with USE_ZEND_DTRACE=1 (or
// another number but 0) in its environment; it always reports exceptions. The main script is a
// function "main"; the class of a plain function is empty.
//
// Debian 13's PHP has no probes. But PHP exports functions for its extensions, and the engine
// itself calls two of them: one for each exception, and one for each collection of cycles (for
// which there never was a probe). PHP functions call each other without calling any exported
// function.
#include "base/fd.h"
#include "base/format.h"
#include "base/text.h"
#include "lang/memory.h"
#include "lang/runtime.h"

namespace uscope::lang {
namespace {

constexpr const char *dtrace = "USE_ZEND_DTRACE";

bool is_number_but_zero(std::string_view text)
{
    return text.find_first_of("123456789") != std::string_view::npos;
}

// Does the initial environment turn probes on? nullopt: it cannot be read, or is not set up yet.
std::optional<bool> is_in_environment(pid_t pid)
{
    auto environment = read_file(fmt::format("/proc/{}/environ", pid));
    if (!environment || environment->empty())
        return std::nullopt;
    for (std::string_view variable : split(*environment, '\0')) {
        if (variable.starts_with("USE_ZEND_DTRACE="))
            return is_number_but_zero(variable.substr(variable.find('=') + 1));
    }
    return false;
}

// The interpreter's variable says whether probes are on. While PHP starts, the variable is still 0,
// and only the environment says what it will be; later, the program may have overwritten the
// environment with a process title.
std::optional<bool> is_enabled(const Runtime &runtime, const Memory *memory)
{
    auto enabled = memory ? memory->variable<uint8_t>("zend_dtrace_enabled") : std::nullopt;
    if (enabled.value_or(0) != 0)
        return true;
    return is_in_environment(runtime.pid);
}

void examine_php(Runtime &runtime, const Memory *memory)
{
    runtime.version = runtime.version_by_name();
    if (auto enabled = is_enabled(runtime, memory))
        runtime.switches[dtrace] = *enabled;
}

void check_php(const Runtime &runtime, Event event, bool, Availability &availability)
{
    bool is_switched =
        event == Event::MethodEntry || event == Event::MethodReturn || event == Event::ClassLoad;
    if (is_switched && availability.hooks.empty()) {
        availability.notes.push_back(
            fmt::format("{}: {} was built without probes for functions and files; PHP has them if "
                        "configured with --enable-dtrace, as Debian 12's is",
                        runtime.who(), runtime.object.path));
        return;
    }
    if (is_switched && runtime.is_on(dtrace) == false) {
        availability.hooks.clear();
        availability.notes.push_back(
            fmt::format("{} does not report functions and files: restart it with "
                        "USE_ZEND_DTRACE=1 in its environment",
                        runtime.who()));
    }
}

const std::vector<Value> php_function = {{Role::Class, "str(arg4)"},
                                         {Role::Method, "str(arg1)"},
                                         {Role::File, "str(arg2)"},
                                         {Role::Line, "arg3"}};

}  // namespace

const Language php = {
    .name = "php",
    .title = "PHP",
    .executables = {"php", "php[0-9]*", "php-fpm*", "php-cgi*"},
    .libraries = {"libphp*.so"},
    .provider = "php",
    .hooks =
        {
            {Event::MethodEntry, "php", "function__entry", php_function},
            {Event::MethodReturn, "php", "function__return", php_function},
            {Event::ClassLoad, "php", "compile__file__entry", {{Role::Name, "str(arg1)"}}},
            {Event::Exception, "php", "exception__thrown", {{Role::Type, "str(arg1)"}}},
            {Event::Exception, "", "zend_throw_exception_internal"},
            {Event::GcBegin, "", "zend_gc_collect_cycles", {}, "cycles"},
            {Event::GcEnd,
             "",
             "zend_gc_collect_cycles",
             {{Role::Collected, "(int)retval"}},
             "cycles"},
        },
    .examine = examine_php,
    .check_availability = check_php,
    .allocator = "PHP's own allocator (started with USE_ZEND_ALLOC=0 it uses malloc)",
    .nests_on_stack = true,  // with probes on, each call runs in its own execute_ex()
};

}  // namespace uscope::lang
