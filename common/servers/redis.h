// Which Redis and Valkey servers to trace, and the probes on their programs.
#pragma once

#include "servers/servers.h"

namespace uscope::servers {

// All Redis and Valkey servers, including Debian's, whose programs have other names.
Servers::Wanted redis_servers(const run::Processes &processes, std::string program);

// Returns probes whose programs call these C functions. "measured" is the value that a program
// passes as ProbeRequest::measured.
//
//   redis_command          where the server adds a command to the slow log; measured: microseconds
//   redis_begin, _end      at entry and return of call()
//   redis_secret           in a command with secrets; measured: the client
//   redis_refused          where the server refuses a command; measured: the client
//   redis_failed           where the server sends an error; measured: the client
//
// redis_command and redis_begin also get a redis_key. Errors: the program's code is not as
// expected.
Result<probe::ProbeSet> redis_probes(const proc::FoundFile &program, uint64_t min_ns,
                                     const probe::BuildOptions &options);

}  // namespace uscope::servers
