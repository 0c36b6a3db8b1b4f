// Parses and checks the forced attach method, and describes the one in use.
#include "kernel/attach_method.h"

#include "base/format.h"
#include "base/named.h"
#include "kernel/features.h"

namespace uscope::kernel {

std::optional<AttachMethod> &forced_method()
{
    static std::optional<AttachMethod> method;
    return method;
}

namespace {

constexpr Named<AttachMethod> methods_by_name[] = {{"session", AttachMethod::Session},
                                                   {"multi", AttachMethod::Multi},
                                                   {"tracefs", AttachMethod::Tracefs},
                                                   {"perf", AttachMethod::Perf}};

}  // namespace

std::vector<std::string> attach_method_names()
{
    return names_of(methods_by_name);
}

Result<> parse_value(std::string_view text, AttachMethod &method)
{
    auto named = find_named(methods_by_name, text);
    if (!named)
        return fail_usage("\"{}\" is not an attach method; use {}", text,
                          alternatives(attach_method_names()));
    method = *named;
    return {};
}

Result<> check_forced_method()
{
    if (forced_method() == AttachMethod::Session && !session_calls())
        return fail("Linux {} has no uprobe sessions (they need Linux 6.13{})", kernel_release(),
                    has_type_information() ? "" : " with CONFIG_DEBUG_INFO_BTF");
    if (forced_method() == AttachMethod::Multi && !has_uprobe_multi())
        return fail("Linux {} has no uprobe_multi links (they need Linux 6.6)", kernel_release());
    return {};
}

std::string describe_attach_method()
{
    const char *why = forced_method() ? "by --force-path" : "the best that this kernel has";
    std::string_view how;
    if (session_calls())
        how = "uprobe_multi links, and one program for a call and its return";
    else if (has_uprobe_multi())
        how = "uprobe_multi links";
    else if (forced_method() == AttachMethod::Perf)
        how = "a perf event for each site";
    else
        how = "a tracefs event for the sites in a file, a perf event for a single site";
    return fmt::format("{} ({})", how, why);
}

}  // namespace uscope::kernel
