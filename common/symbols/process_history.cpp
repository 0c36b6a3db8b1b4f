// Keeps the mappings of each program that a process executed.
#include "symbols/process_history.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/clock.h"
#include "lang/interpreter.h"
#include "proc/process.h"
#include "proc/watch.h"

namespace uscope::symbols {
namespace {

constexpr size_t max_before = 4;     // former programs kept for a process
constexpr size_t max_comms = 16384;  // more than the processes that UserSymbols remembers

// Several functions of the C library and of Rust's runtime call main() or a thread's function.
// Keeps only the outermost of them, such as _start or clone3.
void fold_start(std::vector<FrameAt> &frames)
{
    if (frames.empty() || !frames.back().is_start)
        return;
    auto is_unnamed_libc = [](const Frame &frame) {
        return frame.segment && frame.kind == output::FrameKind::Libc;
    };
    auto is_rust_start = [](const Frame &frame) {
        return frame.function.find("__rust_begin_short_backtrace") != std::string::npos;
    };
    size_t last = frames.size() - 1, first = last;
    while (first > 0 && (frames[first - 1].is_start || is_unnamed_libc(frames[first - 1])))
        first--;
    auto rust = std::find_if(frames.begin(), frames.end(), is_rust_start);
    first = std::min(first, size_t(rust - frames.begin()));
    frames.erase(frames.begin() + ptrdiff_t(first), frames.begin() + ptrdiff_t(last));
}

}  // namespace

struct ProcessHistory::State {
    UserSymbols symbols = UserSymbols();
    std::map<pid_t, std::string> comms = {};
    // a process's former programs, the latest first
    std::map<pid_t, std::vector<pid_t>> before = {};
    pid_t next_name = -1;  // id for the next former program; no process has a negative id
    std::optional<proc::Watch> watch = {};
    uint64_t learned_ns = 0;  // when events were last read

    void retire(pid_t tgid);
    std::string &kept_comm(pid_t program);
    void forget_dropped();
};

ProcessHistory::ProcessHistory() : state_(std::make_unique<State>()) {}
ProcessHistory::~ProcessHistory() = default;

Result<> ProcessHistory::watch()
{
    proc::WatchHandlers handlers;
    handlers.mapped = [state = state_.get()](pid_t pid, const proc::Mapping &mapping,
                                             uint64_t ts_ns) {
        state->symbols.add_mapping(pid, mapping, ts_ns);
    };
    handlers.lost = [state = state_.get()](uint64_t) { state->symbols.forget_past(); };
    handlers.forked = [state = state_.get()](pid_t child, pid_t parent) {
        state->retire(child);
        state->symbols.add_fork(child, parent);
        if (auto found = state->comms.find(parent); found != state->comms.end()) {
            std::string comm = found->second;
            state->kept_comm(child) = std::move(comm);
        }
    };
    handlers.executed = [state = state_.get()](pid_t pid, std::string_view comm) {
        state->retire(pid);
        state->kept_comm(pid) = comm;
    };
    state_->watch.emplace(TRY(proc::Watch::open(std::move(handlers))));
    return {};
}

int ProcessHistory::fd() const
{
    return state_->watch->fd();
}

void ProcessHistory::learn()
{
    if (!state_->watch)
        return;
    state_->learned_ns = monotonic_ns();
    state_->watch->drain();
}

void ProcessHistory::learn_until(uint64_t ts_ns)
{
    if (ts_ns > state_->learned_ns)
        learn();
}

UserSymbols &ProcessHistory::symbols()
{
    return state_->symbols;
}

size_t ProcessHistory::size() const
{
    return state_->comms.size();
}

// Moves what is known of the current program of `tgid` to a new negative id, as a former program.
void ProcessHistory::State::retire(pid_t tgid)
{
    auto comm = comms.extract(tgid);
    if (!symbols.rename(tgid, next_name))
        return;
    auto &programs = before[tgid];
    programs.insert(programs.begin(), next_name);
    if (comm) {
        comm.key() = next_name;
        comms.insert(std::move(comm));
    }
    next_name--;
    if (programs.size() > max_before) {
        symbols.forget(programs.back());
        comms.erase(programs.back());
        programs.pop_back();
    }
}

std::string &ProcessHistory::State::kept_comm(pid_t program)
{
    if (comms.size() >= max_comms)
        forget_dropped();
    return comms[program];
}

// UserSymbols drops programs that were not used for long. Drop their names here as well, since a
// run may see millions of process ids.
void ProcessHistory::State::forget_dropped()
{
    auto is_dropped = [this](pid_t program) { return !symbols.knows(program); };
    std::erase_if(comms, [&](const auto &entry) { return is_dropped(entry.first); });
    for (auto &[tgid, programs] : before)
        std::erase_if(programs, is_dropped);
    std::erase_if(before, [](const auto &entry) { return entry.second.empty(); });
}

void ProcessHistory::remember(pid_t tgid)
{
    state_->symbols.remember(tgid);
    state_->kept_comm(tgid) = proc::comm(tgid);
}

void ProcessHistory::remember_interpreters(const std::vector<pid_t> &pids)
{
    for (pid_t pid : pids)
        remember(pid);
    if (!pids.empty())
        return;
    for (pid_t pid : proc::all_pids()) {
        auto program = proc::executable_name(pid);
        if (lang::may_interpret(program))
            remember(pid);
    }
}

pid_t ProcessHistory::program(pid_t tgid, const std::vector<uint64_t> &addresses) const
{
    auto found = state_->before.find(tgid);
    if (found == state_->before.end())
        return tgid;
    auto mapped = [&](pid_t program) {
        return std::count_if(addresses.begin(), addresses.end(), [&](uint64_t address) {
            return state_->symbols.is_mapped(program, address);
        });
    };
    pid_t best = tgid;
    auto max = mapped(tgid);
    for (pid_t program : found->second) {
        if (auto count = mapped(program); count > max) {
            best = program;
            max = count;
        }
    }
    return best;
}

ProcessHistory::Named ProcessHistory::name(pid_t program, const unwind::UserStack &stack,
                                           Start start)
{
    Named named;
    std::vector<FrameAt> &frames = named.frames;
    // A stack that was copied too short is counted separately from the complete stack that it is
    // part of, so it stays marked as cut.
    bool is_whole = stack.end == UNWIND_WHOLE, is_short = stack.end == UNWIND_SHORT;
    auto jit = stack.named_jit.begin();
    for (uint64_t address : stack.addresses) {
        auto code = frames.empty() ? UserSymbols::Code::Instruction : UserSymbols::Code::Return;
        if (jit != stack.named_jit.end() && jit->index == frames.size())
            frames.push_back({state_->symbols.frame_of(*jit++), address});
        else
            frames.push_back({find(program, address, code, stack.ts_ns), address});
        if (frames.back().is_start && !is_whole && !is_short) {
            is_whole = true;
            break;  // nothing calls it, whatever the walk found beyond it
        }
    }
    if (!is_whole)
        named.cut = unwind::describe(stack.end);
    frames = merge_interpreted(std::move(frames), stack);
    if (start == Start::Folded)
        fold_start(frames);
    return named;
}

Frame ProcessHistory::find(pid_t program, uint64_t address, UserSymbols::Code code, uint64_t ts_ns)
{
    return state_->symbols.find(program, address, code, ts_ns);
}

const std::string &ProcessHistory::comm(pid_t program)
{
    std::string &known = state_->kept_comm(program);
    if (known.empty() && program > 0)
        known = proc::comm(program);
    return known;
}

}  // namespace uscope::symbols
