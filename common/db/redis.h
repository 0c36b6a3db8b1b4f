// Redis and Valkey: which processes are servers, and where each command passes with its arguments.
//
// (The implementation file opens with the place, and how it is proven.)
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

#include "base/result.h"
#include "elf/image.h"

namespace uscope::db {

bool is_redis_server(pid_t pid, const std::string &proc = "/proc");

struct RedisHook {
    std::string function;
    uint64_t offset = 0;  // into it: a cheaper place, at which its arguments are unchanged
};
// Errors say what is not as it must be, and what can be done. `path`: for people.
Result<RedisHook> find_redis_hook(const elf::Image &image, const std::string &path);

// The offset of the first instruction that the kernel emulates, if everything before it leaves the
// arguments and the stack as they were, and no jump of the function leads there; else 0.
uint64_t cheap_offset(Bytes function);

}  // namespace uscope::db
