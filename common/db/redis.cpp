// Every command that a Redis or Valkey server executes, for a client, in a transaction or in a
// script, passes through call(client *c, int flags), which measures it. There are three ways to
// probe it.
//
// Redis to 8 and Valkey to 8.0: call() ends with this call, whatever the configuration:
//
//     slowlogPushEntryIfNeeded(client *c, robj **argv, int argc, long long duration)
//
// The function is in another source file, so only whole-program optimization can inline it. Its
// arguments contain all that is needed. So the layout of `client`, which differs in every version,
// does not matter, and one probe is enough. The server does not call it for commands that it keeps
// out of its slow log (EXEC, AUTH and others), and has already replaced other secrets with
// "(redacted)".
//
// Valkey since 8.1 calls a function with these arguments and a type three times for each command:
// for its logs of slow commands (type 0), of large requests (1) and of large replies (2). This
// function is not exported, but its caller commandlogPushCurrentCommand() is. All three calls must
// have the same target; the probe is on the first call instruction, which the kernel emulates:
//
//     commandlogPushCurrentCommand(client *c, struct serverCommand *cmd):
//         48 8b 8b a8 00 00 00   mov 0xa8(%rbx),%rcx    the microseconds
//         44 89 ea 4c 89 e6      mov %r13d,%edx; mov %r12,%rsi
//         48 89 df               mov %rbx,%rdi
//         45 31 c0               xor %r8d,%r8d          the type
//         e8 6b fa ff ff         call …
//         …   41 b8 01 00 00 00  mov $0x1,%r8d   e8 …
//         …   41 b8 02 00 00 00  mov $0x2,%r8d   e9 …
//         (Valkey 9.1)
//
// In other builds (with whole-program optimization), the probes are on the entry and the return of
// call() itself. There, and since Valkey 9.1 also at the call in commandlogPushCurrentCommand(),
// the arguments are as the client sent them, secrets included. Probes on the functions that execute
// commands with secrets, such as authCommand(), mark these commands, whatever name the server's
// configuration gives them. Two very short command functions show the offsets of a client's
// arguments:
//
//     echoCommand:  48 8b 47 50    mov 0x50(%rdi),%rax     argv is at 0x50, for
//                   48 8b 70 08    mov 0x8(%rax),%rsi      argv[1] is
//                   e9 a3 97 01 00 jmp addReplyBulk        the second argument
//     pingCommand:  8b 47 48       mov 0x48(%rdi),%eax     argc is at 0x48, for
//                   83 f8 02       cmp $0x2,%eax           it is compared with 2
//                   (Redis 7.0)
//
// The two members are adjacent in every version; otherwise the offsets are rejected.
//
// After whole-program optimization these functions may exist and never be called. So call()'s code
// must reach the probed function, by its own call or jump or through slowlogPushCurrentCommand();
// for probes on call(), processCommand() must reach it.
//
//     call:  … e8 30 90 07 00   call slowlogPushEntryIfNeeded
//
// slowlogPushEntryIfNeeded() begins with the load of a setting, which the kernel would have to
// single-step (9-19 us); it emulates the jump two instructions later (0.7 us).
//
// A server calls afterErrorReply(client *c, const char *text, …) (since Redis 6.2) for each error
// that it sends, which shows that a command has failed. Errors of commands that processCommand()
// refuses, through rejectCommand() and similar functions, belong to no executed command.
//
// Valkey since 9.1 may store a short text inside its object instead of a pointer. It sets a mark in
// a byte that is part of a number in other versions. Such servers have objectGetVal(), which first
// tests the mark:
//
//     objectGetVal: 0f b6 57 04    movzbl 0x4(%rdi),%edx
//                   f6 c2 04       test $0x4,%dl
#include "db/redis.h"

#include <algorithm>
#include <array>

#include <elf.h>

#include "base/format.h"
#include "base/tool_name.h"
#include "db/code.h"
#include "db/reach.h"
#include "insn/decode.h"
#include "insn/parts.h"
#include "proc/process.h"

namespace uscope::db {
namespace {

constexpr const char *slow_log = "slowlogPushEntryIfNeeded";

// Does the instruction change nothing but flags and rax?
bool leaves_arguments(const insn::Parts &parts)
{
    constexpr unsigned rax = 0;
    if (!parts.is_legacy(0) || parts.lock_prefix || parts.repeat_prefix)
        return false;
    bool is_register = parts.modrm >> 6 == 3;
    switch (parts.opcode) {
    case 0x84:  // test
    case 0x85:
    case 0x38:  // cmp
    case 0x39:
    case 0x3a:
    case 0x3b:
        return true;
    case 0x80:  // cmp with a constant, among others
    case 0x83:
    case 0x81:
        return parts.reg() == 7;
    case 0xf6:  // test with a constant, among others
    case 0xf7:
        return parts.reg() == 0;
    case 0x8b:  // mov to a register
        return parts.reg() == rax && !(parts.rex & 4) && (!is_register || parts.rex == 0x48);
    default:
        return false;
    }
}

Result<RedisHook> find_slow_log(const elf::Image &image)
{
    auto target = find_one(image, slow_log), caller = find_one(image, "call"),
         middle = find_one(image, "slowlogPushCurrentCommand");
    if (!target)
        return fail("it has no {}()", slow_log);
    bool is_reached =
        caller &&
        (reaches(image, *caller, *target) ||
         (middle && reaches(image, *caller, *middle) && reaches(image, *middle, *target)));
    if (!is_reached)
        return fail("call() does not call {}()", slow_log);
    return RedisHook{slow_log, cheap_offset(code_of(image, *target))};
}

// Returns the functions that only commands with secrets call: those that execute AUTH, CONFIG SET
// and so on, or redact their arguments. Some versions lack some of these functions.
Result<std::vector<std::string>> find_secret(const elf::Image &image)
{
    std::vector<std::string> found;
    for (const char *name : {"authCommand", "aclCommand", "configCommand", "configSetCommand",
                             "helloCommand", "migrateCommand", "sentinelCommand",
                             "redactClientCommandArgument", "preventCommandLogging"}) {
        if (find_one(image, name))
            found.push_back(name);
    }
    if (found.empty() || found.front() != "authCommand")
        return fail("it has no authCommand(), so commands with secrets cannot be recognized");
    return found;
}

Result<RedisHook> find_command_log(const elf::Image &image)
{
    constexpr const char *command_log = "commandlogPushCurrentCommand";
    auto target = find_one(image, command_log), caller = find_one(image, "call");
    auto offset = target ? parse_command_log_code(code_of(image, *target)) : std::nullopt;
    if (!offset || !caller || !reaches(image, *caller, *target))
        return fail("call() does not call {}()", command_log);
    return RedisHook{command_log, *offset, {}, TRY(find_secret(image))};
}

// Fills in hook.failed and hook.refused if the program calls these functions as expected.
void find_failures(const elf::Image &image, RedisHook &hook)
{
    auto failed = find_one(image, "afterErrorReply"),
         sends = find_one(image, "addReplyErrorObject"),
         process = find_one(image, "processCommand"), reject = find_one(image, "rejectCommand");
    if (!failed || !sends || !process || !reject || !reaches(image, *sends, *failed) ||
        !reaches(image, *process, *reject))
        return;
    hook.failed = "afterErrorReply";
    for (const char *name :
         {"rejectCommand", "rejectCommandSds", "rejectCommandFormat", "clusterRedirectClient"}) {
        if (find_one(image, name))
            hook.refused.push_back(name);
    }
}

std::optional<RedisArguments> find_arguments(const elf::Image &image)
{
    auto echo = find_one(image, "echoCommand"), ping = find_one(image, "pingCommand");
    if (!echo || !ping)
        return std::nullopt;
    auto argv = parse_echo_code(code_of(image, *echo));
    auto argc = parse_ping_code(code_of(image, *ping));
    if (!argv || !argc)
        return std::nullopt;
    bool are_neighbours = *argc + 8 == *argv || *argv + 8 == *argc;
    if (!are_neighbours)
        return std::nullopt;
    return RedisArguments{*argv, *argc};
}

Result<RedisHook> find_call(const elf::Image &image)
{
    auto target = find_one(image, "call"), caller = find_one(image, "processCommand");
    if (!target || !caller)
        return fail("it has no {}()", target ? "processCommand" : "call");
    if (!reaches(image, *caller, *target))
        return fail("processCommand() does not call call()");
    auto arguments = find_arguments(image);
    if (!arguments)
        return fail("the code of echoCommand() and pingCommand() has an unknown form");
    return RedisHook{"call", 0, arguments, TRY(find_secret(image))};
}

}  // namespace

bool is_redis_program(std::string_view executable)
{
    // Debian's redis-server is a link to redis-check-rdb.
    return executable == "redis-server" || executable == "valkey-server" ||
           executable.starts_with("redis-check-") || executable.starts_with("valkey-check-");
}

bool is_redis_server(pid_t pid, const std::string &proc)
{
    std::string executable = proc::executable_name(pid, proc), comm = proc::comm(pid, proc);
    if (!is_redis_program(executable))
        return false;
    return executable.ends_with("-server") || comm == "redis-server" || comm == "valkey-server";
}

uint64_t cheap_offset(Bytes function)
{
    uint64_t at = 0;
    for (;;) {
        auto instruction = insn::decode(function.from(at));
        if (!instruction || instruction->kind == insn::Kind::Refused)
            return 0;
        if (instruction->kind == insn::Kind::JumpRelative ||
            instruction->kind == insn::Kind::Push || instruction->kind == insn::Kind::Nop)
            break;
        auto parts = insn::take_apart(function.from(at));
        bool is_harmless =
            instruction->kind == insn::Kind::EndBranch ||
            (instruction->kind == insn::Kind::Other && parts && leaves_arguments(*parts));
        if (!is_harmless)
            return 0;
        at += instruction->length;
    }
    auto all = branches(function);
    bool is_target = !all || std::any_of(all->begin(), all->end(),
                                         [&](const Branch &branch) { return branch.to <= at; });
    return is_target ? 0 : at;
}

std::optional<uint64_t> parse_command_log_code(Bytes function)
{
    auto all = branches(function);
    std::array<std::optional<Branch>, 3> calls;  // by type
    constexpr int64_t unknown = -1;
    int64_t type = unknown;  // in r8d
    for (uint64_t at = 0, next = 0; all && at < function.size(); at += next) {
        next = insn::decode(function.from(at))->length;
        Code code(function.from(at));
        if (code.take({0x45, 0x31, 0xc0}))  // xor %r8d,%r8d
            type = 0;
        else if (code.take({0x41, 0xb8}))  // mov $…,%r8d
            type = code.number<int32_t>().value_or(unknown);
        auto branch = std::find_if(all->begin(), all->end(),
                                   [&](const Branch &other) { return other.from == at; });
        if (branch == all->end() || branch->to < function.size())
            continue;
        if (type >= 0 && type < int64_t(calls.size()))
            calls[type] = *branch;
        type = unknown;
    }
    bool have_same_target = calls[0] && calls[1] && calls[2] && calls[0]->to == calls[1]->to &&
                            calls[1]->to == calls[2]->to;
    return have_same_target ? std::optional(calls[0]->from) : std::nullopt;
}

std::optional<uint32_t> parse_echo_code(Bytes bytes)
{
    Code code(bytes);
    code.skip_prologue();
    if (!code.take({0x48, 0x8b}))
        return std::nullopt;
    auto argv = code.displacement(rdi_to_rax);
    if (!argv || !code.take({0x48, 0x8b}) || code.displacement(rax_to_rsi) != 8u)
        return std::nullopt;
    return argv;
}

std::optional<uint32_t> parse_ping_code(Bytes bytes)
{
    Code code(bytes);
    code.skip_prologue();
    while (code.take({0x53}) || code.take({0x41, 0x54}))  // push %rbx, %r12
        continue;
    if (code.take({0x83})) {  // cmpl $2, argc(%rdi), or by clang with 3
        auto argc = code.displacement(rdi_to_compare);
        return code.take({2}) || code.take({3}) ? argc : std::nullopt;
    }
    if (!code.take({0x8b}))
        return std::nullopt;
    auto argc = code.displacement(rdi_to_rax);
    code.take({0x48, 0x89, 0xfb});  // mov %rdi,%rbx
    return code.take({0x83, 0xf8, 2}) || code.take({0x83, 0xf8, 3}) ? argc : std::nullopt;
}

bool is_object_value_code(Bytes bytes)
{
    Code code(bytes);
    code.skip_prologue();
    return code.take({0xf6, 0x47, 4, 4}) ||                    // testb $4,4(%rdi)
           code.take({0x0f, 0xb6, 0x47, 4, 0xa8, 4}) ||        // …,%eax; test $4,%al
           code.take({0x0f, 0xb6, 0x4f, 4, 0xf6, 0xc1, 4}) ||  // …,%ecx; test $4,%cl
           code.take({0x0f, 0xb6, 0x57, 4, 0xf6, 0xc2, 4});    // …,%edx; test $4,%dl
}

Result<RedisHook> find_redis_hook(const elf::Image &image, const std::string &path)
{
    std::string instead = fmt::format(
        "use {} 'FILE:createStringObject \"%s\", str(arg1, arg2)' to see the strings that the "
        "server makes",
        tool_name("trace"));
    if (image.machine() != EM_X86_64)
        return fail("{}: commands can only be traced on x86-64; {}", path, instead);
    auto hook = find_slow_log(image);
    std::string why = hook ? "" : hook.error().text;
    if (!hook)
        hook = find_command_log(image);
    if (!hook)
        hook = find_call(image);
    if (!hook)
        return fail("{}: no function certainly sees all commands: {}, and {}; {}", path, why,
                    hook.error().text, instead);
    find_failures(image, *hook);
    if (auto value = find_one(image, "objectGetVal")) {
        hook->has_texts_inside = is_object_value_code(code_of(image, *value));
        if (!hook->has_texts_inside)
            return fail("{}: the code of its objectGetVal() has an unknown form; {}", path,
                        instead);
    }
    return hook;
}

}  // namespace uscope::db
