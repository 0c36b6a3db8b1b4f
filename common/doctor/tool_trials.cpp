// Runs tools in child processes, and reads what they say.
#include "doctor/tool_trials.h"

#include <algorithm>
#include <csignal>
#include <list>
#include <map>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/format.h"
#include "base/text.h"
#include "db/mysql.h"
#include "db/postgres.h"
#include "db/redis.h"
#include "proc/maps.h"
#include "proc/process.h"
#include "run/child.h"
#include "run/tool_process.h"

namespace uscope::doctor {
namespace {

using Words = std::vector<std::string>;
using Kind = ToolState::Kind;

// How a tool in a child process has ended.
struct Outcome {
    int status = 0;
    std::string errors;  // its standard error
};

// A tool that runs in a child process. The tools run at the same time, because each of them waits
// for the kernel while it attaches and detaches.
class RunningTool {
  public:
    RunningTool(const run::ToolEntry &entry, Words words)
        : entry_(entry), errors_(memfd_create("uscope_doctor", MFD_CLOEXEC))
    {
        Fd null(open("/dev/null", O_WRONLY | O_CLOEXEC));
        words.insert(words.begin(), std::string(entry.name));
        auto process = run::ToolProcess::start(words, null.get(), errors_.get());
        if (process)
            process_ = std::move(*process);
    }
    const run::ToolEntry &entry() const { return entry_; }
    // Waits until the tool is ready, and then ends it as Ctrl-C would; or until it has ended.
    void await_ready();
    // Call it after await_ready() of all tools.
    Outcome await_end();

  private:
    const run::ToolEntry &entry_;
    Fd errors_;
    run::ToolProcess process_;
    bool is_late_ = false;
};

constexpr int limit_ms = 60'000;

void RunningTool::await_ready()
{
    pollfd event = {process_.ready_fd(), POLLIN, 0};
    is_late_ = poll(&event, 1, limit_ms) == 0;
    if (is_late_ || process_.take_ready())
        process_.signal(SIGINT);
}

Outcome RunningTool::await_end()
{
    if (!process_.pid())
        return {1, "it cannot be run: no descriptors or processes are left\n"};
    int status = process_.await_end(-1)->status;
    if (is_late_)
        return {1, fmt::format("it was not ready after {} s\n", limit_ms / 1000)};
    auto said = read_file(fmt::format("/proc/self/fd/{}", errors_.get()));
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1, said ? *said : ""};
}

// The lines of a tool's standard error, without its name. The last one is the error, if it failed.
std::vector<std::string> lines_of(const Outcome &outcome, std::string_view tool)
{
    std::string prefix = fmt::format("{}: ", tool);
    std::vector<std::string> lines;
    for (std::string_view line : split(outcome.errors, '\n')) {
        bool is_its_own = line.starts_with(prefix);
        if (is_its_own)
            line.remove_prefix(prefix.size());
        if (!line.empty() && (is_its_own || outcome.status != 0))
            lines.emplace_back(line);
    }
    return lines;
}

ToolState state_of(const run::ToolEntry &entry, const Outcome &outcome)
{
    ToolState state = {.tool = std::string(entry.name)};
    auto lines = lines_of(outcome, entry.name);
    if (outcome.status == 0) {
        state.notes = std::move(lines);
        return state;
    }
    state.kind = Kind::Refuses;
    state.reason = lines.empty() ? fmt::format("it ended with status {}", outcome.status)
                                 : std::move(lines.back());
    return state;
}

std::vector<ToolState> await_all(std::list<RunningTool> &running)
{
    std::vector<ToolState> states;
    for (RunningTool &tool : running)
        tool.await_ready();
    for (RunningTool &tool : running)
        states.push_back(state_of(tool.entry(), tool.await_end()));
    return states;
}

// --- this machine --------------------------------------------------------------------------------

// What each tool is tried with, in addition to the process.
struct Trial {
    Words words = {};
    bool needs_libc = false;
    bool attaches_nothing = false;  // takes no process
};
const std::map<std::string_view, Trial> trials = {
    {"argdist", {{"-C", "p:c:malloc()"}, true}},
    {"funccount", {{"c:malloc"}, true}},
    {"funclatency", {{"c:malloc"}, true}},
    {"httpsnoop", {}},
    {"killsnoop", {}},
    {"memleak", {{}, true}},
    {"offcputime", {}},
    {"profile", {}},
    {"readlat", {}},
    {"stackcount", {{"c:malloc"}, true}},
    {"tplist", {{"sched:*"}, false, true}},
    {"trace", {{"c:malloc"}, true}},
    {"ucalls", {{"-S", "-l", "none"}}},
    {"uobjnew", {{"-l", "c"}, true}},
    {"uthreads", {{"-l", "c"}, true}},
};

// The programs that the other tools need.
const std::map<std::string_view, const char *> needs = {
    {"dbslower", "a server of MySQL or PostgreSQL"},
    {"dbstat", "a server of MySQL or PostgreSQL"},
    {"gohttp", "a Go program with net/http"},
    {"mysqlqueries", "a server of MySQL"},
    {"rediscommands", "a server of Redis or Valkey"},
    {"uflow", "a program in one of its languages"},
    {"ugc", "a program in one of its languages"},
    {"ustat", "a program in one of its languages"},
};

// Starts a `cat` that waits for input. When the returned descriptor is closed, because this process
// ends in whatever way, the `cat` ends too.
struct Target {
    run::Child child;
    Fd input;
};
Result<Target> start_target()
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_errno("cannot make a pipe");
    Fd read_end(ends[0]), input(ends[1]);
    Fd own_input(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
    dup2(read_end.get(), STDIN_FILENO);
    auto child = run::Child::start({"cat"});
    dup2(own_input.get(), STDIN_FILENO);
    Target target = {TRY(std::move(child)), std::move(input)};
    TRY(target.child.release());
    return target;
}

// Waits until the process has mapped its C library. Returns false if it maps none.
bool await_library(pid_t pid)
{
    auto has_library = [pid] {
        auto mappings = proc::read_maps(pid);
        for (const proc::Mapping &mapping : mappings ? *mappings : std::vector<proc::Mapping>())
            if (mapping.executable && (mapping.path.find("/libc.") != std::string::npos ||
                                       mapping.path.find("/libc-") != std::string::npos ||
                                       mapping.path.find("/ld-musl-") != std::string::npos))
                return true;
        return false;
    };
    for (int i = 0; i < 200 && !has_library(); i++)
        poll(nullptr, 0, 5);
    return has_library();
}

// Returns why the tool is not tried, or "".
std::string why_not_tried(std::string_view tool, bool has_libc)
{
    auto trial = trials.find(tool);
    if (trial == trials.end())
        return fmt::format("it needs {}; `uscope doctor PID` asks it about one",
                           needs.count(tool) ? needs.at(tool) : "another program");
    if (trial->second.needs_libc && !has_libc)
        return "it needs a program with a shared C library; `cat` has none";
    return "";
}

RunningTool start_trial(const run::ToolEntry &entry, pid_t pid)
{
    const Trial &trial = trials.at(entry.name);
    Words words = trial.words;
    if (!trial.attaches_nothing)
        words.insert(words.end(), {"-p", fmt::format("{}", pid)});
    return {entry, words};
}

// --- one process ---------------------------------------------------------------------------------

// The command line with which the tool is asked about the process.
Words words_for(std::string_view tool, pid_t pid, const AskedFunction &function)
{
    Words words = {"-p", fmt::format("{}", pid)};
    if (tool == "tplist")
        return words;
    words.emplace_back("--dry-run");
    std::string probe = fmt::format("{}:{}", function.file, function.name);
    if (tool == "funccount" || tool == "funclatency" || tool == "stackcount" || tool == "trace")
        words.push_back(probe);
    if (tool == "argdist")
        words.insert(words.end(), {"-C", fmt::format("p:{}()", probe)});
    if (tool == "dbslower" || tool == "dbstat")
        words.emplace_back(db::is_postgres_server(proc::executable_name(pid)) ? "postgres"
                                                                              : "mysql");
    return words;
}

// The refusals of the tools for servers name functions that a program of another kind does not
// have. Returns the beginning of a refusal that says so.
std::string explain_server(std::string_view tool, pid_t pid)
{
    std::string name = proc::executable_name(pid);
    bool takes_postgres = tool == "dbslower" || tool == "dbstat";
    bool is_its_own =
        tool == "rediscommands"
            ? db::is_redis_program(name)
            : db::is_mysql_server(name) || (takes_postgres && db::is_postgres_server(name));
    bool is_for_servers = takes_postgres || tool == "mysqlqueries" || tool == "rediscommands";
    return is_for_servers && !is_its_own ? fmt::format("it needs {}: ", needs.at(tool)) : "";
}

}  // namespace

const char *state_name(ToolState::Kind kind)
{
    switch (kind) {
    case Kind::Works:
        return "works";
    case Kind::Refuses:
        return "refuses";
    case Kind::NotTried:
        return "not_tried";
    }
    return "";
}

std::vector<ToolState> try_tools(std::span<const run::ToolEntry> entries)
{
    auto target = start_target();
    const pid_t pid = target ? target->child.pid() : 0;
    bool has_libc = target && await_library(pid);
    std::vector<ToolState> states;
    std::list<RunningTool> running;
    for (const run::ToolEntry &entry : entries) {
        if (entry.is_command)
            continue;
        std::string reason = target ? why_not_tried(entry.name, has_libc) : target.error().text;
        if (reason.empty())
            running.push_back(start_trial(entry, pid));
        else
            states.push_back({std::string(entry.name), Kind::NotTried, reason});
    }
    for (ToolState &state : await_all(running)) {
        state.notes.clear();  // about the process that was started for this
        states.push_back(std::move(state));
    }
    std::sort(states.begin(), states.end(),
              [](const ToolState &a, const ToolState &b) { return a.tool < b.tool; });
    return states;
}

std::vector<ToolState> ask_tools(std::span<const run::ToolEntry> entries, pid_t pid,
                                 const AskedFunction &function)
{
    std::list<RunningTool> running;
    for (const run::ToolEntry &entry : entries) {
        if (!entry.is_command)
            running.emplace_back(entry, words_for(entry.name, pid, function));
    }
    auto states = await_all(running);
    for (ToolState &state : states) {
        if (state.kind == Kind::Refuses)
            state.reason = explain_server(state.tool, pid) + state.reason;
    }
    return states;
}

}  // namespace uscope::doctor
