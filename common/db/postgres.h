// PostgreSQL: which processes are servers, and who is connected to one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace uscope::db {

bool is_postgres_server(std::string_view executable);

struct PostgresSession {
    std::string database, user;
};
// Of a process that serves a client now; nothing when that is not proven.
std::optional<PostgresSession> postgres_session(pid_t pid, const std::string &proc = "/proc");

// What postgres_session() compares: is it the title of a process that serves this session?
bool is_postgres_title(std::string_view title, const PostgresSession &session);

}  // namespace uscope::db
