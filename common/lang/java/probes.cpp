// Java on HotSpot: OpenJDK and JVMs built from it.
//
// The probes pass strings as pointer and length, in modified UTF-8, without a terminator; class
// names have '/'. There are no semaphores: the JVM's flags decide at its start which probes fire.
// Those of threads, classes and collections always fire; those of methods, allocations and monitors
// need a flag each:
//
//     JDK 8 to 18   -XX:+ExtendedDTraceProbes turns on all of them
//     19            warns about this flag; 20 ignores it
//     from 21       does not know this flag, and does not start with it
//
// This file reads a JVM's flags from the memory of the process (hotspot.h), so it does not matter
// where they came from: the command line, JAVA_TOOL_OPTIONS or a file.
#include "base/format.h"
#include "lang/java/hotspot.h"
#include "lang/java/threads.h"
#include "lang/runtime.h"

namespace uscope::lang {
namespace {

constexpr const char *method_probes = "DTraceMethodProbes", *alloc_probes = "DTraceAllocProbes";
constexpr const char *concurrent[] = {"UseZGC", "UseShenandoahGC"};
// Keys of Runtime::switches.
constexpr const char *distinguished = "virtual threads are distinguished",
                     *detected = "virtual threads are detected";

void find_threads(const Hotspot &jvm, const Memory &memory, Runtime &runtime)
{
    using Identified = VirtualThreads::Identified;
    auto image = elf::Image::open(runtime.object.open_path);
    VirtualThreads threads = find_virtual_threads(jvm, memory, image ? &*image : nullptr);
    if (threads.identified == Identified::None)
        return;
    runtime.virtual_thread = threads.expression;
    runtime.switches[distinguished] = threads.identified == Identified::ByNumbers;
    runtime.switches[detected] = threads.identified != Identified::Undetected;
}

void examine_java(Runtime &runtime, const Memory *memory)
{
    auto jvm = memory ? Hotspot::open(*memory) : std::nullopt;
    if (!jvm)
        return;
    runtime.version = jvm->version();
    runtime.switches = jvm->flags({method_probes, alloc_probes, concurrent[0], concurrent[1]});
    if (runtime.is_on(method_probes) == true)
        find_threads(*jvm, *memory, runtime);
}

std::string how_to_start(const Version &version, const char *flag)
{
    std::string how = fmt::format("restart it with -XX:+{}", flag);
    if (version.is_known() && version.major < 19)
        how += " or -XX:+ExtendedDTraceProbes";
    else if (version.major >= 21)
        how += " (JDK 21 and later do not start with -XX:+ExtendedDTraceProbes)";
    return how;
}

void need_flag(const Runtime &runtime, const char *what, const char *flag,
               Availability &availability)
{
    auto is_on = runtime.is_on(flag);
    if (is_on == true)
        return;
    std::string how = how_to_start(runtime.version, flag);
    if (!is_on) {
        availability.notes.push_back(
            fmt::format("{}: cannot read whether -XX:+{} is on; without it the JVM does not report "
                        "{}: {}",
                        runtime.who(), flag, what, how));
        return;
    }
    availability.hooks.clear();
    availability.notes.push_back(
        fmt::format("{} does not report {}: {}", runtime.who(), what, how));
}

void check_threads(const Runtime &runtime, Availability &availability)
{
    if (availability.hooks.empty() || runtime.is_on(distinguished).value_or(true))
        return;
    if (runtime.is_on(detected) == true)
        availability.notes.push_back(fmt::format(
            "{}: its virtual threads cannot be distinguished: their calls have no times, and are "
            "in no tree",
            runtime.who()));
    else
        availability.notes.push_back(fmt::format(
            "{}: its virtual threads cannot be distinguished from their carriers: times and trees "
            "of their calls are wrong",
            runtime.who()));
}

// In older JDKs the interpreter and compiled code do not pass the size to the function that has the
// probe: JDK 17 reports 0 or a random number. JDK 25 reports the size.
void check_sizes(const Runtime &runtime, Availability &availability)
{
    if (availability.hooks.empty() || runtime.version.major >= 21)
        return;
    availability.has_true_bytes = false;
    availability.notes.push_back(fmt::format(
        "{}: before JDK 21 the JVM does not report the size of most objects: bytes are left out",
        runtime.who()));
}

// Concurrent collectors stop the program several times for one collection. The probe reports each
// stop.
void check_collector(const Runtime &runtime, Availability &availability)
{
    for (const char *collector : concurrent) {
        if (runtime.is_on(collector) == true)
            availability.notes.push_back(fmt::format(
                "{}: with -XX:+{} a collection has several pauses; each counts as a collection",
                runtime.who(), collector));
    }
}

void check_java(const Runtime &runtime, Event event, bool, Availability &availability)
{
    if (runtime.probes.empty()) {
        availability.notes.push_back(fmt::format(
            "{}: {} was built without probes (--enable-dtrace); the OpenJDK of Debian, Ubuntu and "
            "Fedora has them",
            runtime.who(), runtime.object.path));
        return;
    }
    switch (event) {
    case Event::MethodEntry:
    case Event::MethodReturn:
        need_flag(runtime, "methods", method_probes, availability);
        return check_threads(runtime, availability);
    case Event::Allocation:
        need_flag(runtime, "allocations", alloc_probes, availability);
        return check_sizes(runtime, availability);
    case Event::GcBegin:
        return check_collector(runtime, availability);
    case Event::Exception:
        availability.notes.push_back(
            fmt::format("{}: the JVM has no probe for exceptions", runtime.who()));
        return;
    default:
        return;
    }
}

const std::vector<Value> java_method = {{Role::Class, "str(arg2, arg3)"},
                                        {Role::Method, "str(arg4, arg5)"}};
const std::vector<Value> pool = {{Role::Manager, "str(arg1, arg2)"},
                                 {Role::Pool, "str(arg3, arg4)"},
                                 {Role::Used, "arg6"},
                                 {Role::PoolLimit, "arg8"}};
const std::vector<Value> thread = {
    {Role::Name, "str(arg1, arg2)"}, {Role::ThreadId, "arg3"}, {Role::NativeId, "(int)arg4"}};

}  // namespace

const Language java = {
    .name = "java",
    .title = "Java (HotSpot)",
    .executables = {},
    .libraries = {"libjvm.so"},
    .provider = "hotspot",
    .hooks =
        {
            {Event::ThreadStart, "hotspot", "thread__start", thread},
            {Event::ThreadEnd, "hotspot", "thread__stop", thread},
            {Event::MethodEntry, "hotspot", "method__entry", java_method},
            {Event::MethodReturn, "hotspot", "method__return", java_method},
            {Event::GcBegin, "hotspot", "gc__begin", {{Role::Flags, "arg1"}}, "collection"},
            {Event::GcEnd, "hotspot", "gc__end", {}, "collection"},
            {Event::GcBegin, "hotspot", "mem__pool__gc__begin", pool, "pool"},
            {Event::GcEnd, "hotspot", "mem__pool__gc__end", pool, "pool"},
            {Event::Allocation,
             "hotspot",
             "object__alloc",
             {{Role::Type, "str(arg2, arg3)"}, {Role::Bytes, "arg4"}}},
            {Event::ClassLoad, "hotspot", "class__loaded", {{Role::Name, "str(arg1, arg2)"}}},
        },
    .examine = examine_java,
    .check_availability = check_java,
};

}  // namespace uscope::lang
