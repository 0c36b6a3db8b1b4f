#include "probe/mysql_servers.h"

#include "attach/kernel.h"
#include "attach/map.h"
#include "probe/setup.h"
#include "proc/executable.h"
#include "proc/process.h"

namespace uscope::probe {
Result<> MysqlServers::prepare() const
{
    return maps_.prepare(mysql_call_bytes, true, wanted_.processes);
}

void MysqlServers::note_limits(const db::MysqlServer &server, const std::string &path)
{
    if (server.prepare.empty() || server.execute.empty())
        tool_.note(
            "{} does not export Prepared_statement::prepare() and execute_loop(): executions of "
            "prepared statements are shown without their texts",
            path);
    if (wanted_.user && !server.user)
        tool_.note("{} has no thd_user_name() that tells where a connection's user is", path);
}

Result<> MysqlServers::add(const proc::FoundFile &program, pid_t pid)
{
    auto image = TRY(elf::Image::open(program.open_path));
    auto server = TRY(db::find_mysql_server(image, program.path, program.root));
    if (wanted_.nested && (server.nested.empty() || server.nested_text.empty()))
        return fail(
            "{} does not export sp_instr_stmt::execute() and alloc_query(), by which --nested "
            "finds the statements of stored procedures: it works without",
            program.path);
    note_limits(server, program.path);

    run::Processes processes = wanted_.processes;
    if (pid)
        processes.pids = {pid};
    BuildOptions build = build_options(processes);
    build.lookup.clear();  // the file is found already
    auto probes =
        TRY(mysql_statements(program.open_path, server, {.texts = true, .nested = wanted_.nested}));

    statement_server constants = mysql_constants(server);
    Server added;
    added.file = proc::file_id(program.open_path).value_or(proc::FileId{});
    added.constants = TRY(attach::create_constant("statements", {&constants, sizeof(constants)}));
    added.probes = std::make_unique<Set>(TRY(Set::build(std::move(probes), build)));
    TRY(maps_.attach_only(*added.probes, processes, [&](const Program &generated) {
        return KernelMaps::Half{templates_.at(generated.probe->delivery.function),
                                expr::MapSlot::Table, added.constants.get()};
    }));
    servers_.insert_or_assign(pid, std::move(added));
    return {};
}

Result<> MysqlServers::add_process(pid_t pid)
{
    std::string path = TRY(proc::executable_of(pid));
    auto program = TRY(proc::find_file(path, pid));
    auto known = servers_.find(pid);
    if (known != servers_.end() && known->second.file == proc::file_id(program.open_path))
        return {};
    return add(program, pid);
}

Result<> MysqlServers::attach(run::Session &session)
{
    if (!wanted_.path.empty())
        return add(TRY(proc::find_file(wanted_.path)), 0);
    for (pid_t pid : wanted_.processes.pids)
        TRY(add_process(pid));
    return wanted_.processes.pids.empty() ? attach_all(session) : Result<>();
}

Result<> MysqlServers::attach_all(run::Session &session)
{
    auto found = [this, &session](pid_t pid) {
        if (auto added = add_process(pid); !added) {
            tool_.note("process {} is left out: {}", pid, added.error().text);
            refused_++;
        } else if (!session.loop().on_exit(pid, [this, pid] { servers_.erase(pid); })) {
            servers_.erase(pid);
        }
    };
    arrivals_.emplace(db::is_mysql_server, found);
    if (auto listening = arrivals_->listen(session); !listening)
        tool_.note("servers that start later are not seen: {}", listening.error().text);
    arrivals_->look();
    if (servers_.empty() && refused_)
        return fail("no server can be traced");
    if (servers_.empty())
        tool_.note("no mysqld or mariadbd runs: waiting for one");
    return {};
}

void MysqlServers::detach()
{
    for (auto &[pid, server] : servers_)
        server.probes->detach();
}

}  // namespace uscope::probe
