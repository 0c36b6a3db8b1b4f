// Statements of database servers, for the tools that time them (dbslower, dbstat): their options,
// the probes, and what these programs need (bpf/lib/statement.bpf.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "attach/link.h"
#include "lib/statement.h"
#include "probe/kernel_maps.h"
#include "probe/set.h"
#include "proc/library.h"
#include "run/losses.h"
#include "run/processes.h"
#include "run/tool.h"
#include "servers/mysql_programs.h"
#include "servers/servers.h"
#include "servers/statement_probes.h"

namespace uscope::servers {

class Statements {
  public:
    // `texts`: they are shown, also those of MySQL's prepared statements.
    Statements(uint64_t min_ns, bool texts) : min_ns_(min_ns) { wish_.texts = texts; }

    void declare(run::Tool &tool);
    Result<> check();

    // Whose statements they are is needed (PostgreSQL tells it anyway): `must`: and it is an error
    // when a server does not tell. Before find().
    struct Whose {
        bool database = false, user = false;
        bool must = false;
    };
    void tell(const Whose &whose);

    // Finds the servers, and says what will not be seen.
    Result<> find(run::Tool &tool);
    Servers &servers() { return *servers_; }
    const Servers &servers() const { return *servers_; }

    const run::Processes &processes() const { return processes_; }
    bool is_postgres() const { return engine_ == "postgres"; }
    // Do all servers tell which statements fail?
    bool tells_errors() const { return tells_errors_; }
    // What is common of the programs' settings.
    statement_config config() const;
    const MysqlPrograms &mysql() const { return mysql_; }
    // BCC's first line, which both tools print.
    std::string title() const;

  private:
    Result<probe::Set> build(run::Tool &tool, const proc::FoundFile &program,
                             const probe::BuildOptions &options);
    Result<probe::Set> build_by_usdt(const proc::FoundFile &program,
                                     const probe::BuildOptions &options) const;
    Result<probe::Set> build_by_functions(const proc::FoundFile &program,
                                          const probe::BuildOptions &options);
    Result<> check_whose(const db::MysqlServer &server, const std::string &path) const;

    std::vector<std::string> words_;
    std::string engine_;
    run::Processes processes_;
    std::string program_;
    uint64_t min_ns_;
    bool usdt_ = false, steps_ = false;
    StatementWish wish_;
    bool must_tell_ = false, tells_errors_ = true;
    MysqlPrograms mysql_;
    std::optional<Servers> servers_;
};

// The functions that generated programs call, by their names.
using StatementTemplates = std::map<std::string, attach::Template>;

template <class Object>
StatementTemplates mysql_templates(Object &object)
{
    StatementTemplates templates;
    const auto &programs = object->progs;
    for (auto [name, program] :
         {std::pair("statement_packet", programs.statement_packet_template),
          std::pair("statement_com_data", programs.statement_com_data_template),
          std::pair("statement_prepared", programs.statement_prepared_template),
          std::pair("statement_error2", programs.statement_error2_template),
          std::pair("statement_error3", programs.statement_error3_template),
          std::pair("statement_nested", programs.statement_nested_template),
          std::pair("statement_nested_text", programs.statement_nested_text_template)})
        templates.emplace(name, attach::Template(program, {name}));
    return templates;
}

template <class Object>
StatementTemplates postgres_templates(Object &object)
{
    StatementTemplates templates;
    const auto &programs = object->progs;
    for (auto [name, program] :
         {std::pair("statement_message", programs.statement_message_template),
          std::pair("statement_activity", programs.statement_activity_template),
          std::pair("statement_next", programs.statement_next_template),
          std::pair("statement_login", programs.statement_login_template),
          std::pair("statement_failed", programs.statement_failed_template),
          std::pair("statement_exit", programs.statement_exit_template),
          // USDT probes, of either server
          std::pair("statement_begin", programs.statement_begin_template),
          std::pair("statement_end", programs.statement_end_template)})
        templates.emplace(name, attach::Template(program, {name}));
    return templates;
}

// How many statements were not counted since the last time, and why.
run::Losses statement_losses(const bpf_map *lost, bool json);

// The programs of one object that knows both kinds of servers.
class StatementPrograms {
  public:
    template <class Object>
    explicit StatementPrograms(Object &object)
        : maps_(object),
          templates_(mysql_templates(object)),
          servers_(object->maps.statement_servers),
          sessions_(object->maps.statement_sessions),
          lost_(object->maps.statement_lost)
    {
        templates_.merge(postgres_templates(object));
    }

    // Before the object is loaded.
    Result<> prepare(const Statements &statements) const
    {
        return statements.servers().prepare(maps_);
    }
    // After it. Sessions that are there already become known, too.
    Result<run::Following> attach(Statements &statements) const;

    run::Losses losses(bool json) const { return statement_losses(lost_, json); }

  private:
    Result<> add_sessions(const Servers &servers) const;

    probe::KernelMaps maps_;
    StatementTemplates templates_;
    bpf_map *servers_, *sessions_, *lost_;
};

}  // namespace uscope::servers
