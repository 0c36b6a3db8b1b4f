// Sends batches to a collector, in a thread of its own: a collector that is down or slow never
// delays the tool. The queue is bounded; what does not fit, or what the collector refuses, is
// counted by its reason.
//
// At the end of the tool, a connection that fails is final.
//
// By OTLP's rules, 429, 502, 503 and 504 and failed connections are tried again, after a time that
// grows from 1 s to 30 s, or after the response's Retry-After. Other statuses are final.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include <pthread.h>

#include "base/fd.h"
#include "base/result.h"
#include "telemetry/http_client.h"

namespace uscope::telemetry {

struct Batch {
    std::string body;  // not compressed
    uint64_t items = 0;
};

// What happened since the last report.
struct SenderReport {
    std::map<std::string, uint64_t> lost;  // items by reason
    std::string problem;                   // why batches wait; "": no new problem
};

class Sender {
  public:
    // `headers`: with Content-Type.
    Sender(const Endpoint &endpoint, Pairs headers);
    Sender(const Sender &) = delete;
    ~Sender();

    Result<> start();
    // Takes the batch over, or counts it as lost.
    void offer(Batch batch);
    // Waits up to `ns` for the queue to become empty, ends the thread, and counts the rest as lost.
    // Ends earlier if the collector cannot be reached, or at another signal that ends the tool.
    // Returns false if the thread still waits for a name server: then this object must live on.
    bool end(uint64_t ns);

    SenderReport take_report();
    uint64_t sent() const;  // items that the collector has taken

  private:
    static void *run(void *sender);
    void send_all();
    // Returns false if the batch must be sent again, after `wait_ms`.
    bool send(const Batch &batch, HttpClient &client, uint64_t &wait_ms, bool &is_reached);
    bool is_done(const Batch &batch, const HttpResponse &response);
    void lose(const std::string &reason, uint64_t items);
    void report_problem(const std::string &problem);
    bool sleep(uint64_t ms, bool was_ending);
    bool join(uint64_t ns);

    Endpoint endpoint_;
    Pairs headers_;
    Fd stop_;  // readable: the thread ends
    pthread_t thread_ = {};
    bool is_running_ = false;
    // The members below are shared with the thread.
    mutable pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed_;
    std::deque<Batch> queue_;  // the first one is being sent
    size_t queued_bytes_ = 0;
    bool is_ending_ = false, is_stopped_ = false, has_given_up_ = false;
    uint64_t sent_ = 0;
    SenderReport report_;
    std::string last_problem_;
};

}  // namespace uscope::telemetry
