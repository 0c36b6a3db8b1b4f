#include "stack/history.h"

#include <algorithm>

#include "proc/process.h"

namespace uscope::stack {
namespace {

constexpr size_t most_before = 4;     // programs that a process was
constexpr size_t most_comms = 16384;  // more than the symbols remember programs

}  // namespace

Result<> History::watch()
{
    proc::WatchHandlers handlers;
    handlers.mapped = [this](pid_t pid, const proc::Mapping &mapping) {
        symbols_.add_mapping(pid, mapping);
    };
    handlers.forked = [this](pid_t child, pid_t parent) {
        retire(child);
        symbols_.add_fork(child, parent);
        if (auto found = comms_.find(parent); found != comms_.end()) {
            std::string comm = found->second;
            kept_comm(child) = std::move(comm);
        }
    };
    handlers.executed = [this](pid_t pid, std::string_view comm) {
        retire(pid);
        kept_comm(pid) = comm;
    };
    watch_.emplace(TRY(proc::Watch::open(std::move(handlers))));
    return {};
}

// What `tgid` was becomes something of the past.
void History::retire(pid_t tgid)
{
    auto comm = comms_.extract(tgid);
    if (!symbols_.rename(tgid, next_name_))
        return;
    auto &before = before_[tgid];
    before.insert(before.begin(), next_name_);
    if (comm) {
        comm.key() = next_name_;
        comms_.insert(std::move(comm));
    }
    next_name_--;
    if (before.size() > most_before) {
        symbols_.forget(before.back());
        comms_.erase(before.back());
        before.pop_back();
    }
}

std::string &History::kept_comm(pid_t program)
{
    if (comms_.size() >= most_comms)
        forget_dropped();
    return comms_[program];
}

// The symbols drop programs that were not used for long. Whatever is kept of them here goes then, too: process ids are millions.
void History::forget_dropped()
{
    auto is_dropped = [this](pid_t program) { return !symbols_.knows(program); };
    std::erase_if(comms_, [&](const auto &entry) { return is_dropped(entry.first); });
    for (auto &[tgid, programs] : before_)
        std::erase_if(programs, is_dropped);
    std::erase_if(before_, [](const auto &entry) { return entry.second.empty(); });
}

void History::remember(pid_t tgid)
{
    symbols_.remember(tgid);
    kept_comm(tgid) = proc::comm(tgid);
}

void History::remember_interpreters(const std::vector<pid_t> &pids)
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

pid_t History::program(pid_t tgid, const std::vector<uint64_t> &addresses) const
{
    auto found = before_.find(tgid);
    if (found == before_.end())
        return tgid;
    auto mapped = [&](pid_t program) {
        return std::count_if(addresses.begin(), addresses.end(), [&](uint64_t address) {
            return symbols_.is_mapped(program, address);
        });
    };
    pid_t best = tgid;
    auto most = mapped(tgid);
    for (pid_t program : found->second) {
        if (auto count = mapped(program); count > most) {
            best = program;
            most = count;
        }
    }
    return best;
}

History::Named History::name(pid_t program, const UserStack &stack)
{
    Named named;
    std::vector<FrameAt> &frames = named.frames;
    // What was copied too short is a stack of its own, beside the whole one that it is a part of: it is marked.
    bool is_whole = stack.end == UNWIND_WHOLE, is_short = stack.end == UNWIND_SHORT;
    auto made = stack.made.begin();
    for (uint64_t address : stack.addresses) {
        auto code = frames.empty() ? UserSymbols::Code::Instruction : UserSymbols::Code::Return;
        if (made != stack.made.end() && made->index == frames.size())
            frames.push_back({symbols_.made(*made++), address});
        else
            frames.push_back({find(program, address, code), address});
        if (frames.back().is_start && !is_whole && !is_short) {
            is_whole = true;
            break;  // nothing calls it, whatever the walk has found behind it
        }
    }
    if (!is_whole)
        named.cut = describe(stack.end);
    frames = mixed(std::move(frames), stack);
    return named;
}

const std::string &History::comm(pid_t program)
{
    std::string &known = kept_comm(program);
    if (known.empty() && program > 0)
        known = proc::comm(program);
    return known;
}

}  // namespace uscope::stack
