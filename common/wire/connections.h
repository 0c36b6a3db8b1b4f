// Turns the transfers on all HTTP connections, as the kernel's programs report them, into requests
// with their responses.
#pragma once

#include <compare>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "wire/request_matcher.h"

namespace uscope::wire {

class Connection;

struct ConnectionKey {
    uint64_t object = 0;
    uint32_t tgid = 0;
    auto operator<=>(const ConnectionKey &) const = default;
};

class Connections {
  public:
    // Returns a connection's current state in the kernel, or nullopt if it is gone.
    using Progress = std::function<std::optional<http_connection>(const http_key &)>;

    // Calls `emit` with each exchange as it ends. `most`: how many connections to remember. When
    // there are more, or they take too much memory, forgets the one that has been quiet longest.
    Connections(RequestMatcher::Emit emit, size_t max);
    ~Connections();
    Connections(const Connections &) = delete;

    // `record`: begins with an http_transfer. Returns false if it is too short.
    bool add(Bytes record);
    // Reads the kernel's state of connections to find the ends of responses, which are not reported
    // as events. Ignores a state that changed after `settled_ns`, because it may be incomplete.
    void look(const Progress &progress, uint64_t settled_ns = UINT64_MAX);
    // Call when no more records will come: counts the requests that are still open.
    void end();

    struct Counts {
        uint64_t gaps = 0;             // gaps in connections, where transfers were lost
        uint64_t orphans = 0;          // responses whose request was not seen
        uint64_t not_understood = 0;   // responses that follow bytes that are not a request
        uint64_t unseen = 0;           // requests whose response may be in bytes that were not seen
        uint64_t open = 0;             // requests without a response at the end
        uint64_t forgotten = 0;        // open requests forgotten to limit memory
        uint64_t unknown_headers = 0;  // HTTP/2: heads with unknown headers
    };
    Counts counts() const;

  private:
    struct Entry {
        std::unique_ptr<Connection> connection;
        std::list<ConnectionKey>::iterator age;
        size_t bytes = 0;
    };
    Entry &entry_of(const http_transfer &event);
    void forget_quietest();
    void limit_bytes(Entry &last);
    void forget(std::map<ConnectionKey, Entry>::iterator found);

    RequestMatcher::Emit emit_;
    size_t max_, bytes_ = 0;
    std::map<ConnectionKey, Entry> connections_;
    std::list<ConnectionKey> ages_;              // the quietest first
    std::map<ConnectionKey, http_key> awaited_;  // those where a response's end is awaited
    Counts counts_;
};

}  // namespace uscope::wire
