// The attributes by which OpenTelemetry identifies a process, and the name of its service.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "proc/workload_names.h"
#include "telemetry/endpoint.h"
#include "telemetry/otlp.h"

namespace uscope::telemetry {

class ProcessResources {
  public:
    // Reads OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES, which apply to all processes.
    ProcessResources();

    // Reads the attributes now. `comm` names the process if its program's file cannot be read.
    Attributes of(uint32_t tgid, const std::string &comm);
    // The attributes without a process, for a service.
    Attributes of_service(const std::string &service) const;
    // service.name of a process; remembers it for some seconds.
    const std::string &service(uint32_t tgid, const std::string &comm);
    // Makes service() read the names again, because another process may have the number.
    void forget() { services_.clear(); }

  private:
    std::string own(std::string_view name) const;
    std::string service_of(uint32_t tgid, const std::string &program);

    Pairs own_;
    std::string host_;
    proc::Workloads workloads_;
    std::map<uint32_t, std::string> services_;
};

}  // namespace uscope::telemetry
