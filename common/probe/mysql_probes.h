// The probes that show what a MySQL or MariaDB server is asked.
#pragma once

#include <string>
#include <vector>

#include "db/mysql_server.h"
#include "probe/parsed.h"

namespace uscope::probe {

struct MysqlRequest {
    const db::MysqlServer &server;
    std::string path;    // of the server's program, for us and the kernel
    std::string prefix;  // of the C functions that are called: PREFIX_packet …
    bool nested = false;
};

// Programs that call, each with the server's map as their table,
//
//   PREFIX_packet, PREFIX_com_data         at entry and return of dispatch_command(); what is measured
//                                          at the return is the connection's address
//   PREFIX_statement                       at entry of a method of Prepared_statement
//   PREFIX_error2, PREFIX_error3           when the client is sent an error, whose number is the 2nd or
//                                          3rd argument
//   PREFIX_nested, PREFIX_nested_text      at entry and return of each statement of a stored
//                                          procedure, and when its text is known
Result<std::vector<Parsed>> mysql_probes(const MysqlRequest &request);

// The bytes that such a program remembers of a call where it has no session: its time, and the
// connection.
constexpr uint32_t mysql_call_bytes = 16;

}  // namespace uscope::probe
