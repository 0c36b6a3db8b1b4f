// Addresses of a running (or just ended) process -> "function+0x1a [file]", demangled.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "stack/user_stack.h"

namespace uscope::lang {
struct Interpreter;
}
namespace uscope::proc {
struct Mapping;
}

namespace uscope::stack {

struct CodePlace;

// The function of a frame whose code was gone when its name was looked for.
inline constexpr char too_late[] = "[too late to read its name]";

struct Frame {
    std::string function;  // demangled; "[unknown]" when there is no symbol
    uint64_t offset = 0;   // from the function's start
    // The file's name without its folder; "" for JIT code; "[kernel]", "[vdso]", a kernel module as
    // "[name]".
    std::string module = {};
    bool known = false;
    bool is_start = false;  // nothing calls it: see stack/start.h
    bool is_loop = false;   // of an interpreter: it executes interpreted frames
    bool has_old_place =
        false;  // of a loop: its newest frame may have gone on since its place was written
    bool is_interpreted = false;
    std::string_view reenters_by = {};  // of a loop: see lang::Interpreter
    uint64_t vaddr = 0;                 // in the file, as addr2line wants it; 0: not known
    // With read_lines(): "server.c:4012" of the function, or of its call of what was inlined there;
    // "" when not known.
    std::string source = {};
    struct Inlined {
        std::string function, source;
    };
    std::vector<Inlined> inlined = {};  // into the function at this address; the innermost first
};

// Symbols of user space. Files are read once (by device and inode), when first needed, and kept.
// For a process it remembers the maps, reads them again when an address is in none of them, and
// keeps them when the process has ended; of many processes the ones longest unused are dropped, and
// of many files those that none of the others has mapped.
// Code with no file is looked up in the process's /tmp/perf-PID.map (by its own root and its own
// pid namespace's id; then in our /tmp, by the id that we know it by, where agents outside of its container
// write it), read on when it has grown.
class UserSymbols {
  public:
    // What an address in a stack is. One that a call returns to belongs to the call before it: that
    // may be a function's last instruction (abort(), throw), with another function behind it.
    enum class Code : uint8_t { Instruction, Return };
    explicit UserSymbols(std::string proc = "/proc");
    // From now on also tells where in the source an address is, and what was inlined there, of files
    // with debug information.
    void read_lines();
    UserSymbols(UserSymbols &&) noexcept;
    ~UserSymbols();

    // `ts_ns`: in what was mapped at this time (CLOCK_MONOTONIC), if that was told; 0: now.
    Frame find(pid_t tgid, uint64_t address, Code code = Code::Instruction, uint64_t ts_ns = 0);
    // What is at an address, for unwinding; nothing when there is no code, as far as is known.
    std::optional<CodePlace> code(pid_t tgid, uint64_t address);
    // What a process has there now, up to what cannot be read.
    std::string read_code(pid_t tgid, uint64_t from, uint64_t bytes);
    // What happened at this time (CLOCK_MONOTONIC) is looked at next; 0: what is now. Memory of processes is read anew if
    // what is known of it is older.
    void look_at_event(uint64_t ts_ns);
    // Reads what the process, if it has a JVM, executes in a stack: now, as that may be gone soon.
    void name_made(pid_t tgid, UserStack &stack);
    // A frame of which that was read.
    Frame made(const UserStack::Made &made) const;
    // The interpreter that a process has mapped, as far as is remembered, and what its file's addresses
    // are moved by.
    struct FoundInterpreter {
        const lang::Interpreter *interpreter;
        uint64_t bias;
    };
    std::optional<FoundInterpreter> interpreter(pid_t tgid);
    // The interpreters that were found since the last time and whose functions cannot be read.
    struct UnknownInterpreter {
        std::string path, version;  // "Python 3.16"
    };
    std::vector<UnknownInterpreter> take_unknown_interpreters();
    // By the names of its files. And the processes of which that is so.
    bool may_interpret(pid_t tgid) const;
    std::vector<pid_t> interpreted() const;
    // Reads a process's maps anew, while it still lives; then a number that is the same for those
    // processes that have the same files at the same addresses. 0: it has ended.
    uint64_t layout(pid_t tgid);
    // The mappings that were added since the last time.
    struct Change {
        pid_t tgid;
        bool was_other;  // in place of another file's
    };
    std::vector<Change> take_changes();
    // Reads a process's maps now, while it still lives: call it at the first sight of a process.
    void remember(pid_t tgid);
    // A mapping learned elsewhere (a PERF_RECORD_MMAP2 of a process too short-lived to read). When it was made is needed where
    // it takes another file's place: 0: always.
    void add_mapping(pid_t tgid, const proc::Mapping &mapping, uint64_t ts_ns = 0);
    // Mappings were made that nobody told of: what is there now is the best guess of what was.
    void forget_past();
    // A child begins with what its parent has mapped; matters for one that ends before it is looked
    // at.
    void add_fork(pid_t child, pid_t parent);
    void forget(pid_t tgid);  // its id may be used again (exec, exit)
    // What is remembered of `tgid`, if anything is, is found as `as` from now on.
    bool rename(pid_t tgid, pid_t as);
    bool knows(pid_t tgid) const;  // is anything remembered of it?
    size_t file_count() const;     // files that are remembered
    // Is there code at `address`, as far as is remembered?
    bool is_mapped(pid_t tgid, uint64_t address) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// Symbols of the kernel from /proc/kallsyms, read at first use. Addresses hidden by kptr_restrict
// are unknown, and the frames say so.
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

// "function+0x1a (file.c:12) [module]" (`offset` false: without +0x…); "[unknown] [module]", "[unknown]".
std::string describe(const Frame &frame, bool offset = true);
// The function's name with its source, as in describe(): "function (file.c:12)".
std::string with_source(std::string function, const std::string &source);
// "function (file.c:12) (inlined)"
std::string describe(const Frame::Inlined &inlined);

}  // namespace uscope::stack
