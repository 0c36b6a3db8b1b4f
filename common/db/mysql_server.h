// What can be traced in a MySQL or MariaDB server in addition to dispatch_command(): functions that
// give details of a command, and the offsets of a connection's number, user and database.
//
// (mysql_server.cpp says how each is found, and why the result is reliable.)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "db/mysql.h"

namespace uscope::db {

// Offsets in a THD, the server's structure for a connection.
struct MysqlConnectionId {
    uint32_t offset, bytes;
};
struct MysqlUser {
    uint32_t security_offset;  // in the THD: a pointer to the security context
    uint32_t user_offset;      // in the security context: a pointer to the name
};

// Read the offsets from the machine code of the functions that the server exports for plugins;
// nullopt if the code has another form.
std::optional<MysqlConnectionId> parse_thread_id_code(Bytes code);
std::optional<MysqlUser> parse_user_name_code(Bytes code);
std::optional<uint32_t> parse_current_db_code(Bytes code);  // MysqlServer::database

// A function that an error passes on its way to the client.
struct MysqlErrorFunction {
    std::string symbol;
    unsigned number = 0;  // which argument, from 1, is the error's number; SQL state: two later
    // true: all errors pass this function, also those that the client never receives. As the error
    // of a command, only those in mysql_unsent are taken from it, because the other functions
    // report the rest. For statements in stored procedures, all are taken.
    bool only_unsent = false;
};
// Errors that the server cannot send to the client: ER_NET_ERROR_ON_WRITE,
// ER_NET_WRITE_INTERRUPTED.
constexpr unsigned mysql_unsent[] = {1160, 1161};

struct MysqlServer {
    MysqlDispatch dispatch;
    // Symbols of functions; empty if the server does not have them. `prepare`, `execute`: methods
    // of Prepared_statement, so their first argument is the address of the statement's object.
    std::vector<std::string> prepare, execute;
    std::vector<MysqlErrorFunction> errors;
    std::string nested;       // sp_instr_stmt::execute(this, connection, …)
    std::string nested_text;  // alloc_query(connection, text, length)
    std::optional<MysqlConnectionId> connection;
    std::optional<MysqlUser> user;
    // Offset in the THD of {pointer, length}: the name of the connection's current database.
    std::optional<uint32_t> database;
};

// Errors: those of find_mysql_dispatch().
Result<MysqlServer> find_mysql_server(const elf::Image &image, const std::string &path,
                                      const std::string &root = "");

}  // namespace uscope::db
