// The BPF functions that time the statements of database servers (bpf/servers/statement.bpf.h), and
// the maps of these functions.
#pragma once

#include <map>
#include <string>

#include "attach/link.h"
#include "probe/kernel_maps.h"
#include "run/losses.h"
#include "servers/open_statements.h"
#include "servers/statements.h"

namespace uscope::servers {

// Templates of BPF functions, by function name. Generated programs call these functions.
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
          std::pair("statement_any_error", programs.statement_any_error_template),
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
          // USDT probes of PostgreSQL and MySQL
          std::pair("statement_begin", programs.statement_begin_template),
          std::pair("statement_end", programs.statement_end_template)})
        templates.emplace(name, attach::Template(program, {name}));
    return templates;
}

// The maps that hold the open statements.
template <class Object>
StatementMaps statement_maps(Object &object)
{
    const auto &maps = object->maps;
    return {maps.statement_states, maps.statement_long_texts, maps.statement_sessions};
}

// How many statements were lost since the last call, by reason.
run::Losses statement_losses(const bpf_map *lost);

// The programs of an object that supports PostgreSQL and MySQL.
class StatementPrograms {
  public:
    template <class Object>
    explicit StatementPrograms(Object &object)
        : maps_(object),
          templates_(mysql_templates(object)),
          servers_(object->maps.statement_servers),
          sessions_(object->maps.statement_sessions),
          open_(statement_maps(object)),
          lost_(object->maps.statement_lost)
    {
        templates_.merge(postgres_templates(object));
    }

    // Call before the object is loaded.
    Result<> prepare(const Statements &statements) const
    {
        return statements.servers().prepare(maps_);
    }
    // Call after the object is loaded. Also finds out which sessions already exist.
    Result<run::ForkFollower> attach(Statements &statements) const;

    const StatementMaps &open_statements() const { return open_; }
    run::Losses losses() const { return statement_losses(lost_); }

  private:
    Result<> add_sessions(const Servers &servers) const;

    probe::KernelMaps maps_;
    StatementTemplates templates_;
    bpf_map *servers_, *sessions_;
    StatementMaps open_;
    bpf_map *lost_;
};

}  // namespace uscope::servers
