// Answers scrapes: GET /metrics. On a unix socket only those of the same user, or of root.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "telemetry/address.h"

namespace uscope::run {
class Loop;
}

namespace uscope::telemetry {

class MetricServer {
  public:
    // `text`: called for each scrape.
    explicit MetricServer(std::function<std::string()> text) : text_(std::move(text)) {}
    MetricServer(const MetricServer &) = delete;
    ~MetricServer();

    // `name`: the address as typed, for errors.
    Result<> listen(run::Loop &loop, const SocketAddress &address, const std::string &name);

  private:
    struct Request {
        std::string text;     // what was read
        uint64_t number = 0;  // of the connection
    };
    using Requests = std::map<int, Request>;  // by connection

    static bool is_older(const Requests::value_type &one, const Requests::value_type &other);
    void accept(run::Loop &loop);
    void drop(run::Loop &loop, int fd);
    void read(run::Loop &loop, int fd);
    void answer(int fd, const std::string &request);

    std::function<std::string()> text_;
    Fd listener_;
    Requests requests_;
    uint64_t accepted_ = 0;
};

}  // namespace uscope::telemetry
