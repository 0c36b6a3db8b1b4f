// PostgreSQL: which processes are servers, where they keep errors, and which session a process
// serves.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/bytes.h"
#include "base/result.h"
#include "elf/image.h"

namespace uscope::db {

bool is_postgres_server(std::string_view executable);

// Where a server keeps its stack of errors. `depth`, `codes`: the distances from a code address to
// the variable with the stack's depth, and to the SQL state in the first element. `stride`: the
// bytes of an element.
struct PostgresErrors {
    int64_t depth = 0, codes = 0;
    uint32_t stride = 0;  // 0: unknown
};
// Reads these from the machine code of geterrcode(), with distances from its start; nullopt if the
// code has another form.
std::optional<PostgresErrors> parse_error_code(Bytes code);

// A code site that the server reaches when a message has failed.
struct PostgresFailure {
    uint64_t offset = 0;  // of the site in its function; the distances start at the site
    PostgresErrors errors;
};

// A branch of PostgresMain() that is executed after each return of pq_getbyte(), when %rax still
// has its result. The kernel emulates a probe on it, but single-steps one on pq_getbyte()'s `ret`.
struct PostgresMessage {
    uint64_t offset = 0;      // of the branch in PostgresMain()
    uint64_t after_call = 0;  // distance from pq_getbyte()'s return address to the branch
};
// Finds it in PostgresMain()'s code. `next`: the distance from there to pq_getbyte(). nullopt: the
// code has another form.
std::optional<PostgresMessage> parse_message_loop(Bytes code, int64_t next);

// What can be traced in a server's program.
struct PostgresServer {
    std::optional<PostgresMessage> message;
    std::optional<PostgresFailure> failure;  // AbortCurrentTransaction(): the server goes on
    std::optional<PostgresFailure> exit;     // errfinish(): the process ends
};
// `path`: for messages. Errors: the program does not process a client's messages as
// bpf/servers/statement.bpf.h expects.
Result<PostgresServer> find_postgres_server(const elf::Image &image, const std::string &path);

struct PostgresSession {
    std::string database, user;
};
// Returns the session that the process serves now; nullopt if that is not certain.
std::optional<PostgresSession> postgres_session(pid_t pid, const std::string &proc = "/proc");

// Is this the title of a process that serves this session?
bool is_postgres_title(std::string_view title, const PostgresSession &session);

}  // namespace uscope::db
