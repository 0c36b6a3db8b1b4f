// Node.js. It had probes up to 18, if it was configured --with-dtrace, which the builds of nodejs.org
// and of distributions mostly were not. Node 19 removed them.
//
// But its engine, V8, is C++ whose functions are exported for add-ons, also in stripped builds, and
// each collection of a JavaScript heap is one call of
//
//     v8::internal::Heap::PerformGarbageCollection(GarbageCollector, …)    0 scavenger, 1 mark-compact
//
// Its other parameters differ by version, and so does the symbol. The last of them is constant for all callers of Node
// 16 and 18, so that these call a copy without it (….constprop.1331). No such function shows
// calls of JavaScript itself: it is compiled while it runs, into memory that is of no file, where the
// kernel has no probes.
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
            "{}: Node.js tells of collections only, and no probe can be put on JavaScript, which "
            "is compiled while it runs; `node --perf-basic-prof` names its functions in stacks "
            "({}, {} -U)",
            runtime.who(), tool_name("stackcount"), tool_name("trace")));
}

const std::vector<Value> collector = {{Role::Flags, "(int)arg2"}};
// PerformGarbageCollection(GarbageCollector, GarbageCollectionReason, const char *), of Node 18 with GCCallbackFlags
// behind them, of Node 16 with these only.
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
