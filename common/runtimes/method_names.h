// Reads names of methods that programs in the kernel cannot read: Python's that are not ASCII. The
// event has the address of the method's code object.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lang/python/names.h"
#include "lang/runtime.h"
#include "output/printf.h"
#include "probe/request.h"

namespace uscope::runtimes {

class MethodNames {
  public:
    enum class For : uint8_t { Calls, Flow };  // lang::Event: Call, or MethodEntry
    // `max_bytes`: how many bytes of a name the programs read.
    MethodNames(const std::vector<lang::Runtime> &runtimes, size_t max_bytes, For used_for);

    // Removes the last value, that of Role::Code, and unless it is 0, replaces the values of class
    // and method by names that are valid until the next call. `pids`: the processes that may have
    // the method.
    void complete(const probe::ProbeRequest &probe, const std::vector<pid_t> &pids,
                  std::vector<output::Value> &values);

  private:
    struct Known {
        lang::PythonNames seen, names;
    };
    const lang::PythonNames &names_of(pid_t owner, const std::vector<pid_t> &pids, uint64_t code,
                                      const lang::PythonNames &seen);

    std::map<pid_t, lang::Version> versions_;
    size_t max_bytes_;
    For used_for_;
    std::map<std::pair<pid_t, uint64_t>, Known> known_;
    std::string unread_;
};

}  // namespace uscope::runtimes
