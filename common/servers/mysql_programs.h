// Builds the probes of MySQL servers' programs, and keeps the map of constants of each program.
#pragma once

#include <map>
#include <string>

#include "base/fd.h"
#include "probe/set.h"
#include "proc/library.h"
#include "servers/statement_probes.h"

namespace uscope::servers {

class MysqlPrograms {
  public:
    // `server`: what was found in the file `program`.
    Result<probe::ProbeSet> build(const proc::FoundFile &program, const db::MysqlServer &server,
                                  const StatementFeatures &features,
                                  const probe::BuildOptions &options);
    // The descriptor of the map that a probe's program uses as its table; -1: not a MySQL program.
    int constants_of(const probe::Program &program) const;

  private:
    std::map<std::string, Fd> constants_;  // by the probes' path
};

}  // namespace uscope::servers
