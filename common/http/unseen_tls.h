// Programs with TLS connections whose contents nobody sees: of libraries that have no names, such as those inside of
// bun, deno, or the JVM.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <sys/types.h>

#include "base/bytes.h"
#include "lib/http.h"

namespace uscope::http {

class UnseenTls {
  public:
    // Each event: which processes have TLS, whose contents are seen, and whose connections ended without.
    void add(const http_transfer &event);
    // A connection that is still open (an entry of http_connections).
    void add(const http_connection &connection);
    // How many connections, by the process's name.
    std::map<std::string, uint64_t> counts() const;

  private:
    struct Process {
        std::string comm;
        bool is_seen = false;  // of one of its connections, or by its library's name
        uint64_t connections = 0;
    };
    Process *find(uint32_t tgid);

    static constexpr size_t most_processes = 16384;
    std::map<uint32_t, Process> processes_;
};

// Has the process a TLS library that is probed? By the names of the files that it has mapped.
bool has_tls_library(pid_t pid);

}  // namespace uscope::http
