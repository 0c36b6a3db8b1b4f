// Redis and Valkey: which processes are servers, and which code every command passes with its
// arguments.
//
// (redis.cpp opens with the code sites, and how they are verified.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "elf/image.h"

namespace uscope::db {

// `executable`: from proc::executable_name(). Debian's servers are links to redis-check-rdb and the
// like, so is_redis_server() also compares the process's name.
bool is_redis_program(std::string_view executable);
bool is_redis_server(pid_t pid, const std::string &proc = "/proc");

// Offsets of a `client`'s members.
struct RedisArguments {
    uint32_t argv, argc;
};

struct RedisHook {
    std::string function;
    uint64_t offset = 0;  // of a cheaper code site in it, where its arguments are unchanged
    // Set: the function is call(client, …), and a command runs from its entry to its return.
    // nullopt: at the site a command has ended, and the arguments are (client, argv, argc,
    // microseconds).
    std::optional<RedisArguments> client = {};
    // Functions that the server calls, with the client, only for commands that may contain secrets;
    // empty: the server has removed the secrets.
    std::vector<std::string> secret = {};
    // The function that the server calls with the client and an error's text for each error it
    // sends; empty: failures are not seen. `refused`: its callers for commands that the server
    // refuses to execute.
    std::string failed = {};
    std::vector<std::string> refused = {};
    // An object may contain a short text instead of a pointer to it (Valkey 9.1).
    bool has_texts_inside = false;
};
// `path`: for messages. Errors: the program differs from what is expected; the text says how, and
// what to do instead.
Result<RedisHook> find_redis_hook(const elf::Image &image, const std::string &path);

// Returns the offset of the first instruction that the kernel emulates, if the instructions before
// it keep the arguments and the stack, and no jump of the function leads to it or before it; else
// 0.
uint64_t cheap_offset(Bytes function);

// Read these from the machine code of the server's functions; nullopt if the code has another form.
std::optional<uint64_t> parse_command_log_code(Bytes code);  // commandlogPushCurrentCommand()
std::optional<uint32_t> parse_echo_code(Bytes code);         // echoCommand(): RedisArguments::argv
std::optional<uint32_t> parse_ping_code(Bytes code);         // pingCommand(): RedisArguments::argc
bool is_object_value_code(Bytes code);                       // objectGetVal(): has_texts_inside

}  // namespace uscope::db
