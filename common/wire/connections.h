// All connections: from the transfers of bytes that the kernel's programs hand over to requests with
// their answers.
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
    // How far a connection has come by now; nothing: it is gone.
    using Progress = std::function<std::optional<http_connection>(const http_key &)>;

    // `emit` is called with each exchange as it ends. `most`: connections that are remembered; the
    // one that was quiet for longest goes, also when what they hold takes too much memory.
    Connections(RequestMatcher::Emit emit, size_t most);
    ~Connections();
    Connections(const Connections &) = delete;

    // A record that begins with an http_transfer. False: it is none.
    bool add(Bytes record);
    // Looks for the ends of answers that are not handed over. What has moved later than `settled_ns`
    // may still be on its way into the kernel's state.
    void look(const Progress &progress, uint64_t settled_ns = UINT64_MAX);
    // Nothing more will come: what has an answer is complete enough.
    void end();

    struct Counts {
        uint64_t gaps = 0;            // places where transfers were lost
        uint64_t orphans = 0;         // answers to requests that were not seen
        uint64_t not_understood = 0;  // answers to what was not understood
        uint64_t unseen = 0;  // requests whose answers may have been among bytes that were not seen
        uint64_t open = 0;    // requests without an answer at the end
        uint64_t forgotten = 0;        // the same, where too much was open before the end
        uint64_t unknown_headers = 0;  // HTTP/2: heads of which parts are not known
    };
    Counts counts() const;

  private:
    struct Place {
        std::unique_ptr<Connection> connection;
        std::list<ConnectionKey>::iterator age;
        size_t bytes = 0;
    };
    Place &at(const http_transfer &event);
    void forget_quietest();
    void limit_bytes(Place &last);
    void forget(std::map<ConnectionKey, Place>::iterator place);

    RequestMatcher::Emit emit_;
    size_t most_, bytes_ = 0;
    std::map<ConnectionKey, Place> connections_;
    std::list<ConnectionKey> ages_;  // the quietest first
    std::map<ConnectionKey, http_key> awaited_;
    Counts counts_;
};

}  // namespace uscope::wire
