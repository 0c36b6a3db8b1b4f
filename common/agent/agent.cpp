// Starts, watches, pauses and ends the tools.
#include "agent/agent.h"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <sys/wait.h>

#include "agent/merged_metrics.h"
#include "agent/scrape.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/text.h"
#include "run/tool.h"
#include "telemetry/metric_text.h"

namespace uscope::agent {
namespace {

constexpr uint64_t second_ns = 1'000'000'000, longest_wait_ns = 60 * second_ns;
constexpr unsigned tick_ms = 1000;

// The processor time of a process; 0 if it has ended.
uint64_t processor_ns(pid_t pid)
{
    clockid_t clock;
    timespec time = {};
    if (!pid || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return uint64_t(time.tv_sec) * second_ns + uint64_t(time.tv_nsec);
}

uint64_t processor_ns(const rusage &used)
{
    auto ns = [](const timeval &time) {
        return uint64_t(time.tv_sec) * second_ns + uint64_t(time.tv_usec) * 1000;
    };
    return ns(used.ru_utime) + ns(used.ru_stime);
}

uint64_t resident_bytes(pid_t pid)
{
    std::string text = read_file(fmt::format("/proc/{}/statm", pid)).value_or("");
    auto words = split(text, ' ');
    return words.size() < 2 ? 0 : parse_number(words[1]).value_or(0) * uint64_t(getpagesize());
}

std::string describe_end(int status)
{
    return WIFSIGNALED(status) ? fmt::format("by signal {}", WTERMSIG(status))
                               : fmt::format("with status {}", WEXITSTATUS(status));
}

using Kind = telemetry::Metric::Kind;
using Unit = telemetry::Metric::Unit;
constexpr telemetry::Metric
    up = {"uscope.agent.tool.up", Kind::Sum, Unit::None, "1: the tool has attached its probes."},
    restarts = {"uscope.agent.tool.restarts", Kind::Counter, Unit::None,
                "How often the tool was started again after it had ended unexpectedly."},
    pauses = {"uscope.agent.tool.pauses", Kind::Counter, Unit::None,
              "How often the tool was ended for a time, because the tools exceeded their budget."},
    processor = {"uscope.agent.tool.cpu", Kind::Counter, Unit::Seconds,
                 "Processor time of the tool, without that of its probes in other programs."},
    memory = {"uscope.agent.tool.memory", Kind::Sum, Unit::Bytes, "Resident memory of the tool."},
    own_processor = {"uscope.agent.cpu", Kind::Counter, Unit::Seconds,
                     "Processor time of the agent itself."},
    budget = {"uscope.agent.cpu.budget", Kind::Sum, Unit::Seconds,
              "Processor time that the tools may use in a second; 0: no budget."},
    good_reloads = {"uscope.agent.reloads", Kind::Counter, Unit::None,
                    "How often the file was read again."},
    refused_reloads = {"uscope.agent.refused.reloads", Kind::Counter, Unit::None,
                       "How often the file was read again and was wrong."};

}  // namespace

Agent::Agent(run::Tool &tool, std::string path, Loaded loaded)
    : tool_(tool), path_(std::move(path)), loaded_(std::move(loaded))
{
    budget_.set(loaded_.config.cpu);
}

Result<> Agent::listen(const std::string &address)
{
    if (address.empty()) {
        server_.reset();
        return {};
    }
    auto server = std::make_unique<telemetry::MetricServer>([this] { return metrics(); });
    TRY(server->listen(*loop_, *telemetry::listening_address(address), address));
    server_ = std::move(server);
    return {};
}

Result<> Agent::run()
{
    loop_ = std::make_unique<run::Loop>(TRY(run::Loop::create()));
    loop_->on_signal(SIGHUP, [this] { on_hangup(); });
    TRY(listen(loaded_.config.metrics));
    for (const auto &[name, words] : loaded_.commands)
        start(name, runners_.emplace(name, Runner{words}).first->second);
    TRY(loop_->every(tick_ms, [this] { on_tick(); }));
    auto result = loop_->run();
    for (auto &[name, runner] : runners_)
        runner.process.signal(SIGTERM);
    for (auto &[name, runner] : runners_)
        if (runner.process.pid())
            runner.process.await_end(-1);
    return result;
}

// --- the tools -----------------------------------------------------------------------------------

void Agent::start(const std::string &name, Runner &runner)
{
    Fd null(open("/dev/null", O_WRONLY | O_CLOEXEC));
    auto process = run::ToolProcess::start(runner.words, null.get(), STDERR_FILENO);
    if (process) {
        runner.process = std::move(*process);
        runner.state = Runner::State::Starting;
        auto ready =
            loop_->on_readable(runner.process.ready_fd(), [this, name] { on_ready(name); });
        if (ready && loop_->on_exit(runner.process.pid(), [this, name] { on_end(name); }))
            return;
        loop_->forget(runner.process.ready_fd());
        runner.process = {};
    }
    tool_.warn("{} cannot be started: no descriptors or processes are left", name);
    start_later(name, runner, 1 << 8);
}

void Agent::end(Runner &runner)
{
    runner.state = Runner::State::Ending;
    runner.process.signal(SIGTERM);
}

void Agent::on_ready(const std::string &name)
{
    Runner &runner = runners_.at(name);
    bool is_ready = runner.process.take_ready();  // else it has ended
    // Destroys the lambda that called this function, and so `name`.
    loop_->forget(runner.process.ready_fd());
    if (!is_ready || runner.state != Runner::State::Starting)
        return;
    runner.state = Runner::State::Up;
    runner.up_ns = monotonic_ns();
    runner.start_up_ns = processor_ns(runner.process.pid());
    announce();
}

void Agent::on_end(const std::string &name)
{
    Runner &runner = runners_.at(name);
    loop_->forget(runner.process.ready_fd());
    auto ended = runner.process.await_end(-1);
    runner.process = {};
    runner.ended_ns += processor_ns(ended->used);
    if (runner.state != Runner::State::Ending)
        start_later(name, runner, ended->status);
    else if (runner.is_removed)
        runners_.erase(name);
    else
        runner.state = Runner::State::Waiting;
    announce();
}

// The tool itself has said why it ended.
void Agent::start_later(const std::string &name, Runner &runner, int status)
{
    uint64_t now = monotonic_ns();
    bool was_long_up = runner.state == Runner::State::Up && now - runner.up_ns >= longest_wait_ns;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2) {
        runner.state = Runner::State::Refused;
        tool_.warn("{} refuses its options: edit {} and send SIGHUP", name, path_);
        return;
    }
    runner.wait_ns =
        runner.wait_ns && !was_long_up ? std::min(runner.wait_ns * 2, longest_wait_ns) : second_ns;
    runner.next_start_ns = now + runner.wait_ns;
    runner.state = Runner::State::Waiting;
    tool_.warn("{} ended {}: it starts again in {} s", name, describe_end(status),
               runner.wait_ns / second_ns);
}

void Agent::on_tick()
{
    uint64_t now = monotonic_ns();
    for (auto &[name, runner] : runners_) {
        if (runner.state != Runner::State::Waiting || now < runner.next_start_ns)
            continue;
        runner.restarts += std::exchange(runner.next_start_ns, 0) != 0 && !runner.is_paused;
        runner.is_paused = false;
        start(name, runner);
    }
    if (is_reload_due_)
        reload();
    check_budget();
}

void Agent::check_budget()
{
    Budget::Used used;
    uint64_t now = monotonic_ns();
    for (const auto &[name, runner] : runners_)
        if (uint64_t all = processor_ns(runner.process.pid());
            runner.state == Runner::State::Up && all >= runner.start_up_ns)
            used[name] = all - runner.start_up_ns;
    auto pause = budget_.check(now, used);
    if (!pause)
        return;
    Runner &runner = runners_.at(pause->name);
    runner.pauses++;
    runner.is_paused = true;
    runner.next_start_ns = now + pause->ns;
    tool_.warn(
        "{} used {:.3g}% of a processor, all tools {:.3g}% of {:.3g}% (cpu): it pauses for {} s",
        pause->name, pause->used * 100, pause->all_used * 100, loaded_.config.cpu * 100,
        pause->ns / second_ns);
    end(runner);
}

// When all tools have attached their probes or failed, but at least one has.
void Agent::announce()
{
    bool is_starting = std::any_of(runners_.begin(), runners_.end(), [](const auto &entry) {
        return entry.second.state == Runner::State::Starting;
    });
    std::vector<std::string> names;
    for (const auto &[name, runner] : runners_)
        if (runner.state == Runner::State::Up)
            names.push_back(name);
    if (is_starting || names.empty() || std::exchange(is_announced_, true))
        return;
    tool_.ready(fmt::format("with {}", join(names, ", ")));
}

// --- the file ------------------------------------------------------------------------------------

// Signals that come soon after one another are one request.
void Agent::on_hangup()
{
    if (reload_ns_ && monotonic_ns() - reload_ns_ < second_ns)
        is_reload_due_ = true;
    else
        reload();
}

void Agent::reload()
{
    reload_ns_ = monotonic_ns();
    is_reload_due_ = false;
    auto loaded = load(path_, loaded_.commands);
    reloads_++;
    if (loaded && loaded->problems.empty() && loaded->config.metrics != loaded_.config.metrics) {
        auto listening = listen(loaded->config.metrics);
        if (!listening)
            loaded = Failure(std::move(listening.error()));
    }
    if (loaded && loaded->problems.empty())
        return apply(std::move(*loaded));
    bad_reloads_++;
    if (!loaded)
        tool_.warn("{}", loaded.error().text);
    else
        for (const Problem &problem : loaded->problems)
            tool_.warn("{}:{}: {}", path_, problem.line, problem.text);
    tool_.warn("{} is not used: the tools run as before", path_);
}

void Agent::apply(Loaded loaded)
{
    unsigned changed = 0;
    loaded_ = std::move(loaded);
    budget_.set(loaded_.config.cpu);
    for (auto &[name, runner] : runners_) {
        auto now = loaded_.commands.find(name);
        runner.is_removed = now == loaded_.commands.end();
        if (!runner.is_removed && now->second == runner.words)
            continue;
        changed++;
        if (!runner.is_removed)
            runner.words = now->second;
        runner.next_start_ns = runner.wait_ns = 0;
        end(runner);
    }
    std::erase_if(runners_, [](const auto &entry) {
        return entry.second.is_removed && !entry.second.process.pid();
    });
    for (auto &[name, runner] : runners_)
        if (!runner.process.pid() && runner.state == Runner::State::Ending)
            runner.state = Runner::State::Waiting;
    for (const auto &[name, words] : loaded_.commands) {
        if (runners_.count(name))
            continue;
        changed++;
        start(name, runners_.emplace(name, Runner{words}).first->second);
    }
    tool_.note("{} is read again: {} tools changed", path_, changed);
}

// --- metrics -------------------------------------------------------------------------------------

std::string Agent::metrics()
{
    telemetry::MetricStore health(UINT64_MAX);
    MergedMetrics merged;
    for (const auto &[name, runner] : runners_) {
        telemetry::Labels labels = {{"tool", name}};
        bool is_up = runner.state == Runner::State::Up;
        pid_t pid = runner.process.pid();
        health.set(up, labels, is_up);
        health.set(restarts, labels, runner.restarts);
        health.set(pauses, labels, runner.pauses);
        health.set(processor, labels, runner.ended_ns + processor_ns(pid));
        health.set(memory, labels, resident_bytes(pid));
        auto text = is_up ? scrape(socket_of(name)) : Result<std::string>();
        if (text)
            merged.add(*text, name);
    }
    health.set(own_processor, {}, processor_ns(getpid()));
    health.set(budget, {}, telemetry::MetricStore::Total(loaded_.config.cpu * second_ns));
    health.set(good_reloads, {}, reloads_);
    health.set(refused_reloads, {}, bad_reloads_);
    merged.add(telemetry::metric_text(health), "");
    return merged.text();
}

}  // namespace uscope::agent
