// PostgreSQL: which processes are servers, and who is connected to one.
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

// Where a server keeps the errors that it is dealing with: distances from a place in its program.
struct PostgresErrors {
    int64_t depth = 0, codes = 0;
    uint32_t stride = 0;  // 0: not known
};
// From the machine code of geterrcode(): distances from its start; nothing when it is other code.
std::optional<PostgresErrors> parse_error_code(Bytes code);

// A place in a function that is reached when a message has failed.
struct PostgresFailure {
    uint64_t offset = 0;  // into it, of the place from which the distances count
    PostgresErrors errors;
};

// What a server's program lets us see. Errors: its loop over the messages of a client is not where it
// must be (bpf/lib/statement.bpf.h). `path`: for people.
struct PostgresServer {
    std::optional<PostgresFailure> failure;  // AbortCurrentTransaction(): the server goes on
    std::optional<PostgresFailure> exit;     // errfinish(): the process ends
};
Result<PostgresServer> find_postgres_server(const elf::Image &image, const std::string &path);

struct PostgresSession {
    std::string database, user;
};
// Of a process that serves a client now; nothing when that is not proven.
std::optional<PostgresSession> postgres_session(pid_t pid, const std::string &proc = "/proc");

// What postgres_session() compares: is it the title of a process that serves this session?
bool is_postgres_title(std::string_view title, const PostgresSession &session);

}  // namespace uscope::db
