// Tcl, if configured with --enable-dtrace; Debian's is not. TclNRInterpProcCore() has two
// consecutive sites of proc__entry, and both fire for each call.
#include "base/format.h"
#include "lang/runtime.h"

namespace uscope::lang {
namespace {

void examine_tcl(Runtime &runtime, const Memory *)
{
    runtime.version = runtime.version_by_name();
}

void check_tcl(const Runtime &runtime, Event, bool, Availability &availability)
{
    if (runtime.probes.empty()) {
        availability.notes.push_back(fmt::format(
            "{}: {} was built without probes; Tcl has them if configured with --enable-dtrace",
            runtime.who(), runtime.object.path));
    } else if (availability.hooks.empty()) {
        availability.notes.push_back(
            fmt::format("{}: Tcl has probes for procs and objects only", runtime.who()));
    }
}

}  // namespace

const Language tcl = {
    .name = "tcl",
    .title = "Tcl",
    .executables = {"tclsh", "tclsh[0-9]*", "wish", "wish[0-9]*"},
    .libraries = {"libtcl[0-9]*.so*"},
    .provider = "tcl",
    .hooks =
        {
            {.event = Event::MethodEntry,
             .provider = "tcl",
             .name = "proc__entry",
             .values = {{Role::Method, "str(arg1)"}},
             .fires_repeatedly = true},
            {Event::MethodReturn, "tcl", "proc__return", {{Role::Method, "str(arg1)"}}},
            {Event::Allocation, "tcl", "obj__create", {}, "object"},
        },
    .examine = examine_tcl,
    .check_availability = check_tcl,
};

}  // namespace uscope::lang
