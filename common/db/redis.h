// Redis and Valkey: which processes are servers, and at which point of the server's code a probe
// sees every command with its arguments.
//
// (redis.cpp opens with the possible points, and says how each is verified.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "elf/image.h"

namespace uscope::db {

// `executable`: from proc::executable_name(). Debian's redis-server is a link to redis-check-rdb,
// so is_redis_program() also accepts that name, and is_redis_server() also compares the process's
// name.
bool is_redis_program(std::string_view executable);
bool is_redis_server(pid_t pid, const std::string &proc = "/proc");

// Offsets of a `client`'s members.
struct RedisArguments {
    uint32_t argv, argc;
};

struct RedisHook {
    std::string function;
    uint64_t offset = 0;  // of the probed instruction in `function`; 0: the entry
    // Set: the function is call(client, …); a command begins at its entry and ends at its return.
    // nullopt: at the probed instruction, a command has ended, and the registers of the first four
    // arguments contain (client, argv, argc, microseconds).
    std::optional<RedisArguments> client = {};
    // Functions that the server calls only for commands that may contain secrets; the first
    // argument is the client. Empty: the server has removed the secrets.
    std::vector<std::string> secret = {};
    // The function that the server calls for each error that it sends, with the client and the
    // error's text; empty: failures are not seen. `refused`: the functions through which the server
    // sends the error of a command that it refuses to execute.
    std::string failed = {};
    std::vector<std::string> refused = {};
    // An object may contain a short text instead of a pointer to it (Valkey 9.1).
    bool has_texts_inside = false;
};
// `path`: for messages. Errors: the program differs from what is expected; the error's text says
// how, and which tool to use instead.
Result<RedisHook> find_redis_hook(const elf::Image &image, const std::string &path);

// Returns the offset of the function's first instruction that the kernel emulates: a probe there
// costs less than one on an instruction that the kernel has to single-step. Returns 0 unless the
// instructions before it keep the arguments and the stack, and no jump of the function leads to it
// or to an instruction before it.
uint64_t cheap_offset(Bytes function);

// Read these from the machine code of the server's functions; nullopt if the code has another form.
// parse_command_log_code() returns the offset of the first of the three log calls.
std::optional<uint64_t> parse_command_log_code(Bytes code);  // commandlogPushCurrentCommand()
std::optional<uint32_t> parse_echo_code(Bytes code);         // echoCommand(): RedisArguments::argv
std::optional<uint32_t> parse_ping_code(Bytes code);         // pingCommand(): RedisArguments::argc
bool is_object_value_code(Bytes code);                       // objectGetVal(): has_texts_inside

}  // namespace uscope::db
