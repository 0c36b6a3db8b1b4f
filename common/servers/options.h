// Shared by dbslower and dbstat: the options that select servers and statements, and the probes on
// these servers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bpf/servers/statement.h"
#include "probe/set.h"
#include "proc/library.h"
#include "run/processes.h"
#include "run/tool.h"
#include "servers/probes.h"
#include "servers/servers.h"

namespace uscope::servers {

class Statements {
  public:
    // `min_ns`: the default of -m. `texts`: the tool shows the texts of statements, including
    // MySQL's prepared statements.
    Statements(uint64_t min_ns, bool texts) : min_ns_(min_ns) { features_.texts = texts; }

    void declare(run::Tool &tool);
    Result<> check();

    // Requests the database and the user of each statement (PostgreSQL always reports them).
    // `must`: find() fails if a server does not report them. Call before find().
    struct Origin {
        bool database = false, user = false;
        bool must = false;
    };
    void report(const Origin &origin);

    // Finds the servers, and prints a note about statements that the tool cannot see.
    Result<> find(run::Tool &tool);
    Servers &servers() { return *servers_; }
    const Servers &servers() const { return *servers_; }

    void begin_shown(run::Tool &tool) { processes_.begin_shown(tool); }
    const run::Processes &processes() const { return processes_; }
    bool is_postgres() const { return engine_ == "postgres"; }
    // Do all servers report which statements fail?
    bool reports_errors() const { return reports_errors_; }
    // The settings of the BPF programs that both tools share.
    statement_config config() const;
    const MysqlPrograms &mysql() const { return mysql_; }
    // Describes what is traced, in BCC's words if they fit: "database queries for pids 181 slower
    // than 1 ms". Call after Servers::listen().
    std::string what() const;

  private:
    Result<probe::ProbeSet> build(run::Tool &tool, const proc::FoundFile &program,
                                  const probe::BuildOptions &options);
    Result<probe::ProbeSet> build_by_usdt(const proc::FoundFile &program,
                                          const probe::BuildOptions &options) const;
    Result<probe::ProbeSet> build_by_functions(const proc::FoundFile &program,
                                               const probe::BuildOptions &options);
    Result<> check_origin(const db::MysqlServer &server, const std::string &path) const;

    std::vector<std::string> words_;
    std::string engine_;
    run::Processes processes_;
    std::string program_;
    uint64_t min_ns_;
    bool usdt_ = false, steps_ = false;
    StatementFeatures features_;
    bool must_report_ = false, reports_errors_ = true;
    MysqlPrograms mysql_;
    std::optional<Servers> servers_;
};

}  // namespace uscope::servers
