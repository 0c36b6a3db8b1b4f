#include "attach/attach_method.h"

#include "attach/kernel.h"
#include "base/format.h"

namespace uscope::attach {

std::optional<AttachMethod> &forced_method()
{
    static std::optional<AttachMethod> path;
    return path;
}

Result<> parse_value(std::string_view text, AttachMethod &path)
{
    if (text == "session")
        path = AttachMethod::Session;
    else if (text == "multi")
        path = AttachMethod::Multi;
    else if (text == "tracefs")
        path = AttachMethod::Tracefs;
    else if (text == "perf")
        path = AttachMethod::Perf;
    else
        return fail_usage("{} is no path into the kernel: session, multi, tracefs or perf", text);
    return {};
}

Result<> check_forced_method()
{
    if (forced_method() == AttachMethod::Session && !session_calls())
        return fail("Linux {} has no uprobe sessions ({})", kernel_release(),
                    has_type_information() ? "6.13 has"
                                           : "6.13 has, with type information: "
                                             "CONFIG_DEBUG_INFO_BTF");
    if (forced_method() == AttachMethod::Multi && !has_uprobe_multi())
        return fail("Linux {} has no uprobe_multi links (6.6 has)", kernel_release());
    return {};
}

std::string describe_attach_method()
{
    const char *why = forced_method() ? "by --force-path" : "tried out on this kernel";
    std::string_view how;
    if (session_calls())
        how = "uprobe_multi links, and one program for a call and its return";
    else if (has_uprobe_multi())
        how = "uprobe_multi links";
    else if (forced_method() == AttachMethod::Perf)
        how = "a perf event for each place";
    else
        how = "a tracefs event for places of a file, a perf event for a single place";
    return fmt::format("{} ({})", how, why);
}

}  // namespace uscope::attach
