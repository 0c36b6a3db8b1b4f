// Perl, if configured with -Dusedtrace; Debian's is not. A sub that die() leaves also fires
// sub__return (seen in 5.36).
#include "base/format.h"
#include "lang/runtime.h"

namespace uscope::lang {
namespace {

void examine_perl(Runtime &runtime, const Memory *)
{
    runtime.version = runtime.version_by_name();
}

void check_perl(const Runtime &runtime, Event, bool, Availability &availability)
{
    if (runtime.probes.empty()) {
        availability.notes.push_back(
            fmt::format("{}: {} was built without probes; Perl has them if configured with "
                        "-Dusedtrace",
                        runtime.who(), runtime.object.path));
    } else if (availability.hooks.empty()) {
        availability.notes.push_back(
            fmt::format("{}: Perl has probes for subs and loaded files only", runtime.who()));
    }
}

// Class is the package, not the file: people name a sub by its package.
const std::vector<Value> sub = {{Role::Class, "str(arg4)"},
                                {Role::Method, "str(arg1)"},
                                {Role::File, "str(arg2)"},
                                {Role::Line, "arg3"}};

}  // namespace

const Language perl = {
    .name = "perl",
    .title = "Perl",
    .executables = {"perl", "perl[0-9]*"},
    .libraries = {"libperl.so*"},
    .provider = "perl",
    .hooks =
        {
            {Event::MethodEntry, "perl", "sub__entry", sub},
            {Event::MethodReturn, "perl", "sub__return", sub},
            {Event::ClassLoad, "perl", "loaded__file", {{Role::Name, "str(arg1)"}}},
        },
    .examine = examine_perl,
    .check_availability = check_perl,
};

}  // namespace uscope::lang
