// The method that JIT code executes.
#pragma once

#include <string>

namespace uscope::lang {

struct JitMethod {
    std::string function = {};  // "java.lang.Thread.run"
    std::string source = {};    // "Thread.java:1583"
    bool operator==(const JitMethod &) const = default;
};

}  // namespace uscope::lang
