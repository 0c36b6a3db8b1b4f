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
#include "probe/statement_probes.h"
#include "proc/library.h"
#include "run/losses.h"
#include "run/processes.h"
#include "run/tool.h"

namespace uscope::probe {

class Statements {
  public:
    // `texts`: they are shown, also those of MySQL's prepared statements.
    Statements(double min_ms, bool texts) : min_ms_(min_ms) { wish_.texts = texts; }

    void declare(run::Tool &tool);
    // Finds the servers, too. Errors: there are none.
    Result<> check();

    // Whose statements they are is needed (PostgreSQL tells it anyway): `must`: and it is an error
    // when a server does not tell. Before build().
    struct Whose {
        bool database = false, user = false;
        bool must = false;
    };
    void tell(const Whose &whose);

    // Says what will not be seen.
    Result<Set> build(run::Tool &tool);

    const run::Processes &processes() const { return processes_; }
    bool is_postgres() const { return engine_ == "postgres"; }
    // Do all servers tell which statements fail?
    bool tells_errors() const { return tells_errors_; }
    // What is common of the programs' settings.
    statement_config config() const;
    // BCC's first line, which both tools print.
    std::string title() const;

  private:
    Result<> find_servers();
    Result<std::vector<Parsed>> parse(bool usdt);
    Result<std::vector<Parsed>> parse_program(const proc::FoundFile &program);
    Result<> check_whose(const db::MysqlServer &server, const std::string &path) const;

    std::vector<std::string> words_;
    std::string engine_;
    run::Processes processes_;
    std::string program_;
    double min_ms_;
    bool usdt_ = false, steps_ = false;
    StatementWish wish_;
    bool must_tell_ = false, tells_errors_ = true;
    std::vector<pid_t> servers_;   // whose files are meant
    std::vector<pid_t> programs_;  // of them, one for each program
};

// The programs of one object.
class StatementPrograms {
  public:
    template <class Object>
    explicit StatementPrograms(Object &object)
        : maps_(object),
          states_(object->maps.statement_states),
          zero_(object->maps.statement_zero),
          sessions_(object->maps.statement_sessions),
          lost_(object->maps.statement_lost)
    {
        const auto &programs = object->progs;
        for (auto [name, program] :
             {std::pair("statement_message", programs.statement_message_template),
              std::pair("statement_activity", programs.statement_activity_template),
              std::pair("statement_next", programs.statement_next_template),
              std::pair("statement_login", programs.statement_login_template),
              std::pair("statement_begin", programs.statement_begin_template),
              std::pair("statement_failed", programs.statement_failed_template),
              std::pair("statement_exit", programs.statement_exit_template),
              std::pair("statement_prepared", programs.statement_prepared_template),
              std::pair("statement_error", programs.statement_error_template),
              std::pair("statement_packet", programs.statement_packet_template),
              std::pair("statement_com_data", programs.statement_com_data_template),
              std::pair("statement_end", programs.statement_end_template),
              std::pair("statement_end_or_wait", programs.statement_end_or_wait_template)})
            halves_.emplace(name, attach::Template(program, {name}));
    }

    // Before the object is loaded. `text_bytes`: as in the configuration.
    Result<> prepare(const Set &probes, const run::Processes &processes, uint32_t text_bytes) const;
    // After it. Sessions that are there already become known, too.
    Result<run::Following> attach(Set &probes, const Statements &statements) const;

    // Says how many statements were not counted since the last time, but for those for which the
    // ring buffer was full.
    run::Losses losses(bool json) const;

  private:
    Result<> add_sessions(const Set &probes) const;

    KernelMaps maps_;
    std::map<std::string, attach::Template> halves_;
    bpf_map *states_, *zero_, *sessions_, *lost_;
};

}  // namespace uscope::probe
