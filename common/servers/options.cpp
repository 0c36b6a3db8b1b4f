// Finds out which kind of server to trace, and builds its probes by functions or by USDT probes.
#include "servers/options.h"

#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "db/mysql.h"
#include "db/postgres.h"
#include "elf/image.h"
#include "kernel/features.h"
#include "probe/setup.h"
#include "proc/executable.h"
#include "proc/process.h"

namespace uscope::servers {
namespace {

constexpr uint64_t ns_per_ms = 1'000'000;

// Returns the kind of server that runs among the named processes, or among all if none is named.
Result<std::string> running_engine(const run::Processes &processes)
{
    std::set<std::string> engines;
    std::vector<pid_t> named = processes.for_lookup();
    for (pid_t pid : named.empty() ? proc::all_pids() : named) {
        std::string name = proc::executable_name(pid);
        if (db::is_postgres_server(name))
            engines.insert("postgres");
        else if (db::is_mysql_server(name))
            engines.insert("mysql");
    }
    if (engines.size() == 1)
        return *engines.begin();
    return fail_usage("say which server to trace, mysql or postgres: {} running",
                      engines.empty() ? "none is" : "both are");
}

}  // namespace

void Statements::declare(run::Tool &tool)
{
    tool.positional(words_, "mysql|postgres",
                    "the server; needed if none or both are running (mariadb is mysql)");
    processes_.declare(tool, 'L', 'F');
    tool.option('x', "exe", program_, "PATH",
                "trace this server program instead of the servers that run");
    processes_.declare_cgroup(tool);
    probe::declare_returns(tool, processes_);
    tool.group("Which statements");
    tool.option(
        'm', "min,threshold", run::Duration{min_ns_, ns_per_ms}, "TIME",
        fmt::format("only statements that take at least TIME, such as 10ms or 250us (default {}, "
                    "default unit: ms); 0: all",
                    min_ns_ / ns_per_ms));
    tool.flag(0, "steps", steps_,
              "also PostgreSQL's Parse, Bind and Sync messages, each with its own time");
    tool.flag(0, "usdt", usdt_,
              "use the server's USDT probes: only successful statements of the simple protocol");
}

Result<> Statements::check()
{
    for (std::string word : words_) {
        auto number = parse_number(word);
        if (word == "mariadb")
            word = "mysql";
        else if (word == "postgresql")
            word = "postgres";
        if (number && !processes_.pids.empty())  // BCC's -p 181 182
            processes_.pids.push_back(pid_t(*number));
        else if (word != "mysql" && word != "postgres")
            return fail_usage("the server must be mysql or postgres, not \"{}\"", word);
        else if (!engine_.empty())
            return fail_usage("name one kind of server, not {} and {}", engine_, word);
        else
            engine_ = word;
    }
    if (engine_.empty())
        engine_ = TRY(program_.empty()
                          ? running_engine(processes_)
                          : fail_usage("say which server the program is, mysql or postgres"));
    if (!is_postgres() && steps_)
        return fail_usage("--steps is only for PostgreSQL");
    if (!is_postgres() && usdt_ && must_report_)
        return fail_usage(
            "--usdt cannot be used here: MySQL's USDT probes do not report database and user");
    // PostgreSQL has a process for each client, which the named process forks.
    processes_.follow_forks |= is_postgres() && !processes_.pids.empty();
    return processes_.check();
}

Result<> Statements::find(run::Tool &tool)
{
    Servers::Wanted wanted = {.processes = processes_, .program = program_};
    wanted.is_program = is_postgres() ? db::is_postgres_server : db::is_mysql_server;
    wanted.forks_for_clients = is_postgres();
    wanted.names = is_postgres() ? "postgres" : "mysqld or mariadbd";
    servers_.emplace(
        tool, wanted,
        [this, &tool](const proc::FoundFile &program, const probe::BuildOptions &options) {
            return build(tool, program, options);
        });
    return servers_->find();
}

void Statements::report(const Origin &origin)
{
    features_.databases = origin.database;
    features_.users = origin.user;
    must_report_ = origin.must;
}

Result<> Statements::check_origin(const db::MysqlServer &server, const std::string &path) const
{
    const char *name = features_.databases && !server.database ? "database"
                       : features_.users && !server.user       ? "user"
                                                               : nullptr;
    if (!must_report_ || !name)
        return {};
    return fail("{} has no thd_{}() that shows where a connection's {} is, as MariaDB has", path,
                name == std::string_view("user") ? "user_name" : "current_db", name);
}

Result<probe::ProbeSet> Statements::build(run::Tool &tool, const proc::FoundFile &program,
                                          const probe::BuildOptions &options)
{
    if (usdt_)
        return build_by_usdt(program, options);
    auto built = build_by_functions(program, options);
    if (built || (must_report_ && !is_postgres()))
        return built;
    auto by_usdt = build_by_usdt(program, options);
    if (!by_usdt)
        return built;
    tool.note("{}; using its USDT probes, which report only simple statements that succeed",
              built.error().text);
    reports_errors_ = false;
    return by_usdt;
}

Result<probe::ProbeSet> Statements::build_by_usdt(const proc::FoundFile &program,
                                                  const probe::BuildOptions &options) const
{
    return probe::ProbeSet::build(
        TRY(usdt_statements(program.open_path, is_postgres() ? "postgresql" : "mysql")), options);
}

Result<probe::ProbeSet> Statements::build_by_functions(const proc::FoundFile &program,
                                                       const probe::BuildOptions &options)
{
    auto image = TRY(elf::Image::open(program.open_path));
    if (is_postgres()) {
        auto server = TRY(db::find_postgres_server(image, program.path));
        reports_errors_ &= server.failure.has_value();
        return probe::ProbeSet::build(TRY(postgres_statements(program.open_path, server)), options);
    }
    auto server = TRY(db::find_mysql_server(image, program.path, program.root));
    reports_errors_ &= !server.errors.empty();
    TRY(check_origin(server, program.path));
    return mysql_.build(program, server, features_, options);
}

statement_config Statements::config() const
{
    statement_config config = {};
    config.min_ns = min_ns_;
    config.steps = steps_;
    config.texts_of_prepared = features_.texts;
    config.names = features_.databases || features_.users;
    for (unsigned command : {STATEMENT_QUERY, STATEMENT_EXECUTE, STATEMENT_BULK_EXECUTE})
        config.commands[command >> 6] |= 1ull << (command & 63);
    expr::ProcessFilter filter = processes_.filter(false);
    config.pidns_device = filter.pidns_device;
    config.pidns_inode = filter.pidns_inode;
    return config;
}

std::string Statements::what() const
{
    std::string where = program_.empty() ? "" : fmt::format("application {}", program_);
    if (const auto &servers = servers_->pids(); !servers.empty()) {
        std::vector<pid_t> shown = processes_.pids;
        // A server may have several processes: show only the parent of the others.
        for (pid_t pid : shown.empty() ? servers : std::vector<pid_t>()) {
            auto parent = proc::parent(pid);
            if (!parent || std::find(servers.begin(), servers.end(), *parent) == servers.end())
                shown.push_back(pid);
        }
        where = fmt::format("pids {}", join(shown, ", "));
    }
    std::string slower;
    if (min_ns_)
        slower = fmt::format(" slower than {} ms", double(min_ns_) / ns_per_ms);
    if (servers_->sees_later_ones()) {
        where += where.empty() ? "servers that start later" : " and servers that start later";
        slower.insert(0, slower.empty() ? "" : ",");
    }
    return fmt::format("database queries for {}{}", where, slower);
}

}  // namespace uscope::servers
