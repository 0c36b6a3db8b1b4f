// What is known of each MySQL server's program that has probes.
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
    // `server`: of the file `program`.
    Result<probe::ProbeSet> build(const proc::FoundFile &program, const db::MysqlServer &server,
                                  const StatementFeatures &features,
                                  const probe::BuildOptions &options);
    // The map that the programs of such a set have as their table; -1: none of this set.
    int constants_of(const probe::Program &program) const;

  private:
    std::map<std::string, Fd> constants_;  // by the path that the probes have
};

}  // namespace uscope::servers
