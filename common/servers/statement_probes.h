// The probes that trace the statements of a database server. Their programs call the functions of
// bpf/servers/statement.bpf.h.
#pragma once

#include <string>
#include <vector>

#include "bpf/servers/statement.h"
#include "db/mysql_server.h"
#include "db/postgres.h"
#include "probe/request.h"

namespace uscope::servers {

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
// The offsets of this server, for the map that its probes' programs use as their table.
statement_server mysql_constants(const db::MysqlServer &server);
// Probes on the USDT probes query__start and query__done of `provider`.
Result<std::vector<probe::ProbeRequest>> usdt_statements(const std::string &file,
                                                         const std::string &provider);

}  // namespace uscope::servers
