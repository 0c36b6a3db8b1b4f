// What a server's program lets us see beside dispatch_command(): the functions that tell more about
// a command, and where a connection's number and user are.
//
// (The implementation file says how each is found, and why it can be believed.)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "db/mysql.h"

namespace uscope::db {

// Offsets in a THD, which is what a server calls a connection.
struct MysqlConnectionId {
    uint32_t offset, bytes;
};
struct MysqlUser {
    uint32_t security_offset;  // of a pointer
    uint32_t user_offset;      // there, of a pointer to the name
};

// From the machine code of the server's own functions for plugins; nothing when it is other code.
std::optional<MysqlConnectionId> parse_thread_id_code(Bytes code);
std::optional<MysqlUser> parse_user_name_code(Bytes code);
std::optional<uint32_t> parse_current_db_code(Bytes code);  // MysqlServer::database

// A function that an error passes on its way to the client.
struct MysqlErrorFunction {
    std::string symbol;
    unsigned number = 0;  // which argument is the error's number; the SQL state is two behind it
    // All errors pass it, and only those count that say that the client cannot be told anything.
    bool only_unsent = false;
};
// Those: ER_NET_ERROR_ON_WRITE, ER_NET_WRITE_INTERRUPTED.
constexpr unsigned mysql_unsent[] = {1160, 1161};

struct MysqlServer {
    MysqlDispatch dispatch;
    // Symbols of functions; what the server has not is empty.
    // Methods of Prepared_statement, so the first argument is its address.
    std::vector<std::string> prepare, execute;
    std::vector<MysqlErrorFunction> errors;
    std::string nested;       // sp_instr_stmt::execute(this, connection, …)
    std::string nested_text;  // alloc_query(connection, text, length)
    std::optional<MysqlConnectionId> connection;
    std::optional<MysqlUser> user;
    // The offset of {pointer to the name, its length} of the connection's current database.
    std::optional<uint32_t> database;
};

// Errors are those of find_mysql_dispatch().
Result<MysqlServer> find_mysql_server(const elf::Image &image, const std::string &path,
                                      const std::string &root = "");

}  // namespace uscope::db
