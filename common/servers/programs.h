// The BPF functions that time the statements of database servers (bpf/servers/statement.bpf.h), and
// the maps of these functions.
#pragma once

#include "probe/kernel_maps.h"
#include "run/losses.h"
#include "servers/options.h"
#include "servers/pending.h"

namespace uscope::servers {

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
          servers_(object->maps.statement_servers),
          sessions_(object->maps.statement_sessions),
          open_(statement_maps(object)),
          lost_(object->maps.statement_lost)
    {
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
    bpf_map *servers_, *sessions_;
    StatementMaps open_;
    bpf_map *lost_;
};

}  // namespace uscope::servers
