// The thread that sends, and its queue.
#include "telemetry/sender.h"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <mutex>

#include <sys/eventfd.h>

#include "attach/signals.h"
#include "base/clock.h"
#include "base/format.h"
#include "output/gzip.h"
#include "telemetry/otlp.h"

namespace uscope::telemetry {
namespace {

constexpr size_t max_queued_bytes = 16 << 20;
constexpr uint64_t request_ns = 10'000'000'000;
constexpr uint64_t first_wait_ms = 1000, max_wait_ms = 30'000, max_retry_after_ms = 300'000;

class Lock {
  public:
    explicit Lock(pthread_mutex_t &mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
    Lock(const Lock &) = delete;
    ~Lock() { pthread_mutex_unlock(&mutex_); }

  private:
    pthread_mutex_t &mutex_;
};

timespec time_after(uint64_t ns)
{
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    ns += uint64_t(time.tv_nsec);
    time.tv_sec += time_t(ns / 1'000'000'000);
    time.tv_nsec = long(ns % 1'000'000'000);
    return time;
}

}  // namespace

Sender::Sender(const Endpoint &endpoint, Pairs headers)
    : endpoint_(endpoint), headers_(std::move(headers))
{
    headers_.emplace_back("Content-Encoding", "gzip");
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&changed_, &attributes);
    pthread_condattr_destroy(&attributes);
}

Sender::~Sender()
{
    if (!end(0))
        pthread_join(thread_, nullptr);
    pthread_cond_destroy(&changed_);
}

Result<> Sender::start()
{
    stop_ = Fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!stop_)
        return fail_errno("cannot create an event descriptor");
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the tool's own thread
    errno = pthread_create(&thread_, nullptr, run, this);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (errno)
        return fail_errno("cannot start a thread that sends");
    is_running_ = true;
    return {};
}

void Sender::offer(Batch batch)
{
    Lock lock(mutex_);
    if (!is_running_ || queued_bytes_ + batch.body.size() > max_queued_bytes) {
        lose("the collector does not take them fast enough", batch.items);
        return;
    }
    queued_bytes_ += batch.body.size();
    queue_.push_back(std::move(batch));
    pthread_cond_broadcast(&changed_);
}

bool Sender::end(uint64_t ns)
{
    constexpr uint64_t slice_ns = 20'000'000, join_ns = 100'000'000;
    if (!is_running_)
        return true;
    {
        attach::CleanupWait cleanup;
        Lock lock(mutex_);
        is_ending_ = true;
        pthread_cond_broadcast(&changed_);
        uint64_t end_ns = monotonic_ns() + ns;
        while (!queue_.empty() && !has_given_up_ && !cleanup.is_interrupted() &&
               monotonic_ns() < end_ns) {
            timespec until = time_after(slice_ns);
            pthread_cond_timedwait(&changed_, &mutex_, &until);
        }
        is_stopped_ = true;
        pthread_cond_broadcast(&changed_);
    }
    uint64_t one = 1;
    [[maybe_unused]] ssize_t written = write(stop_.get(), &one, sizeof(one));
    is_running_ = false;
    bool has_ended = join(join_ns);
    Lock lock(mutex_);
    uint64_t rest = 0;
    for (const Batch &batch : queue_)
        rest += batch.items;
    if (rest)
        lose("the collector had not taken them when the tool ended", rest);
    return has_ended;
}

bool Sender::join(uint64_t ns)
{
    timespec until = time_after(ns);
    return pthread_clockjoin_np(thread_, nullptr, CLOCK_MONOTONIC, &until) == 0;
}

SenderReport Sender::take_report()
{
    Lock lock(mutex_);
    return std::exchange(report_, {});
}

uint64_t Sender::sent() const
{
    Lock lock(mutex_);
    return sent_;
}

void *Sender::run(void *sender)
{
    static_cast<Sender *>(sender)->send_all();
    return nullptr;
}

void Sender::send_all()
{
    HttpClient client(endpoint_, headers_, stop_.get());
    uint64_t wait_ms = 0;
    for (;;) {
        const Batch *batch;
        bool was_ending;
        {
            Lock lock(mutex_);
            while (queue_.empty() && !is_ending_)
                pthread_cond_wait(&changed_, &mutex_);
            if (queue_.empty())
                return;
            batch = &queue_.front();  // others only add to the end
            was_ending = is_ending_;
        }
        bool is_reached = true, is_sent = send(*batch, client, wait_ms, is_reached);
        if (!is_sent && was_ending && !is_reached) {
            Lock lock(mutex_);
            has_given_up_ = true;
            pthread_cond_broadcast(&changed_);
            return;
        }
        if (!is_sent) {
            if (!sleep(wait_ms, was_ending))
                return;
            continue;
        }
        wait_ms = 0;
        Lock lock(mutex_);
        queued_bytes_ -= queue_.front().body.size();
        queue_.pop_front();
        pthread_cond_broadcast(&changed_);
    }
}

bool Sender::send(const Batch &batch, HttpClient &client, uint64_t &wait_ms, bool &is_reached)
{
    auto body = output::gzip(batch.body, 1);
    if (!body) {
        Lock lock(mutex_);
        lose(body.error().text, batch.items);
        return true;
    }
    auto response = client.post(*body, monotonic_ns() + request_ns);
    is_reached = response.has_value();
    Lock lock(mutex_);
    if (response && is_done(batch, *response))
        return true;
    wait_ms = std::clamp(wait_ms * 2, first_wait_ms, max_wait_ms);
    if (!response)
        report_problem(response.error().text);
    else if (response->retry_after_ms)
        wait_ms = std::clamp<uint64_t>(*response->retry_after_ms, 1, max_retry_after_ms);
    return false;
}

// Called with the mutex held. Returns false for a status after which the batch is sent again.
bool Sender::is_done(const Batch &batch, const HttpResponse &response)
{
    int status = response.status;
    if (status >= 200 && status < 300) {
        uint64_t rejected = std::min(rejected_items(response.body), batch.items);
        if (rejected)
            lose("the collector rejected them", rejected);
        sent_ += batch.items - rejected;
        last_problem_.clear();
        return true;
    }
    std::string text = fmt::format("it answers {}", status);
    if (status == 404)
        text += " (its OTLP receiver is not built in, not enabled, or has another path)";
    report_problem(text);
    if (status == 429 || (status >= 502 && status <= 504))
        return false;
    lose(fmt::format("the collector refused them with status {}", status), batch.items);
    return true;
}

void Sender::lose(const std::string &reason, uint64_t items)
{
    report_.lost[reason] += items;
}

void Sender::report_problem(const std::string &problem)
{
    if (problem == last_problem_)
        return;
    last_problem_ = report_.problem = problem;
}

// Returns false if the thread has to end. When the tool begins to end, it is time for another try.
bool Sender::sleep(uint64_t ms, bool was_ending)
{
    timespec until = time_after(ms * 1'000'000);
    Lock lock(mutex_);
    while (!is_stopped_ && is_ending_ == was_ending &&
           pthread_cond_timedwait(&changed_, &mutex_, &until) == 0) {
    }
    return !is_stopped_;
}

}  // namespace uscope::telemetry
