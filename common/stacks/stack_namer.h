// Names the stacks by which BPF programs count events (bpf/unwind/stack_key.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <sys/types.h>

#include "bpf/unwind/stack_key.h"
#include "output/stacks.h"

namespace uscope::symbols {
class ProcessHistory;
}  // namespace uscope::symbols

namespace uscope::stacks {

class Unwinder;

class StackNamer {
  public:
    struct Style {
        bool per_process = false;  // add the process's id
        bool comm = false;         // add the program's name
        bool offsets = false;      // name+0x1a
        bool addresses = false;    // the raw address before the name
        bool lines = false;        // name (file.c:12), and inlined functions
    };
    // `stacks`, `more_stacks`: descriptors of the maps with kernel stacks (stacks_first and
    // stacks_more in bpf/unwind/stacks.bpf.h), or -1. `unwinder` outlives this object.
    StackNamer(const Style &style, Unwinder &unwinder, int stacks, int more_stacks);
    ~StackNamer();
    symbols::ProcessHistory &history();
    // Remembers the traced processes, which may end before their stacks are named: those in
    // `pids` or, if it is empty, all processes that map one of the files with these inodes
    // (nullopt: all processes).
    void remember(const std::vector<pid_t> &pids, const std::optional<std::set<uint64_t>> &inodes);
    // For tools without probe sets: remembers `pids` or, if it is empty, all processes.
    void remember(const std::vector<pid_t> &pids);
    // The first frame to show. At exit sites (instructions that leave a function), the leaf is the
    // returning function, with another address at each of its exits. Stacks that start with the
    // caller are the same for all exits.
    enum class From : uint8_t { Leaf, Caller };
    output::NamedStack name(const stack_key &key, From from = From::Leaf);
    // Why the events of a key lack a stack. Nothing: they have it; Full: a map of stacks was full;
    // NotWalked: too many stacks had to be walked at once; NotKept: the tool has walked the stack
    // but no longer has it.
    enum class MissingReason : uint8_t { Nothing, Full, NotWalked, NotKept };
    MissingReason missing_reason(const stack_key &key);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace uscope::stacks
