// The probes that trace the statements of a database server. Their programs call the functions of
// bpf/servers/statement.bpf.h.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/fd.h"
#include "bpf/servers/statement.h"
#include "db/mysql_server.h"
#include "db/postgres.h"
#include "probe/set.h"
#include "proc/library.h"

namespace uscope::servers {

// Returns a request for a probe on a server's function. `calls`: the C function of the tool's
// object that the probe's program calls. For USDT probes the caller fills in provider and name.
probe::ProbeRequest function_probe(spec::ProbeKind kind, const std::string &file,
                                   const std::string &function, const char *calls);

// What to trace in MySQL in addition to the times of statements.
struct StatementFeatures {
    bool texts = false;   // errors, and the texts of prepared statements
    bool nested = false;  // the statements in stored procedures
    bool databases = false, users = false;
};

// `file`: a path of the server's program that this process and the kernel can open.
Result<std::vector<probe::ProbeRequest>> postgres_statements(const std::string &file,
                                                             const db::PostgresServer &server);
Result<std::vector<probe::ProbeRequest>> mysql_statements(const std::string &file,
                                                          const db::MysqlServer &server,
                                                          const StatementFeatures &features);
// Returns the offsets in this server's structures, for the map that the programs of its probes use
// as their table.
statement_server mysql_constants(const db::MysqlServer &server);
// Returns requests for the USDT probes query__start and query__done of `provider`.
Result<std::vector<probe::ProbeRequest>> usdt_statements(const std::string &file,
                                                         const std::string &provider);

// Builds the probes of MySQL servers' programs, and keeps for each program the map with its
// mysql_constants().
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
