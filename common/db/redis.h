// Redis and Valkey: which processes are servers, and where each command passes with its arguments.
//
// (The implementation file opens with the places, and how they are proven.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "elf/image.h"

namespace uscope::db {

// By proc::executable_name(); Debian's servers are links to their tools, of which the process's name
// tells them.
bool is_redis_program(std::string_view executable);
bool is_redis_server(pid_t pid, const std::string &proc = "/proc");

// Offsets of a `client`'s members.
struct RedisArguments {
    uint32_t argv, argc;
};

struct RedisHook {
    std::string function;
    uint64_t offset = 0;  // into it: a cheaper place, at which its arguments are unchanged
    // Nothing: at the place a command has ended, and (client, argv, argc, microseconds) are the
    // arguments. Else the function is call(client, …), from whose entry to its return it is executed.
    std::optional<RedisArguments> client = {};
    // What is only called, with the client, for commands that may hold secrets; empty: the server has
    // taken them out.
    std::vector<std::string> secret = {};
    // What is called with the client and an error's text, whenever one is sent; empty: failures are not seen. What it is
    // called by when a command is refused, which is not executed then.
    std::string failed = {};
    std::vector<std::string> refused = {};
    // A short text may lie in its object, in place of the pointer to it (Valkey 9.1).
    bool has_texts_inside = false;
};
// Errors say what is not as it must be, and what can be done. `path`: for people.
Result<RedisHook> find_redis_hook(const elf::Image &image, const std::string &path);

// The offset of the first instruction that the kernel emulates, if everything before it leaves the
// arguments and the stack as they were, and no jump of the function leads there; else 0.
uint64_t cheap_offset(Bytes function);

// From the machine code of the server's own functions; nothing when it is other code.
std::optional<uint64_t> parse_command_log_code(Bytes code);  // commandlogPushCurrentCommand()
std::optional<uint32_t> parse_echo_code(Bytes code);         // echoCommand(): RedisArguments::argv
std::optional<uint32_t> parse_ping_code(Bytes code);         // pingCommand(): RedisArguments::argc
bool is_object_value_code(Bytes code);                       // objectGetVal(): of has_texts_inside

}  // namespace uscope::db
