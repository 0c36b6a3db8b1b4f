// Reads names of programs, services and containers.
#include "telemetry/process_resources.h"

#include <algorithm>
#include <cstdlib>

#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/format.h"
#include "base/text.h"
#include "proc/process.h"

namespace uscope::telemetry {
namespace {

constexpr size_t max_services = 4096;

std::string host_name()
{
    char name[256] = "";
    gethostname(name, sizeof(name) - 1);
    return name;
}

// Sets an attribute; the first setting stays.
void add_default(Attributes &attributes, std::string_view name, const output::Cell &value)
{
    bool is_there = std::any_of(attributes.begin(), attributes.end(),
                                [&](const auto &attribute) { return attribute.first == name; });
    if (!is_there)
        attributes.emplace_back(name, value);
}

std::string program_of(uint32_t tgid, const std::string &comm)
{
    std::string program = proc::executable_name(pid_t(tgid));
    if (!program.empty())
        return program;
    return comm.empty() ? "unknown_service" : comm;
}

// The name by which the program was called, if that is a link to it in the same folder: Debian's
// redis-server is a link to redis-check-rdb.
std::string called_name(uint32_t tgid, const std::string &program)
{
    std::string process = fmt::format("/proc/{}", tgid);
    std::string path = link_target(process + "/exe").value_or("");
    std::string name = std::string(trim(read_file(process + "/comm").value_or("")));
    std::string link = process + "/root" + path.substr(0, path.rfind('/') + 1) + name;
    struct stat called, executed;
    bool is_same = !name.empty() && name.find('/') == name.npos &&
                   stat(link.c_str(), &called) == 0 &&
                   stat((process + "/exe").c_str(), &executed) == 0 &&
                   called.st_dev == executed.st_dev && called.st_ino == executed.st_ino;
    return is_same ? name : program;
}

}  // namespace

ProcessResources::ProcessResources() : host_(host_name())
{
    const char *service = getenv("OTEL_SERVICE_NAME");
    if (service && *service)
        own_.emplace_back("service.name", service);
    const char *attributes = getenv("OTEL_RESOURCE_ATTRIBUTES");
    for (auto &pair : parse_pairs(attributes ? attributes : ""))
        own_.push_back(std::move(pair));
}

std::string ProcessResources::own(std::string_view name) const
{
    for (const auto &[key, value] : own_)
        if (key == name)
            return value;
    return "";
}

// The name under which people run the process: of its container, else of its systemd service, else
// of its program.
std::string ProcessResources::service_of(uint32_t tgid, const std::string &program)
{
    constexpr std::string_view suffix = ".service";
    if (std::string name = own("service.name"); !name.empty())
        return name;
    const proc::NamedWorkload &known = workloads_.of(pid_t(tgid));
    const std::string &unit = known.workload.unit;
    if (!known.names.container.empty())
        return known.names.container;
    return unit.ends_with(suffix) ? unit.substr(0, unit.size() - suffix.size()) : program;
}

Attributes ProcessResources::of_service(const std::string &service) const
{
    Attributes attributes;
    for (const auto &[name, value] : own_)
        add_default(attributes, name, std::string(value));
    add_default(attributes, "service.name", std::string(service));
    add_default(attributes, "host.name", std::string(host_));
    return attributes;
}

Attributes ProcessResources::of(uint32_t tgid, const std::string &comm)
{
    std::string program = program_of(tgid, comm);
    Attributes attributes = of_service(service_of(tgid, called_name(tgid, program)));
    const proc::NamedWorkload &known = workloads_.of(pid_t(tgid));
    add_default(attributes, "process.pid", tgid);
    add_default(attributes, "process.executable.name", std::move(program));
    if (!known.workload.container_id.empty())
        add_default(attributes, "container.id", std::string(known.workload.container_id));
    if (!known.workload.pod_uid.empty())
        add_default(attributes, "k8s.pod.uid", std::string(known.workload.pod_uid));
    return attributes;
}

const std::string &ProcessResources::service(uint32_t tgid, const std::string &comm)
{
    if (services_.size() >= max_services)
        forget();
    auto [entry, is_new] = services_.try_emplace(tgid);
    if (is_new)
        entry->second = service_of(tgid, called_name(tgid, program_of(tgid, comm)));
    return entry->second;
}

}  // namespace uscope::telemetry
