// Builds the probes from what common/db/redis.h finds in a server's program.
#include "servers/redis.h"

#include "base/format.h"
#include "bpf/servers/redis.h"
#include "db/redis.h"
#include "servers/probes.h"

namespace uscope::servers {
namespace {

constexpr uint64_t ns_per_us = 1000;

using spec::ProbeKind;

// Adds the values of a redis_key.
Result<> add_key(probe::ProbeRequest &probe, const db::RedisHook &hook)
{
    std::string argv = "arg2", argc = "(unsigned)arg3";
    probe.event_output.header_bytes = hook.client ? 0 : sizeof(redis_key::unread);
    if (hook.client) {  // with values read from memory, the program itself sets redis_key::unread
        argv = fmt::format("*(unsigned long *)(arg1 + {})", hook.client->argv);
        argc = fmt::format("*(unsigned *)(arg1 + {})", hook.client->argc);
    }
    unsigned server = (hook.has_texts_inside ? REDIS_TEXTS_INSIDE : 0) |
                      (hook.failed.empty() ? 0 : REDIS_REPORTS_ERRORS);
    for (const std::string &value : {std::string("arg1"), argv, argc, fmt::format("{}", server)})
        TRY(probe.add_value(value, {}, expr::ValueForm::Integer));
    return {};
}

Result<> add_probes(const std::string &file, const db::RedisHook &hook, uint64_t min_ns,
                    std::vector<probe::ProbeRequest> &probes)
{
    // The beginning of a command comes last, so that the other probes are attached when the first
    // command begins.
    auto add_with_client = [&](const std::string &function, const char *calls) -> Result<> {
        probes.push_back(function_probe(ProbeKind::Entry, file, function, calls));
        probes.back().measured = TRY(expr::parse("arg1"));
        return {};
    };
    for (const std::string &function : hook.secret)
        TRY(add_with_client(function, "redis_secret"));
    for (const std::string &function : hook.refused)
        TRY(add_with_client(function, "redis_refused"));
    if (!hook.failed.empty())
        TRY(add_with_client(hook.failed, "redis_failed"));
    if (hook.client) {
        probes.push_back(function_probe(ProbeKind::Return, file, hook.function, "redis_end"));
        probes.push_back(function_probe(ProbeKind::Entry, file, hook.function, "redis_begin"));
        return add_key(probes.back(), hook);
    }
    probes.push_back(function_probe(ProbeKind::Entry, file, hook.function, "redis_command"));
    probes.back().spec.offset = hook.offset;
    probes.back().measured = TRY(expr::parse("arg4"));
    probes.back().predicate =
        TRY(expr::parse(fmt::format("(long)arg4 >= {}", (min_ns + ns_per_us - 1) / ns_per_us)));
    return add_key(probes.back(), hook);
}

}  // namespace

Servers::Wanted redis_servers(const run::Processes &processes, std::string program)
{
    return {.processes = processes,
            .program = std::move(program),
            .is_program = db::is_redis_program,
            .is_server = [](pid_t pid) { return db::is_redis_server(pid); },
            .names = "redis-server or valkey-server"};
}

Result<probe::ProbeSet> redis_probes(const proc::FoundFile &program, uint64_t min_ns,
                                     const probe::BuildOptions &options)
{
    auto image = TRY(elf::Image::open(program.open_path));
    auto hook = TRY(db::find_redis_hook(image, program.path));
    std::vector<probe::ProbeRequest> probes;
    TRY(add_probes(program.open_path, hook, min_ns, probes));
    return probe::ProbeSet::build(std::move(probes), options);
}

}  // namespace uscope::servers
