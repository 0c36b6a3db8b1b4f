// Every command of a client passes through one function of the server, dispatch_command(). All
// builds export it for plugins, even stripped ones. Its mangled name contains the types of its
// arguments, so the name alone shows which argument is which:
//
//     _Z16dispatch_command 19enum_server_command P3THD Pc j            MySQL to 5.6, MariaDB to 10.1
//     … P3THD Pc j bb                                                  MariaDB 10.2 to 10.5
//     … P3THD Pc j b                                                   MariaDB since 10.6
//         (command, connection, packet, its length [, is_com_multi, is_next_command | blocking])
//     _Z16dispatch_command P3THD PK8COM_DATA 19enum_server_command     MySQL since 5.7
//         (connection, decoded packet, command)
//
// The server's version is not used, because forks and backports number theirs differently.
// Arguments that a future server adds after these do not matter; other signatures are refused.
//
// A packet consists of the command's byte, which the server has already removed, and the command's
// data: for COM_QUERY and COM_STMT_PREPARE the text; for COM_STMT_EXECUTE the statement's number in
// 4 bytes, and more. COM_DATA is a union of the parsed packets. It begins with `const char *query;
// unsigned length` for texts, with `unsigned long stmt_id` for an execution, and with stale data
// for other commands.
//
// MariaDB with a thread pool can suspend a command that waits for the disk: dispatch_command()
// returns 2 (DISPATCH_COMMAND_WOULDBLOCK), and the server calls it again with the same arguments
// when the command can continue.
//
// Example: COM_QUERY "select 1" in MariaDB 10.11 has rdi = 3, rsi = the THD, rdx = "select 1", ecx
// = 8, r8b = 1; it returns al = 0, or 1 if the connection is to be closed.
#include "db/mysql.h"

#include "base/format.h"
#include "base/text.h"
#include "elf/demangle.h"
#include "elf/functions.h"
#include "elf/symbols.h"

namespace uscope::db {
namespace {

struct Command {
    unsigned number;
    std::string_view name, protocol;
};
constexpr Command commands[] = {
    {0, "Sleep", "sleep"},
    {mysql_quit, "Quit", "quit"},
    {mysql_init_db, "Init DB", "init_db"},
    {mysql_query, "Query", "query"},
    {4, "Field List", "field_list"},
    {5, "Create DB", "create_db"},
    {6, "Drop DB", "drop_db"},
    {7, "Refresh", "refresh"},
    {8, "Shutdown", "shutdown"},
    {9, "Statistics", "statistics"},
    {10, "Processlist", "process_info"},
    {11, "Connect", "connect"},
    {12, "Kill", "process_kill"},
    {13, "Debug", "debug"},
    {14, "Ping", "ping"},
    {15, "Time", "time"},
    {16, "Delayed insert", "delayed_insert"},
    {17, "Change user", "change_user"},
    {18, "Binlog Dump", "binlog_dump"},
    {19, "Table Dump", "table_dump"},
    {20, "Connect Out", "connect_out"},
    {21, "Register Slave", "register_slave"},
    {mysql_stmt_prepare, "Prepare", "stmt_prepare"},
    {mysql_stmt_execute, "Execute", "stmt_execute"},
    {24, "Long Data", "stmt_send_long_data"},
    {25, "Close stmt", "stmt_close"},
    {26, "Reset stmt", "stmt_reset"},
    {27, "Set option", "set_option"},
    {28, "Fetch", "stmt_fetch"},
    {29, "Daemon", "daemon"},
    {30, "Binlog Dump GTID", "binlog_dump_gtid"},
    {31, "Reset connection", "reset_connection"},
    {32, "Clone", "clone"},
    {33, "Group Replication Data Stream subscription", "subscribe_group_replication_stream"},
    {mysql_stmt_bulk_execute, "Bulk_execute", "stmt_bulk_execute"},
    {mysql_multi, "Com_multi", "multi"},
};

constexpr std::string_view mangled_name = "16dispatch_command";
constexpr std::string_view with_packet = "_Z16dispatch_command19enum_server_commandP3THD";
constexpr std::string_view with_com_data =
    "_Z16dispatch_commandP3THDPK8COM_DATA19enum_server_command";

bool take(std::string_view &text, std::string_view prefix)
{
    if (text.substr(0, prefix.size()) != prefix)
        return false;
    text.remove_prefix(prefix.size());
    return true;
}

}  // namespace

bool is_mysql_server(std::string_view executable)
{
    return executable == "mysqld" || executable == "mariadbd" || executable == "mysqld-debug" ||
           executable == "mariadbd-debug";
}

std::string mysql_command_name(unsigned command)
{
    for (const Command &known : commands) {
        if (known.number == command)
            return std::string(known.name);
    }
    return fmt::format("command {}", command);
}

std::vector<std::string> mysql_command_names()
{
    std::vector<std::string> names;
    for (const Command &known : commands)
        names.emplace_back(known.protocol);
    return names;
}

std::optional<unsigned> parse_mysql_command(std::string_view text)
{
    std::string wanted = lower_case(text);
    for (const Command &known : commands) {
        if (wanted == known.protocol || wanted == fmt::format("com_{}", known.protocol) ||
            wanted == lower_case(known.name))
            return known.number;
    }
    return std::nullopt;
}

std::optional<MysqlDispatch> parse_mysql_dispatch(std::string_view symbol)
{
    MysqlDispatch found;
    found.symbol = symbol;
    std::string_view rest = symbol;
    // A symbol with a suffix such as .cold or .constprop is a part of the function, or a copy with
    // other arguments.
    if (rest.find('.') != rest.npos)
        return std::nullopt;
    if (take(rest, with_com_data)) {
        found.thd = 1, found.data = 2, found.command = 3;
        return found;
    }
    if (!take(rest, with_packet) || !(take(rest, "Pc") || take(rest, "PKc")) ||
        !(take(rest, "j") || take(rest, "m")))
        return std::nullopt;
    found.command = 1, found.thd = 2, found.data = 3, found.length = 4;
    return found;
}

Result<MysqlDispatch> find_mysql_dispatch(const elf::Image &image, const std::string &path,
                                          const std::string &root)
{
    std::optional<MysqlDispatch> found;
    std::string other;
    auto look_at = [&](std::string_view symbol) {
        auto parsed = parse_mysql_dispatch(symbol);
        if (parsed && (!found || parsed->is_com_data()))
            found = parsed;
        else if (!parsed && symbol.find(mangled_name) != symbol.npos)
            other = elf::demangle(symbol);
    };
    for (const elf::SymbolTable &table : elf::symbol_tables(image)) {
        table.each_containing(mangled_name, [&](const elf::Symbol &symbol) {
            if (symbol.is_function)
                look_at(symbol.name);
        });
    }
    if (!found && !elf::has_full_symbols(image)) {  // a debug file may have them
        for (const auto &function :
             TRY(elf::all_functions(image, {.root = root, .path = path, .demangle = false})))
            look_at(function.name);
    }
    if (found)
        return *found;
    if (!other.empty())
        return fail(
            "{}: its {} has other arguments than in MySQL 5.5 to 9 and MariaDB 5.5 to 11, so the "
            "statement's text cannot be found",
            path, other);
    return fail(
        "{} has no function dispatch_command(), which mysqld and mariadbd export and call for "
        "every command of a client",
        path);
}

}  // namespace uscope::db
