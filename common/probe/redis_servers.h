// The Redis and Valkey servers that a tool looks at, and the probes on their programs.
#pragma once

#include <string>

#include "probe/set.h"
#include "run/processes.h"

namespace uscope::probe {

struct RedisRequest {
    const run::Processes &processes;  // without any named, and without `program`: all servers
    std::string program;              // "": those that run
    uint64_t min_us = 0;
};

// Programs that call the C functions
//
//   rediscommands_command          where a command is handed to the slow log; measured: microseconds
//   rediscommands_begin, _end      at entry and return of call()
//   rediscommands_secret           in a command with secrets; measured: the client
//
// the first two with a rediscommands_key. Errors: there is no server, or one in which the place is
// not proven.
Result<Set> redis_probes(const RedisRequest &request);

}  // namespace uscope::probe
