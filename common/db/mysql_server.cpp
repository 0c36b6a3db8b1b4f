// Functions are found by their mangled names. Where a probe reads arguments other than `this`, the
// name must match with all argument types.
//
// A THD has hundreds of members, whose offsets change with every version and build option. But a
// server has functions for plugins that only read one member, and their code contains its offset:
//
//     thd_get_thread_id:  48 8b 87 18 3f 00 00   mov 0x3f18(%rdi),%rax     the connection's number has
//                         c3                     ret                       8 bytes at 0x3f18
//     thd_user_name:      48 8b 87 f8 25 00 00   mov 0x25f8(%rdi),%rax     the security context
//                         48 85 c0  74 04        test %rax,%rax; je .+4
//                         48 8b 40 08            mov 0x8(%rax),%rax        the user's name
//                         c3                     ret
//     thd_current_db:     48 8d 87 a0 00 00 00   lea 0xa0(%rdi),%rax       the current database's name
//                         c3                     ret
//
// (MariaDB 10.11.) Any other code is rejected, except for this code in a frame (push %rbp …).
#include "db/mysql_server.h"

#include <algorithm>

#include "db/code.h"
#include "elf/symbols.h"

namespace uscope::db {
namespace {

void add(std::vector<std::string> &names, std::string_view name)
{
    if (std::find(names.begin(), names.end(), name) == names.end())
        names.emplace_back(name);
}

// Compilers may merge some of these functions. An error may pass several of them, with the same
// number.
struct KnownError {
    std::string_view symbol;
    unsigned number;
    bool only_unsent = false;
};
constexpr KnownError error_functions[] = {
    {"_ZN16Protocol_classic10send_errorEjPKcS1_", 2},   // MySQL since 5.7
    {"_ZN17Protocol_callback10send_errorEjPKcS1_", 2},  // MySQL's X protocol and services
    {"_ZN8Protocol10send_errorEjPKcS1_", 2},
    {"_Z14net_send_errorP3THDjPKcS2_", 2},
    {"_ZN8Protocol14net_send_errorEP3THDjPKcS3_", 3},  // MariaDB since 10.3
    {"_ZN8Protocol21net_send_error_packetEP3THDjPKcS3_", 3},
    {"_ZN16Diagnostics_area16set_error_statusEjPKcS1_", 2, true},  // MySQL; MariaDB:
    {"_ZN16Diagnostics_area16set_error_statusEjPKcS1_RK27Sql_user_condition_identityPK13Sql_"
     "condition",
     2, true},
};

void look_at_error_function(MysqlServer &server, std::string_view name)
{
    for (const KnownError &known : error_functions) {
        bool is_listed = std::any_of(server.errors.begin(), server.errors.end(),
                                     [&](const auto &listed) { return listed.symbol == name; });
        if (known.symbol == name && !is_listed)
            server.errors.push_back({std::string(name), known.number, known.only_unsent});
    }
}

void look_at_function(MysqlServer &server, std::string_view name)
{
    if (name.find('.') != name.npos)  // .cold, .constprop …: a part or a copy of it
        return;
    if (name.starts_with("_ZN18Prepared_statement7prepareE"))
        add(server.prepare, name);
    else if (name.starts_with("_ZN18Prepared_statement12execute_loopE") ||
             name.starts_with("_ZN18Prepared_statement17execute_bulk_loopE"))
        add(server.execute, name);
    else if (name == "_ZN13sp_instr_stmt7executeEP3THDPj")
        server.nested = name;
    else if (name == "_Z11alloc_queryP3THDPKcm" || name == "_Z11alloc_queryP3THDPKcj")
        server.nested_text = name;
    else
        look_at_error_function(server, name);
}

}  // namespace

std::optional<MysqlConnectionId> parse_thread_id_code(Bytes bytes)
{
    Code code(bytes);
    code.skip_prologue();
    uint32_t size = code.take({0x48}) ? 8 : 4;
    if (!code.take({0x8b}))
        return std::nullopt;
    auto offset = code.displacement(rdi_to_rax);
    if (!offset || !code.is_return())
        return std::nullopt;
    return MysqlConnectionId{*offset, size};
}

std::optional<MysqlUser> parse_user_name_code(Bytes bytes)
{
    Code code(bytes);
    code.skip_prologue();
    if (!code.take({0x48, 0x8b}))
        return std::nullopt;
    auto security = code.displacement(rdi_to_rax);
    if (!security || !code.take({0x48, 0x85, 0xc0, 0x74, 0x04, 0x48, 0x8b}))
        return std::nullopt;
    auto user = code.displacement(rax_to_rax);
    if (!user || !code.is_return())
        return std::nullopt;
    return MysqlUser{*security, *user};
}

std::optional<uint32_t> parse_current_db_code(Bytes bytes)
{
    Code code(bytes);
    code.skip_prologue();
    if (!code.take({0x48, 0x8d}))
        return std::nullopt;
    auto database = code.displacement(rdi_to_rax);
    return database && code.is_return() ? database : std::nullopt;
}

Result<MysqlServer> find_mysql_server(const elf::Image &image, const std::string &path,
                                      const std::string &root)
{
    MysqlServer server;
    server.dispatch = TRY(find_mysql_dispatch(image, path, root));
    for (const elf::SymbolTable &table : elf::symbol_tables(image)) {
        for (std::string_view part : {"Prepared_statement", "send_error", "set_error_status",
                                      "sp_instr_stmt", "alloc_query"}) {
            table.each_containing(part, [&](const elf::Symbol &symbol) {
                if (symbol.is_function)
                    look_at_function(server, symbol.name);
            });
        }
        if (image.machine() != EM_X86_64)
            continue;
        table.each_containing("thd_", [&](const elf::Symbol &symbol) {
            auto code = image.bytes_at(symbol.vaddr, symbol.size);
            if (code && symbol.name == "thd_get_thread_id")
                server.connection = parse_thread_id_code(*code);
            else if (code && symbol.name == "thd_user_name")
                server.user = parse_user_name_code(*code);
            else if (code && symbol.name == "thd_current_db")
                server.database = parse_current_db_code(*code);
        });
    }
    return server;
}

}  // namespace uscope::db
