// The probes on the programs of Redis and Valkey servers.
#pragma once

#include "servers/servers.h"

namespace uscope::servers {

// Redis and Valkey servers, whatever their programs are called.
Servers::Wanted redis_servers(const run::Processes &processes, std::string program);

// Programs that call the C functions
//
//   redis_command          where a command is handed to the slow log; measured: microseconds
//   redis_begin, _end      at entry and return of call()
//   redis_secret           in a command with secrets; measured: the client
//
// the first two with a redis_key. Errors: the place is not proven in this program.
Result<probe::ProbeSet> redis_probes(const proc::FoundFile &program, uint64_t min_ns,
                                     const probe::BuildOptions &options);

}  // namespace uscope::servers
