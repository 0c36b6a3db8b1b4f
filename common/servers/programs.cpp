// Attaches the servers' probes, and fills in the sessions that exist at the start.
#include "servers/programs.h"

#include <bpf/bpf.h>

#include "db/postgres.h"
#include "probe/program.h"
#include "proc/executable.h"
#include "proc/process.h"

namespace uscope::servers {

Result<run::ForkFollower> StatementPrograms::attach(Statements &statements) const
{
    Servers &servers = statements.servers();
    bool has_sessions =
        statements.is_postgres() && !statements.processes().filter(false).pidns_inode;
    auto follower = TRY(maps_.follow(statements.processes()));
    if (has_sessions)
        TRY(add_sessions(servers));
    TRY(servers.attach(maps_, [this, &statements](const probe::Program &program) {
        int constants = statements.mysql().constants_of(program);
        return probe::ProgramBinding{
            {expr::MapSlot::Table, constants < 0 ? bpf_map__fd(servers_) : constants}};
    }));
    if (has_sessions)  // sessions that began before the probes were attached
        TRY(add_sessions(servers));
    return follower;
}

// Adds the sessions of processes whose InitPostgres() ran before it was probed.
Result<> StatementPrograms::add_sessions(const Servers &servers) const
{
    for (pid_t pid : proc::all_pids()) {
        if (!db::is_postgres_server(proc::executable_name(pid)) ||
            !servers.runs_probed_program(pid))
            continue;
        uint32_t key = pid;
        statement_session names = {};
        if (bpf_map_lookup_elem(bpf_map__fd(sessions_), &key, &names) == 0)
            continue;
        auto session = db::postgres_session(pid);
        if (!session)
            continue;
        session->database.copy(names.database, STATEMENT_NAME - 1);
        session->user.copy(names.user, STATEMENT_NAME - 1);
        int added = bpf_map_update_elem(bpf_map__fd(sessions_), &key, &names, BPF_NOEXIST);
        if (added != 0 && errno != EEXIST)
            return fail_errno("cannot store the session of process {}", pid);
    }
    return {};
}

run::Losses statement_losses(const bpf_map *lost)
{
    static_assert(STATEMENT_BUFFER_FULL == 0 && STATEMENT_NO_STATE == 1 &&
                  STATEMENT_TABLE_FULL == 2 && STATEMENT_CALLS_FULL == 3 && STATEMENT_LOST == 4);
    return run::Losses(
        bpf_map__fd(lost),
        {.what = "statements",
         .reasons = {"the buffer was full (increase --buffer)", "too many clients at the same time",
                     "no more histograms fit in the table",
                     "too many calls were under way at the same time"}});
}

}  // namespace uscope::servers
