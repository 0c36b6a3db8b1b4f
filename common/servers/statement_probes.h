// The probes that show the statements of a database server: programs that call the functions of
// bpf/lib/statement.bpf.h.
#pragma once

#include <string>
#include <vector>

#include "db/mysql_server.h"
#include "db/postgres.h"
#include "lib/statement.h"
#include "probe/request.h"

namespace uscope::servers {

// What is wanted beyond the times of statements, of MySQL.
struct StatementFeatures {
    bool texts = false;   // and errors: of prepared statements, too
    bool nested = false;  // the statements of stored procedures
    bool databases = false, users = false;
};

// `file`: the server's program, for us and the kernel.
Result<std::vector<probe::ProbeRequest>> postgres_statements(const std::string &file,
                                                             const db::PostgresServer &server);
Result<std::vector<probe::ProbeRequest>> mysql_statements(const std::string &file,
                                                          const db::MysqlServer &server,
                                                          const StatementFeatures &features);
// What the programs know of such a server, for the map that is their table.
statement_server mysql_constants(const db::MysqlServer &server);
// By query__start and query__done of `provider`.
Result<std::vector<probe::ProbeRequest>> usdt_statements(const std::string &file,
                                                         const std::string &provider);

}  // namespace uscope::servers
