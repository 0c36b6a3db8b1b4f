#include "probe/statements.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include <bpf/bpf.h>

#include "attach/kernel.h"
#include "attach/map.h"
#include "base/text.h"
#include "db/mysql.h"
#include "db/postgres.h"
#include "elf/image.h"
#include "probe/setup.h"
#include "proc/executable.h"
#include "proc/library.h"
#include "proc/maps.h"
#include "proc/process.h"

namespace uscope::probe {
namespace {

constexpr double longest_ms = 1e9;

}  // namespace

void Statements::declare(run::Tool &tool)
{
    tool.positional(words_, "mysql|postgres", "the server");
    processes_.declare(tool, 'L', 'F');
    tool.option('x', "exe", program_, "PATH", "the server's program, instead of those that run");
    tool.option(0, "cgroup-path", processes_.cgroup, "PATH",
                "only processes below this cgroup-v2 folder");
    declare_returns(tool);
    tool.group("Which statements");
    tool.option(
        'm', "threshold", min_ms_, "MS",
        fmt::format("only statements that take so many milliseconds ({}); 0: all", min_ms_));
    tool.flag(0, "steps", steps_,
              "PostgreSQL's Parse, Bind and Sync messages too, each with its own time");
    tool.flag(0, "usdt", usdt_,
              "by the server's query__start and query__done: statements of the simple protocol "
              "that do not fail");
}

Result<> Statements::check()
{
    for (const std::string &word : words_) {
        auto number = parse_number(word);
        if (number && !processes_.pids.empty())  // BCC's -p 181 182
            processes_.pids.push_back(pid_t(*number));
        else if (engine_.empty() && (word == "mysql" || word == "postgres"))
            engine_ = word;
        else
            return fail_usage("the server is mysql or postgres, not \"{}\"", word);
    }
    if (engine_.empty())
        return fail_usage("which server: mysql or postgres?");
    if (!(min_ms_ >= 0 && min_ms_ <= longest_ms))
        return fail_usage("-m takes 0 to {:.0f} milliseconds", longest_ms);
    if (!is_postgres() && steps_)
        return fail_usage("--steps is about PostgreSQL's protocol");
    if (!is_postgres() && usdt_ && must_tell_)
        return fail_usage(
            "MySQL's USDT probes do not tell whose statements they are: no --usdt here");
    // A client has a process of its own, which the one that was named has started.
    processes_.follow_forks |= is_postgres() && !processes_.pids.empty();
    TRY(processes_.check());
    TRY(find_servers());
    programs_ = proc::one_for_each_executable(servers_);
    return {};
}

Result<> Statements::find_servers()
{
    servers_ = processes_.for_lookup();
    for (pid_t pid : servers_)
        TRY(proc::executable_of(pid));
    if (!servers_.empty() || !program_.empty())
        return {};
    for (pid_t pid : proc::all_pids()) {
        std::string name = proc::executable_name(pid);
        if (is_postgres() ? db::is_postgres_server(name) : db::is_mysql_server(name))
            servers_.push_back(pid);
    }
    if (servers_.empty()) {
        if (std::string missing = attach::missing_privilege(); !missing.empty())
            return fail("{}", missing);
        return fail("no process here runs {}: start it, or give -p PID or -x PATH",
                    is_postgres() ? "postgres" : "mysqld or mariadbd");
    }
    return {};
}

void Statements::tell(const Whose &whose)
{
    wish_.databases = whose.database;
    wish_.users = whose.user;
    must_tell_ = whose.must;
}

Result<> Statements::check_whose(const db::MysqlServer &server, const std::string &path) const
{
    const char *name = wish_.databases && !server.database ? "database"
                       : wish_.users && !server.user       ? "user"
                                                           : nullptr;
    if (!must_tell_ || !name)
        return {};
    return fail("{} has no thd_{}() that tells where a connection's {} is, as MariaDB has", path,
                name == std::string_view("user") ? "user_name" : "current_db", name);
}

Result<std::vector<Parsed>> Statements::parse_program(const proc::FoundFile &program)
{
    auto image = TRY(elf::Image::open(program.open_path));
    if (is_postgres()) {
        auto server = TRY(db::find_postgres_server(image, program.path));
        tells_errors_ &= server.failure.has_value();
        return postgres_statements(program.open_path, server);
    }
    auto server = TRY(db::find_mysql_server(image, program.path, program.root));
    tells_errors_ &= !server.errors.empty();
    TRY(check_whose(server, program.path));
    statement_server constants = mysql_constants(server);
    constants_[program.open_path] =
        TRY(attach::create_constant("statements", {&constants, sizeof(constants)}));
    return mysql_statements(program.open_path, server, wish_);
}

// Of each program by a path of its own: programs of the same name may differ.
Result<std::vector<Parsed>> Statements::parse(bool usdt)
{
    std::vector<Parsed> probes;
    auto add = [&](const proc::FoundFile &program) -> Result<> {
        auto more =
            TRY(usdt ? usdt_statements(program.open_path, is_postgres() ? "postgresql" : "mysql")
                     : parse_program(program));
        std::move(more.begin(), more.end(), std::back_inserter(probes));
        return {};
    };
    tells_errors_ = !usdt;
    if (!program_.empty()) {
        auto seen_by = programs_.empty() ? std::nullopt : std::optional(programs_.front());
        TRY(add(TRY(proc::find_file(program_, seen_by))));
        return probes;
    }
    for (pid_t pid : programs_)
        TRY(add(TRY(proc::find_file(TRY(proc::executable_of(pid)), pid))));
    return probes;
}

Result<Set> Statements::build(run::Tool &tool)
{
    BuildOptions options = build_options(processes_);
    options.lookup.clear();     // the files are found already
    options.sleepable = false;  // the texts have just been received
    auto build = [&](bool usdt) -> Result<Set> { return Set::build(TRY(parse(usdt)), options); };
    auto built = build(usdt_);
    if (built || usdt_)
        return built;
    auto by_usdt = must_tell_ && !is_postgres() ? Result<Set>(fail("")) : build(true);
    if (!by_usdt)
        return built;
    tool.note("{}; its USDT probes are used, which see only simple statements that do not fail",
              built.error().text);
    return by_usdt;
}

statement_config Statements::config() const
{
    statement_config config = {};
    config.min_ns = uint64_t(std::llround(min_ms_ * 1e6));
    config.steps = steps_;
    config.texts_of_prepared = wish_.texts;
    config.names = wish_.databases || wish_.users;
    for (unsigned command : {STATEMENT_QUERY, STATEMENT_EXECUTE, STATEMENT_BULK_EXECUTE})
        config.commands[command >> 6] |= 1ull << (command & 63);
    expr::ProcessFilter filter = processes_.filter(false);
    config.pidns_device = filter.pidns_device;
    config.pidns_inode = filter.pidns_inode;
    return config;
}

std::string Statements::title() const
{
    std::string where = fmt::format("application {}", program_);
    if (!servers_.empty()) {
        std::vector<pid_t> shown = processes_.pids;
        // Of all the processes that a server has, the first.
        for (pid_t pid : shown.empty() ? servers_ : std::vector<pid_t>()) {
            auto parent = proc::parent(pid);
            if (!parent || std::find(servers_.begin(), servers_.end(), *parent) == servers_.end())
                shown.push_back(pid);
        }
        where = fmt::format("pids {}", fmt::join(shown, ", "));
    }
    return fmt::format("Tracing database queries for {} slower than {} ms...\n", where, min_ms_);
}

int Statements::constants_of(const Program &program) const
{
    auto constants = constants_.find(program.probe->spec.library.text);
    return constants == constants_.end() ? -1 : constants->second.get();
}

Result<run::Following> StatementPrograms::attach(Set &probes, const Statements &statements) const
{
    bool has_sessions =
        statements.is_postgres() && !statements.processes().filter(false).pidns_inode;
    if (has_sessions)
        TRY(add_sessions(probes));
    auto following = TRY(maps_.attach(probes, statements.processes(), [&](const Program &program) {
        int constants = statements.constants_of(program);
        return KernelMaps::Half{templates_.at(program.probe->delivery.function),
                                expr::MapSlot::Table,
                                constants < 0 ? bpf_map__fd(servers_) : constants};
    }));
    if (has_sessions)  // and those who came meanwhile
        TRY(add_sessions(probes));
    return following;
}

// Of processes that began before their InitPostgres() could be seen.
Result<> StatementPrograms::add_sessions(const Set &probes) const
{
    std::set<proc::FileId> files;
    for (const auto &program : probes.programs()) {
        for (const auto &file : program->group.files) {
            if (auto id = proc::file_id(file.file.open_path))
                files.insert(*id);
        }
    }
    for (pid_t pid : proc::all_pids()) {
        auto id = db::is_postgres_server(proc::executable_name(pid))
                      ? proc::file_id(fmt::format("/proc/{}/exe", pid))
                      : std::nullopt;
        if (!id || !files.contains(*id))
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
            return fail_errno("cannot keep whom process {} serves", pid);
    }
    return {};
}

run::Losses statement_losses(const bpf_map *lost, bool json)
{
    static_assert(STATEMENT_BUFFER_FULL == 0 && STATEMENT_NO_STATE == 1 &&
                  STATEMENT_TABLE_FULL == 2 && STATEMENT_LOST == 3);
    return run::Losses(
        bpf_map__fd(lost),
        {.json = json,
         .what = "statements",
         .reasons = {"the buffer was full (--buffer makes it larger)",
                     "too many clients at the same time", "no place for more histograms"}});
}

}  // namespace uscope::probe
