// Replays events that httpsnoop's kernel side sent for a real server and its clients through the
// code that httpsnoop uses, and compares the result with the server's log.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "base/format.h"
#include "base/text.h"
#include "support/recording.h"
#include "wire/connections.h"

namespace uscope::wire {
namespace {

// Replays a recording: events, and the kernel state that httpsnoop read.
class Replay {
  public:
    // Returns false if the record has another layout.
    bool add(const Recorded &entry);
    void end() { connections_.end(); }
    Connections::Counts counts() const { return connections_.counts(); }

    std::vector<Exchange> exchanges;
    size_t ended_by_looks = 0;  // exchanges that look() ended

  private:
    bool add_transfer(Bytes record);
    bool add_progress(Bytes record);
    bool look(Bytes record);

    Connections connections_{
        [this](Exchange &&exchange) { exchanges.push_back(std::move(exchange)); }, 1000};
    std::map<ConnectionKey, http_connection> progress_;  // kernel state for the next look()
};

bool Replay::add(const Recorded &entry)
{
    if (entry.what == "http_events")
        return add_transfer(entry.data);
    if (entry.what == "http_connection")
        return add_progress(entry.data);
    return entry.what != "http_look" || look(entry.data);
}

// Adds an event. Its captured bytes are in a buffer of one of three sizes, or of their exact size.
bool Replay::add_transfer(Bytes record)
{
    auto event = record.read<http_transfer>(0);
    size_t room = record.from(sizeof(http_transfer)).size();
    bool fits = event && event->captured <= room &&
                (room == event->captured || room == HTTP_FEW_BYTES || room == HTTP_SOME_BYTES ||
                 room == HTTP_MOST_BYTES);
    return fits && event->kind <= HTTP_TLS_UNSEEN && connections_.add(record);
}

bool Replay::add_progress(Bytes record)
{
    auto key = record.read<http_key>(0);
    auto connection = record.read<http_connection>(sizeof(http_key));
    if (key && connection)
        progress_[{key->object, key->tgid}] = *connection;
    return key && record.size() == sizeof(http_key) + (connection ? sizeof(http_connection) : 0);
}

bool Replay::look(Bytes record)
{
    auto settled_ns = record.read<uint64_t>(0);
    if (!settled_ns)
        return false;
    size_t before = exchanges.size();
    connections_.look(
        [&](const http_key &key) {
            auto found = progress_.find({key.object, key.tgid});
            return found == progress_.end() ? std::nullopt : std::optional(found->second);
        },
        *settled_ns);
    progress_.clear();
    ended_by_looks += exchanges.size() - before;
    return true;
}

// Returns the lines in a fixed order, because connections that are open at the same time end in any
// order.
std::string sorted_lines(std::vector<std::string> lines)
{
    std::sort(lines.begin(), lines.end());
    return join(lines, "\n");
}

std::string lines_of(const Replay &replay, bool is_server)
{
    std::vector<std::string> lines;
    for (const Exchange &exchange : replay.exchanges) {
        if (exchange.is_server == is_server)
            lines.push_back(fmt::format(
                "{} {} {} {}", exchange.request.method, exchange.path_and_query(),
                exchange.response ? exchange.response->status : 0,
                exchange.response_bytes ? std::to_string(*exchange.response_bytes) : "-"));
    }
    return sorted_lines(std::move(lines));
}

TEST(Replay, RequestsAreThoseOfNginxsLog)
{
    uscope::tests::Recording recording("http");
    Replay replay;
    for (const Recorded &entry : recording.entries())
        ASSERT_TRUE(replay.add(entry)) << uscope::tests::other_layout;
    replay.end();

    std::vector<std::string> logged;
    for (std::string_view line : split(trim(recording.rows()), '\n'))
        logged.emplace_back(line);
    EXPECT_EQ(lines_of(replay, true), sorted_lines(logged)) << uscope::tests::other_layout;
    EXPECT_EQ(lines_of(replay, false), sorted_lines(logged)) << uscope::tests::other_layout;
    EXPECT_EQ(replay.ended_by_looks, 2u);  // /huge?open, on both sides
    EXPECT_EQ(replay.counts().gaps, 0u);
    EXPECT_EQ(replay.counts().open, 0u);
    for (const Exchange &exchange : replay.exchanges) {
        std::string target = exchange.path_and_query();
        EXPECT_EQ(exchange.error.empty(), target.find("broken") == target.npos) << target;
        EXPECT_EQ(exchange.is_tls, target.find("tls") != target.npos) << target;
        EXPECT_EQ(exchange.request.version,
                  target.find("h2") != target.npos ? "HTTP/2" : "HTTP/1.1")
            << target;
    }
}

}  // namespace
}  // namespace uscope::wire
