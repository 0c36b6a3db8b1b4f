// Names of methods that programs in the kernel cannot read, where the values of an event say where
// the runtime has the method: Python's, which need not be ASCII.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lang/python_names.h"
#include "lang/runtime.h"
#include "output/printf.h"
#include "probe/request.h"

namespace uscope::runtimes {

class MethodNames {
  public:
    enum class For : uint8_t { Calls, Flow };  // lang::Event: Call, or MethodEntry
    // `most_bytes`: that the programs read of a name.
    MethodNames(const std::vector<lang::Runtime> &runtimes, size_t most_bytes, For used_for);

    // Puts the names into the values of class and method, which then lie here until the next call,
    // and takes the one of Role::Code, the last, away: 0 says nothing. The method is one of these processes.
    void complete(const probe::ProbeRequest &probe, const std::vector<pid_t> &pids,
                  std::vector<output::Value> &values);

  private:
    struct Known {
        lang::PythonNames seen, names;
    };
    const lang::PythonNames &names_of(pid_t owner, const std::vector<pid_t> &pids, uint64_t code,
                                      const lang::PythonNames &seen);

    std::map<pid_t, lang::Version> versions_;
    size_t most_bytes_;
    For used_for_;
    std::map<std::pair<pid_t, uint64_t>, Known> known_;
    std::string unread_;
};

}  // namespace uscope::runtimes
