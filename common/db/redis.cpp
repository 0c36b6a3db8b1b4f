// Every command that a Redis server executes, for a client, in a transaction or in a script, passes
// through call(), which measures it and, whatever the configuration, ends with
//
//     slowlogPushEntryIfNeeded(client *c, robj **argv, int argc, long long duration)
//
// in another file of the program (Redis 4 to 7.x, Valkey to 8.0). All that a person wants to know is
// in the arguments: no layout of `client`, which differs in every version, has to be guessed. The
// server leaves out what it keeps out of its slow log (EXEC, AUTH and others).
//
// A program that was optimized as a whole may have the function and not call it. So it must be seen
// that call() reaches it: by a call or jump of its own, or through slowlogPushCurrentCommand().
//
//     call:  … e8 30 90 07 00   call slowlogPushEntryIfNeeded
//
// The function begins with the load of a setting, which the kernel would have to single-step (9-19
// us); the jump that follows two instructions later is emulated (0.7 us).
#include "db/redis.h"

#include <algorithm>
#include <optional>

#include <elf.h>

#include "base/text.h"
#include "elf/functions.h"
#include "insn/decode.h"
#include "insn/parts.h"
#include "proc/process.h"

namespace uscope::db {
namespace {

constexpr const char *hook = "slowlogPushEntryIfNeeded";
constexpr const char *between = "slowlogPushCurrentCommand";

struct Branch {
    uint64_t from, to;  // offsets from the function's start; the target may be outside
};

// The relative calls and jumps of a function; nothing when it cannot be decoded.
std::optional<std::vector<Branch>> branches(Bytes function)
{
    std::vector<Branch> found;
    for (uint64_t at = 0; at < function.size();) {
        auto instruction = insn::decode(function.from(at));
        if (!instruction)
            return std::nullopt;
        uint64_t next = at + instruction->length;
        if (instruction->kind == insn::Kind::CallRelative ||
            instruction->kind == insn::Kind::JumpRelative) {
            // The distance is the last byte, or the last four.
            auto parts = insn::take_apart(function.from(at));
            bool is_short =
                parts && parts->map == 0 && parts->opcode != 0xe8 && parts->opcode != 0xe9;
            int64_t distance = is_short ? function.read<int8_t>(next - 1).value_or(0)
                                        : function.read<int32_t>(next - 4).value_or(0);
            found.push_back({at, next + distance});
        }
        at = next;
    }
    return found;
}

// Does it change only flags, rax, r8 to r11, and no memory?
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

std::optional<elf::Function> find(const elf::Image &image, const char *name)
{
    auto found = elf::find_functions(image, name);
    if (!found || found->size() != 1)
        return std::nullopt;
    return found->front();
}

bool reaches(const elf::Image &image, const elf::Function &from, const elf::Function &to)
{
    auto code = image.bytes_at(from.vaddr, from.size);
    auto all = code ? branches(*code) : std::nullopt;
    return all && std::any_of(all->begin(), all->end(), [&](const Branch &branch) {
               return from.vaddr + branch.to == to.vaddr;
           });
}

}  // namespace

bool is_redis_server(pid_t pid, const std::string &proc)
{
    // Debian's redis-server is a link to redis-check-rdb.
    std::string executable = proc::executable_name(pid, proc), comm = proc::comm(pid, proc);
    bool is_named = executable == "redis-server" || executable == "valkey-server";
    return is_named || (executable.starts_with("redis-check-") && comm == "redis-server") ||
           (executable.starts_with("valkey-check-") && comm == "valkey-server");
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

Result<RedisHook> find_redis_hook(const elf::Image &image, const std::string &path)
{
    constexpr const char *instead =
        "the strings that the server makes can be seen by trace 'FILE:createStringObject \"%s\", "
        "str(arg1, arg2)'";
    auto target = find(image, hook), caller = find(image, "call"), middle = find(image, between);
    if (!target || !caller) {
        return fail(
            "{} has no {} function, through which Redis 4 to 7 and Valkey to 8.0 pass each "
            "command: {}",
            path, target ? "call" : hook, instead);
    }
    if (image.machine() != EM_X86_64)
        return fail("{}: that call() reaches {}() can only be proven for x86-64: {}", path, hook,
                    instead);
    bool is_reached =
        reaches(image, *caller, *target) ||
        (middle && reaches(image, *caller, *middle) && reaches(image, *middle, *target));
    if (!is_reached) {
        return fail("{}: call() does not call {}() (a program optimized as a whole?): {}", path,
                    hook, instead);
    }
    auto code = image.bytes_at(target->vaddr, target->size);
    return RedisHook{hook, code ? cheap_offset(*code) : 0};
}

}  // namespace uscope::db
