// Addresses of a running (or just ended) process -> "function+0x1a [file]", demangled.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "output/frame.h"
#include "unwind/user_stack.h"

namespace uscope::lang {
struct Interpreter;
}
namespace uscope::proc {
struct Mapping;
}

namespace uscope::unwind {
struct CodeLocation;
}  // namespace uscope::unwind

namespace uscope::symbols {

// Shown as the function of a frame whose code was gone before its name was read.
inline constexpr char too_late[] = "[too late to read its name]";

struct Frame {
    std::string function;  // demangled; "[unknown]" when there is no symbol
    uint64_t offset = 0;   // from the function's start; 0: that is not known
    // The file's name without its directory; "" for JIT code; "[kernel]", "[vdso]"; a kernel module
    // as "[name]".
    std::string module = {};
    bool known = false;
    bool is_start = false;  // it has no caller: see symbols/start.h
    bool is_loop = false;   // an interpreter's loop: it executes interpreted frames
    // The loop's newest frame may have an outdated position in memory.
    bool has_stale_line = false;
    bool is_interpreted = false;
    std::string_view reenters_by = {};  // of a loop: see lang::Interpreter
    // In the file, as addr2line expects it (of a caller, in the call); 0: unknown.
    uint64_t vaddr = 0;
    // With read_lines(): "server.c:4012", the line in the function, or of the function's call if
    // code was inlined at this address; "" if unknown.
    std::string source = {};
    struct Inlined {
        std::string function, source;
    };
    std::vector<Inlined> inlined = {};  // functions inlined at this address; the innermost first
    output::FrameKind kind = output::FrameKind::Native;
    // If the file has no symbol for its code: where that is, and whether `offset` is from the start
    // of a function that a probe finds by its address (elf/unnamed_functions.h).
    std::shared_ptr<const output::CodeSegment> segment = {};
    bool has_start = false;
};

// Symbols of user space. Each file (by device and inode) is read once, when first needed, and kept.
// A process's maps are remembered, read again when an address is in none of them, and kept after
// the process has exited. If there are too many processes, the longest unused ones are dropped; if
// there are too many files, those that no remaining process has mapped. Code without a file is
// looked up in the process's /tmp/perf-PID.map: first below the process's own root, by its id in
// its own pid namespace; then in our /tmp by the id that we know, where agents outside of its
// container write it. Lines appended to that file later are read as well.
class UserSymbols {
  public:
    // What kind of address a frame has. A return address is named by the call before it, because
    // that call may be the last instruction of its function (abort(), throw), followed by another
    // function.
    enum class Code : uint8_t { Instruction, Return };
    explicit UserSymbols(std::string proc = "/proc");
    // From now on, also finds source lines and inlined functions, for files with debug information.
    void read_lines();
    UserSymbols(UserSymbols &&) noexcept;
    ~UserSymbols();

    // `ts_ns`: uses what was mapped at this time (CLOCK_MONOTONIC), if mappings with times were
    // reported; 0: now.
    Frame find(pid_t tgid, uint64_t address, Code code = Code::Instruction, uint64_t ts_ns = 0);
    // The code at an address, for unwinding; nullopt if no code is known there.
    std::optional<unwind::CodeLocation> code(pid_t tgid, uint64_t address);
    // Reads the process's memory now, up to the first unreadable page.
    std::string read_code(pid_t tgid, uint64_t from, uint64_t bytes);
    // The following calls are about an event at this time (CLOCK_MONOTONIC; 0: about now). Cached
    // process memory that is older than the event is read again.
    void look_at_event(uint64_t ts_ns);
    // Reads which methods or functions the JIT code of a JVM or of V8 executes in a stack. Call it
    // soon: the runtime may replace the code.
    void name_jit_code(pid_t tgid, unwind::UserStack &stack);
    // The frame of code that name_jit_code() has named.
    Frame frame_of(const unwind::UserStack::NamedJit &named) const;
    // The interpreter that a process has mapped, as far as is remembered, and the bias between
    // addresses in its file and in the process; nullopt if it has none.
    struct FoundInterpreter {
        const lang::Interpreter *interpreter;
        uint64_t bias;
    };
    std::optional<FoundInterpreter> interpreter(pid_t tgid);
    // From now on, calls `report` with a sentence for each runtime (and version) whose functions
    // have no names in stacks, once.
    using Report = std::function<void(const std::string &text)>;
    void report_unnamed(Report report);
    // Whether this process may have an interpreter, judging by the names of the files that it has
    // mapped; and all remembered processes that may.
    bool may_interpret(pid_t tgid) const;
    std::vector<pid_t> interpreted() const;
    // Reads a process's maps again, while it is alive. Returns a number that is equal for processes
    // that have the same files at the same addresses; 0 if the process has exited.
    uint64_t layout(pid_t tgid);
    // The mappings added since the last call.
    struct Change {
        pid_t tgid;
        bool was_other;  // it replaced a mapping of another file
    };
    std::vector<Change> take_changes();
    // Reads a process's maps now, while it is alive, unless they are known. Call it when a process
    // is first seen.
    void remember(pid_t tgid);
    // Adds a mapping learned elsewhere (a PERF_RECORD_MMAP2 of a process too short-lived to read).
    // `ts_ns`: when it was made, which matters if it replaces another file's mapping; 0: it was
    // always there.
    void add_mapping(pid_t tgid, const proc::Mapping &mapping, uint64_t ts_ns = 0);
    // Reports of mappings were lost: from now on, assume that the current mappings were always
    // there.
    void forget_past();
    // A child starts with its parent's mappings. Needed for children that exit before their maps
    // are read.
    void add_fork(pid_t child, pid_t parent);
    void forget(pid_t tgid);  // its id may be reused (exec, exit)
    // Moves everything that is remembered of `tgid` to the id `as`. Returns false if nothing is
    // remembered.
    bool rename(pid_t tgid, pid_t as);
    bool knows(pid_t tgid) const;  // is anything remembered about it?
    size_t file_count() const;     // number of remembered files
    // Is code known at `address`?
    bool is_mapped(pid_t tgid, uint64_t address) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// Symbols of the kernel from /proc/kallsyms, read when first used. If kptr_restrict hides the
// addresses, frames are unknown and say so.
class KernelSymbols {
  public:
    explicit KernelSymbols(std::string proc = "/proc");
    KernelSymbols(KernelSymbols &&) noexcept;
    ~KernelSymbols();
    Frame find(uint64_t address);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// "function+0x1a (file.c:12) [module]" (`offset` false: without +0x…); without a symbol
// "module:+0x349f+0x1a", as a probe names it: the function that starts at that address in the file;
// "module+0x34b9" (the address in the file) if the unwinding tables do not show a function;
// "[unknown] [module]" or "[unknown]".
std::string describe(const Frame &frame, bool offset = true);
// A function's name with its source, as in describe(): "function (file.c:12)".
std::string with_source(std::string function, const std::string &source);
// "function (file.c:12) (inlined)"
std::string describe(const Frame::Inlined &inlined);

}  // namespace uscope::symbols
