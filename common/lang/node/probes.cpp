// Node.js. Up to version 18 it has probes if configured with --with-dtrace; the builds of
// nodejs.org and of distributions mostly are not. Node 19 removed the probes.
//
// But its engine, V8, exports its C++ functions for add-ons, also in stripped builds. Each
// collection of a JavaScript heap is one call of
//
//     v8::internal::Heap::PerformGarbageCollection(GarbageCollector, …)
//
// with 0 for the scavenger, and 1 for mark-compact.
//
// Its other parameters, and with them the symbol, depend on the version. In Node 16 and 18 all
// callers pass the same last argument, so they call a copy without it (….constprop.1331). Calls of
// JavaScript functions cannot be traced: V8 compiles them at run time into anonymous memory, where
// the kernel cannot place probes.
#include "base/format.h"
#include "base/tool_name.h"
#include "lang/runtime.h"

namespace uscope::lang {
namespace {

void examine_node(Runtime &, const Memory *) {}

void check_node(const Runtime &runtime, Event event, bool, Availability &availability)
{
    if (!availability.hooks.empty())
        return;
    if (event == Event::GcBegin || event == Event::GcEnd)
        availability.notes.push_back(
            fmt::format("{}: {} has neither probes nor V8's function for collections",
                        runtime.who(), runtime.object.path));
    else
        availability.notes.push_back(fmt::format(
            "{}: Node.js reports collections only, and JavaScript cannot be probed, because it is "
            "compiled at run time; `node --perf-basic-prof` names its functions in stacks "
            "({}, {} -U)",
            runtime.who(), tool_name("stackcount"), tool_name("trace")));
}

const std::vector<Value> collector = {{Role::Flags, "(int)arg2"}};
// PerformGarbageCollection(GarbageCollector, GarbageCollectionReason, const char *). In Node 18,
// GCCallbackFlags follow; in Node 16, the parameters are (GarbageCollector, GCCallbackFlags).
constexpr const char *perform =
    "_ZN2v88internal4Heap24PerformGarbageCollectionENS0_16GarbageCollectorENS0_"
    "23GarbageCollectionReasonEPKc";
constexpr const char *perform_16 =
    "_ZN2v88internal4Heap24PerformGarbageCollectionENS0_16GarbageCollectorENS_15GCCallbackFlagsE";
constexpr const char *perform_18 =
    "_ZN2v88internal4Heap24PerformGarbageCollectionENS0_16GarbageCollectorENS0_"
    "23GarbageCollectionReasonEPKcNS_15GCCallbackFlagsE";

}  // namespace

const Language node = {
    .name = "node",
    .title = "Node.js",
    .executables = {"node", "nodejs", "node[0-9]*"},
    .libraries = {"libnode.so*"},
    .provider = "node",
    .hooks =
        {
            {Event::GcBegin, "node", "gc__start", {}, "collection"},
            {Event::GcEnd, "node", "gc__done", {{Role::Flags, "arg1"}}, "collection"},
            {Event::GcBegin, "", perform, collector, "V8"},
            {Event::GcEnd, "", perform, {}, "V8"},
            {Event::GcBegin, "", perform_16, collector, "V8"},
            {Event::GcEnd, "", perform_16, {}, "V8"},
            {Event::GcBegin, "", perform_18, collector, "V8"},
            {Event::GcEnd, "", perform_18, {}, "V8"},
        },
    .examine = examine_node,
    .check_availability = check_node,
    .allocator = "V8's own heap",
    .copies_keep_parameters = true,
};

}  // namespace uscope::lang
