// Node.js up to 18, if it was configured --with-dtrace, which the builds of nodejs.org and of
// distributions mostly were not. Node 19 removed the probes.
#include "lang/runtime.h"

namespace uscope::lang {
namespace {

void examine(Runtime &, const Memory *) {}

void judge(const Runtime &runtime, Event, bool, Offer &offer)
{
    if (runtime.probes.empty()) {
        offer.notes.push_back(fmt::format(
            "{}: {} has no probes; Node.js 19 and later have none at all, 18 and earlier "
            "when they were configured --with-dtrace",
            runtime.who(), runtime.object.path));
    } else if (offer.rows.empty()) {
        offer.notes.push_back(
            fmt::format("{}: Node.js has probes for collections only", runtime.who()));
    }
}

}  // namespace

const Language node = {
    .name = "node",
    .title = "Node.js",
    .executables = {"node", "nodejs", "node[0-9]*"},
    .libraries = {"libnode.so*"},
    .provider = "node",
    .rows =
        {
            {Event::GcBegin, "node", "gc__start", {}, "collection"},
            {Event::GcEnd, "node", "gc__done", {{Role::Flags, "arg1"}}, "collection"},
        },
    .examine = examine,
    .judge = judge,
};

}  // namespace uscope::lang
