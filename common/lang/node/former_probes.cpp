// Suggests tools that show what Node's former probes reported.
#include "lang/node/former_probes.h"

#include "base/format.h"
#include "base/tool_name.h"

namespace uscope::lang {
namespace {

bool is_node(std::string_view path)
{
    std::string_view name = path.substr(path.rfind('/') + 1);
    return name == "node" || name == "nodejs";
}

}  // namespace

std::string instead_of_node_probe(std::string_view path, std::string_view probe)
{
    if (!is_node(path))
        return "";
    std::string http = tool_name("httpsnoop"), gc = tool_name("ugc");
    constexpr std::string_view gone = "Node has had no probes since version 19";
    if (probe == "http__server__request" || probe == "http__client__request")
        return fmt::format(
            "; {}: {} {} -p PID shows method (arg5), URL (arg6), and the peer's "
            "address and port (arg3, arg4)",
            gone, http, probe == "http__server__request" ? "-s" : "-c");
    if (probe == "http__server__response" || probe == "http__client__response")
        return fmt::format(
            "; {}: {} {} -p PID shows each response with its request, and the peer's "
            "address and port (arg2, arg3)",
            gone, http, probe == "http__server__response" ? "-s" : "-c");
    if (probe == "gc__start" || probe == "gc__done")
        return fmt::format("; {}: {} PID shows collections with their kind and time", gone, gc);
    if (probe.empty())
        return fmt::format("; {}: {} -p PID shows HTTP requests, {} PID shows collections", gone,
                           http, gc);
    return "";
}

}  // namespace uscope::lang
