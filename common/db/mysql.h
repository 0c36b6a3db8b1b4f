// Finds out how MySQL, Percona Server and MariaDB pass a client's command to dispatch_command():
// the function's mangled name in the server's symbol table contains the types of its arguments.
//
// (mysql.cpp opens with the signatures that exist.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/image.h"

namespace uscope::db {

// Is this the name of a server's program (proc::executable_name()): mysqld, mariadbd, or one of
// their debug builds?
bool is_mysql_server(std::string_view executable);

constexpr int no_such_statement = 1243;  // ER_UNKNOWN_STMT_HANDLER

// The commands of the client/server protocol that the tools parse; mysql_command_name() knows all.
enum MysqlCommand : uint8_t {
    mysql_quit = 1,
    mysql_init_db = 2,
    mysql_query = 3,
    mysql_stmt_prepare = 22,
    mysql_stmt_execute = 23,
    mysql_stmt_bulk_execute = 250,
    mysql_multi = 254,
};

// "Query", "Execute", as the general log writes them; "command 99" for an unknown one.
std::string mysql_command_name(unsigned command);
// The protocol's names of all commands: "query", "stmt_execute".
std::vector<std::string> mysql_command_names();
// Accepts a name that mysql_command_name() returns, or one of the protocol (COM_STMT_EXECUTE,
// stmt_execute), in upper or lower case.
std::optional<unsigned> parse_mysql_command(std::string_view text);

struct MysqlDispatch {
    std::string symbol;  // mangled name
    // Argument numbers, from 1.
    unsigned command = 0, thd = 0;
    unsigned data = 0;    // the packet after its first byte, or a COM_DATA
    unsigned length = 0;  // the packet's length; 0: `data` is a COM_DATA

    bool is_com_data() const { return length == 0; }
};

// Returns nullopt if the symbol is not a dispatch_command() with known arguments.
std::optional<MysqlDispatch> parse_mysql_dispatch(std::string_view symbol);

// `path`: for messages, and to find the debug file; `root`: as in elf::SymbolOptions. Errors: there
// is no dispatch_command(), or it has unknown arguments, which the text lists.
Result<MysqlDispatch> find_mysql_dispatch(const elf::Image &image, const std::string &path,
                                          const std::string &root = "");

}  // namespace uscope::db
