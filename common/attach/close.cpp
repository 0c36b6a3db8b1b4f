// Closes links in additional threads, so that many are closed at the same time.
#include "attach/close.h"

#include <atomic>
#include <csignal>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>

#include <pthread.h>

#include "attach/attach.h"

namespace uscope::attach {
namespace {

constexpr size_t max_threads = 256;
constexpr size_t stack_bytes = 64 * 1024;  // close() needs no more
constexpr int patience_seconds = 1;

// Links with more than this number of sites are closed one after another: the kernel removes them
// site by site under one lock for the whole machine, and threads that pass the lock to each other
// 10,000 times take ten times as long as one thread.
constexpr size_t max_at_once = 64;

struct Work {
    Links links;
    std::mutex large;
    std::atomic<size_t> next = 0, closed = 0;
};

void *close_some(void *argument)
{
    auto *work = static_cast<Work *>(argument);
    for (size_t at; (at = work->next++) < work->links.size(); work->closed++) {
        Link &link = work->links[at];
        std::optional<std::lock_guard<std::mutex>> alone;
        if (link.attached.probes() > max_at_once)
            alone.emplace(work->large);
        link = Link(Fd());
    }
    return nullptr;
}

constexpr size_t max_later = 8;  // calls of close_later() whose links are being closed
std::vector<pthread_t> &later_threads()
{
    static std::vector<pthread_t> threads;
    return threads;
}

void *close_batch(void *argument)
{
    std::unique_ptr<Links> links(static_cast<Links *>(argument));
    close_links(std::move(*links));
    return nullptr;
}

// Blocks all signals in the new thread: the main thread handles them.
bool start_closing(Links *links)
{
    sigset_t all, mask;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    pthread_t thread;
    bool is_started = pthread_create(&thread, nullptr, close_batch, links) == 0;
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    if (is_started)
        later_threads().push_back(thread);
    return is_started;
}

}  // namespace

void close_later(Links links)
{
    auto &threads = later_threads();
    std::erase_if(threads,
                  [](pthread_t thread) { return pthread_tryjoin_np(thread, nullptr) == 0; });
    if (threads.size() >= max_later) {
        pthread_join(threads.front(), nullptr);
        threads.erase(threads.begin());
    }
    auto batch = std::make_unique<Links>(std::move(links));
    if (start_closing(batch.get()))
        (void)batch.release();
    else
        close_links(std::move(*batch));
}

void finish_closing()
{
    for (pthread_t thread : std::exchange(later_threads(), {}))
        pthread_join(thread, nullptr);
}

void close_links(Links links, const std::function<void(size_t)> &on_slow)
{
    Work work;
    work.links = std::move(links);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    // Blocks all signals in the threads: the caller handles them, and none interrupts close().
    sigset_t all, mask;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    std::vector<pthread_t> threads;
    while (threads.size() < std::min(work.links.size(), max_threads)) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, close_some, &work) != 0)
            break;
        threads.push_back(thread);
    }
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    if (threads.empty())  // no thread could be started
        close_some(&work);

    timespec slow;
    clock_gettime(CLOCK_MONOTONIC, &slow);
    slow.tv_sec += patience_seconds;
    bool reported = !on_slow;
    for (pthread_t thread : threads) {
        if (!reported && pthread_clockjoin_np(thread, nullptr, CLOCK_MONOTONIC, &slow) == 0)
            continue;
        if (!std::exchange(reported, true))
            on_slow(work.links.size() - work.closed);
        pthread_join(thread, nullptr);
    }
}

}  // namespace uscope::attach
