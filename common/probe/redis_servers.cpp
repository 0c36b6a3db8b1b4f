#include "probe/redis_servers.h"

#include "attach/kernel.h"
#include "db/redis.h"
#include "probe/call_probe.h"
#include "probe/setup.h"
#include "proc/executable.h"
#include "proc/library.h"
#include "proc/maps.h"
#include "proc/process.h"
#include "rediscommands.h"

namespace uscope::probe {
namespace {

using spec::ProbeKind;

// The servers' processes: those that were named, else all.
Result<std::vector<pid_t>> find_servers(const RedisRequest &request)
{
    std::vector<pid_t> servers = request.processes.for_lookup();
    for (pid_t pid : servers)
        TRY(proc::executable_of(pid));
    if (!servers.empty() || !request.program.empty())
        return servers;
    for (pid_t pid : proc::all_pids()) {
        if (db::is_redis_server(pid))
            servers.push_back(pid);
    }
    std::string missing = servers.empty() ? attach::missing_privilege() : "";
    if (!missing.empty())
        return fail("{}", missing);
    if (servers.empty())
        return fail(
            "no process here runs redis-server or valkey-server: start it, or give -p PID "
            "or -x PATH");
    return servers;
}

// A rediscommands_key.
Result<> add_key(Parsed &probe, const db::RedisHook &hook)
{
    std::string argv = "arg2", argc = "(unsigned)arg3";
    probe.delivery.header_bytes = hook.client ? 0 : sizeof(rediscommands_key::unread);
    if (hook.client) {  // what may be unreadable comes with its reasons
        argv = fmt::format("*(unsigned long *)(arg1 + {})", hook.client->argv);
        argc = fmt::format("*(unsigned *)(arg1 + {})", hook.client->argc);
    }
    for (const std::string &value :
         {std::string("arg1"), argv, argc, std::string(hook.has_texts_inside ? "1" : "0")}) {
        probe.values.push_back(TRY(expr::parse(value)));
        probe.wanted.push_back(expr::Wanted::Integer);
    }
    return {};
}

Result<> add_probes(const std::string &file, const db::RedisHook &hook, uint64_t min_us,
                    std::vector<Parsed> &probes)
{
    // What must not be missed first, the beginning last: all of what begins is seen.
    for (const std::string &function : hook.secret) {
        probes.push_back(call_probe(ProbeKind::Entry, file, function, "rediscommands_secret"));
        probes.back().measured = TRY(expr::parse("arg1"));
    }
    if (hook.client) {
        probes.push_back(call_probe(ProbeKind::Return, file, hook.function, "rediscommands_end"));
        probes.push_back(call_probe(ProbeKind::Entry, file, hook.function, "rediscommands_begin"));
        return add_key(probes.back(), hook);
    }
    probes.push_back(call_probe(ProbeKind::Entry, file, hook.function, "rediscommands_command"));
    probes.back().spec.offset = hook.offset;
    probes.back().measured = TRY(expr::parse("arg4"));
    probes.back().predicate = TRY(expr::parse(fmt::format("(long)arg4 >= {}", min_us)));
    return add_key(probes.back(), hook);
}

Result<> add_program(const proc::FoundFile &program, uint64_t min_us, std::vector<Parsed> &probes)
{
    auto image = TRY(elf::Image::open(program.open_path));
    auto hook = TRY(db::find_redis_hook(image, program.path));
    return add_probes(program.open_path, hook, min_us, probes);
}

}  // namespace

Result<Set> redis_probes(const RedisRequest &request)
{
    BuildOptions build = build_options(request.processes);
    build.lookup.clear();     // the files are found already
    build.sleepable = false;  // the server has just used what is read
    std::vector<Parsed> probes;
    auto servers = proc::one_for_each_executable(TRY(find_servers(request)));
    if (!request.program.empty()) {
        auto seen_by = servers.empty() ? std::nullopt : std::optional(servers.front());
        servers.clear();
        TRY(add_program(TRY(proc::find_file(request.program, seen_by)), request.min_us, probes));
    }
    for (pid_t pid : servers) {  // programs of the same name may differ
        auto program = TRY(proc::find_file(TRY(proc::executable_of(pid)), pid));
        TRY(add_program(program, request.min_us, probes));
    }
    return Set::build(std::move(probes), build);
}

}  // namespace uscope::probe
