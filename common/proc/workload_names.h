// Finds the names of containers and pods in the files that their runtimes keep. Asks no daemon.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include <sys/types.h>

#include "proc/workload.h"

namespace uscope::proc {

struct WorkloadNames {
    std::string container;  // "web"; "": unknown
    std::string pod;        // "default/web-0": namespace and name; "": unknown
};

// `root`: below which the files are; "": this process's root.
WorkloadNames names_of(const Workload &workload, const std::string &root = "");

struct NamedWorkload {
    Workload workload;
    WorkloadNames names;

    // What people see: the name, else the id (12 digits of a container's); "" if there is none.
    std::string container() const;
    std::string pod() const;
};

// Returns the name or the id of the container to which a cgroup belongs, by the cgroup's id: "-" if
// to none, "cgroup 4711" if the cgroup is gone.
std::string container_of_cgroup(uint64_t id);

// Remembers the workloads of processes and the names of containers. Reads a process's cgroup again
// when a second has passed. Knows ended processes for a while. It is bounded: forgets
// what was not asked for lately.
class Workloads {
  public:
    explicit Workloads(std::string proc = "/proc", std::string root = root_of_files());

    // Returns an empty workload for a process that has ended before it was asked for.
    const NamedWorkload &of(pid_t pid);
    WorkloadNames names_of(const Workload &workload);

    // In a container that shares the host's pid namespace, the host's root (/proc/1/root); else "".
    static std::string root_of_files();

  private:
    using Clock = std::chrono::steady_clock;
    // A map of two generations: when the newer one is full, the older one is forgotten.
    template <class Key, class Value>
    struct Bounded {
        std::map<Key, Value> newer, older;
        Value &operator[](const Key &key);
    };
    struct Process {
        Clock::time_point read = {};
        std::shared_ptr<const NamedWorkload> known = {};
    };
    struct Names {
        Clock::time_point read = {};
        WorkloadNames names;
    };

    std::string proc_, root_;
    Bounded<pid_t, Process> processes_;
    Bounded<std::string, std::shared_ptr<const NamedWorkload>> by_cgroups_;
    Bounded<std::string, Names> names_;
};

}  // namespace uscope::proc
