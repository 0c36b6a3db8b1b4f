// The probes that show the statements of a database server: programs that call the functions of
// bpf/lib/statement.bpf.h.
#pragma once

#include <string>
#include <vector>

#include "db/mysql_server.h"
#include "db/postgres.h"
#include "probe/parsed.h"

namespace uscope::probe {

struct StatementWish {
    bool texts = false;      // also of MySQL's prepared statements
    bool databases = false;  // of MySQL's connections; PostgreSQL's are always known
    bool users = false;
};

// `file`: the server's program, for us and the kernel.
Result<std::vector<Parsed>> postgres_statements(const std::string &file,
                                                const db::PostgresServer &server);
Result<std::vector<Parsed>> mysql_statements(const std::string &file, const db::MysqlServer &server,
                                             const StatementWish &wish);
// By query__start and query__done of `provider`.
Result<std::vector<Parsed>> usdt_statements(const std::string &file, const std::string &provider);

}  // namespace uscope::probe
