// Ruby (MRI) since 2.0, if configured with --enable-dtrace, as Debian 12's and Fedora's are (Debian
// 13's is not). All probes have semaphores.
//
// Methods written in Ruby fire method__entry and method__return only while the program has a
// TracePoint for calls enabled; without it, their bytecode does not check the probes. Methods
// written in C fire cmethod__*.
//
// When an exception leaves a method, some versions fire a return and others do not: code that pairs
// calls with returns has to compare names.
#include <algorithm>
#include <string_view>

#include "base/format.h"
#include "lang/memory.h"
#include "lang/runtime.h"

namespace uscope::lang {
namespace {

constexpr const char *traced_calls = "TracePoint for calls",
                     *traced_returns = "TracePoint for returns";

void examine_ruby(Runtime &runtime, const Memory *memory)
{
    runtime.version = runtime.version_by_name();
    if (!memory)
        return;
    if (auto at = memory->address_of("ruby_version"))
        runtime.version = Version::in(memory->string(*at).value_or(""));
    // RUBY_EVENT_CALL and _RETURN of ruby/internal/event.h: bits for the events of enabled
    // TracePoints.
    constexpr uint32_t event_call = 0x0008, event_return = 0x0010;
    if (auto enabled = memory->variable<uint32_t>("ruby_vm_event_flags")) {
        runtime.switches[traced_calls] = *enabled & event_call;
        runtime.switches[traced_returns] = *enabled & event_return;
    }
}

bool is_c_method(const Hook *hook)
{
    return std::string_view(hook->name).starts_with("cmethod__");
}

// When a required file uses `alias`, rb_dtrace_setup() reads a frame that is not complete yet, and
// crashes the program. Seen with 3.1.2; other 3.1 releases may crash as well, so none gets these
// probes.
bool may_crash(const Version &version)
{
    return !version.is_known() || (version.major == 3 && version.minor == 1);
}

void check_methods(const Runtime &runtime, bool is_entry, bool unsafe, Availability &availability)
{
    bool has_calls = runtime.is_on(traced_calls) == true;
    bool lacks_returns = has_calls && runtime.is_on(traced_returns) != true;
    if (is_entry ? !has_calls : lacks_returns) {
        availability.notes.push_back(fmt::format(
            "{}: {}methods written in Ruby are seen only while the program has a TracePoint "
            "enabled{}, for example TracePoint.new(:call, :return) {{}}.enable",
            runtime.who(), is_entry ? "" : "returns of ", is_entry ? "" : " for them"));
    }
    if (!unsafe && may_crash(runtime.version)) {
        std::erase_if(availability.hooks, is_c_method);
        if (is_entry)
            availability.notes.push_back(
                fmt::format("{}: methods written in C are left out, because their probes crash "
                            "Ruby 3.1 when a required file uses alias",
                            runtime.who()));
    }
}

void check_ruby(const Runtime &runtime, Event event, bool unsafe, Availability &availability)
{
    if (runtime.probes.empty()) {
        availability.notes.push_back(
            fmt::format("{}: {} was built without probes; Ruby has them if configured with "
                        "--enable-dtrace, as Debian 12's and Fedora's are",
                        runtime.who(), runtime.object.path));
        return;
    }
    if (event == Event::MethodEntry || event == Event::MethodReturn)
        check_methods(runtime, event == Event::MethodEntry, unsafe, availability);
}

const std::vector<Value> ruby_method = {{Role::Class, "str(arg1)"},
                                        {Role::Method, "str(arg2)"},
                                        {Role::File, "str(arg3)"},
                                        {Role::Line, "arg4"}};
// Array.new fires object__create and then array__create; [] fires only the latter.
constexpr const char *has_no_probe =
    "str(arg1) != \"String\" && str(arg1) != \"Array\" && str(arg1) != \"Hash\"";
const std::vector<Value> loaded = {{Role::Name, "str(arg1)"}};

}  // namespace

const Language ruby = {
    .name = "ruby",
    .title = "Ruby",
    .executables = {"ruby", "ruby[0-9]*"},
    .libraries = {"libruby*.so*"},
    .provider = "ruby",
    .hooks =
        {
            {Event::MethodEntry, "ruby", "method__entry", ruby_method},
            {Event::MethodEntry, "ruby", "cmethod__entry", ruby_method},
            {Event::MethodReturn, "ruby", "method__return", ruby_method},
            {Event::MethodReturn, "ruby", "cmethod__return", ruby_method},
            {Event::GcBegin, "ruby", "gc__mark__begin", {}, "mark"},
            {Event::GcEnd, "ruby", "gc__mark__end", {}, "mark"},
            {Event::GcBegin, "ruby", "gc__sweep__begin", {}, "sweep"},
            {Event::GcEnd, "ruby", "gc__sweep__end", {}, "sweep"},
            {Event::Allocation,
             "ruby",
             "object__create",
             {{Role::Type, "str(arg1)"}},
             "",
             has_no_probe},
            {Event::Allocation, "ruby", "string__create", {{Role::Bytes, "arg1"}}, "string"},
            {Event::Allocation, "ruby", "array__create", {}, "array"},
            {Event::Allocation, "ruby", "hash__create", {}, "hash"},
            {Event::ClassLoad, "ruby", "require__entry", loaded},
            {Event::ClassLoad, "ruby", "load__entry", loaded},
            {Event::Exception, "ruby", "raise", {{Role::Type, "str(arg1)"}}},
        },
    .examine = examine_ruby,
    .check_availability = check_ruby,
};

}  // namespace uscope::lang
