// The probes on the programs of Redis and Valkey servers.
#pragma once

#include "probe/servers.h"

namespace uscope::probe {

// Redis and Valkey servers, whatever their programs are called.
Servers::Wanted redis_servers(const run::Processes &processes, std::string program);

// Programs that call the C functions
//
//   rediscommands_command          where a command is handed to the slow log; measured: microseconds
//   rediscommands_begin, _end      at entry and return of call()
//   rediscommands_secret           in a command with secrets; measured: the client
//
// the first two with a rediscommands_key. Errors: the place is not proven in this program.
Result<Set> redis_probes(const proc::FoundFile &program, uint64_t min_us,
                         const BuildOptions &options);

}  // namespace uscope::probe
