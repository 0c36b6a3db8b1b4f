// How MySQL, Percona Server and MariaDB hand a client's command to their one entry,
// dispatch_command(), told from the function's name in the server's symbol table.
//
// (The implementation file opens with the signatures that exist.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "elf/image.h"

namespace uscope::db {

// Is this the name of a server's program (proc::executable_name())? mysqld, mariadbd, and their
// builds for debugging.
bool is_mysql_server(std::string_view executable);

constexpr int no_such_statement = 1243;  // ER_UNKNOWN_STMT_HANDLER

// Commands of the client/server protocol that the tools look into; mysql_command_name() knows all.
enum MysqlCommand : uint8_t {
    mysql_quit = 1,
    mysql_init_db = 2,
    mysql_query = 3,
    mysql_stmt_prepare = 22,
    mysql_stmt_execute = 23,
    mysql_stmt_bulk_execute = 250,
    mysql_multi = 254,
};

// "Query", "Execute", as the general log writes them; "command 99" of one that nobody knows.
std::string mysql_command_name(unsigned command);
// By that name, or the protocol's (COM_STMT_EXECUTE, stmt_execute), in any case.
std::optional<unsigned> parse_mysql_command(std::string_view text);

struct MysqlDispatch {
    std::string symbol;  // mangled, as the file has it
    // Numbers of arguments, from 1.
    unsigned command = 0, thd = 0;
    unsigned data = 0;    // the packet behind its first byte, or a COM_DATA
    unsigned length = 0;  // of the packet; 0: `data` is a COM_DATA

    bool is_com_data() const { return length == 0; }
};

// Of a symbol that is dispatch_command() with arguments that are known; nothing else.
std::optional<MysqlDispatch> parse_mysql_dispatch(std::string_view symbol);

// Errors say what was looked for, and of a dispatch_command() with other arguments which it has.
// `path`: for people, and to find the debug file by; `root`: as in elf::SymbolOptions.
Result<MysqlDispatch> find_mysql_dispatch(const elf::Image &image, const std::string &path,
                                          const std::string &root = "");

}  // namespace uscope::db
