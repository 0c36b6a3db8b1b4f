// A short name of a statement, for metrics and spans: what it does, and to which tables.
#pragma once

#include <string>
#include <string_view>

namespace uscope::db {

// `digest`: as digest() returns it. "select a from t join u on …" -> "SELECT t u", "insert into t
// (a) values (?+)" -> "INSERT t", "(Ping)" -> "Ping". At most 255 bytes, whole words only, as
// OpenTelemetry's conventions for db.query.summary ask.
std::string query_summary(std::string_view digest);
// The first word, in capitals: "SELECT".
std::string query_operation(std::string_view digest);

}  // namespace uscope::db
