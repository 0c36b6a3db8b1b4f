// The state of UserSymbols. process_mappings.cpp has the functions for mappings, mapped_files.cpp
// those for files, jit_code.cpp those for JIT code, and symbolize.cpp the others.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "base/fd.h"
#include "dwarf/lines.h"
#include "elf/frames.h"
#include "elf/symbol_index.h"
#include "lang/interpreter.h"
#include "lang/java/hotspot_code.h"
#include "lang/memory.h"
#include "lang/node/v8_code.h"
#include "lang/unsupported.h"
#include "proc/maps.h"
#include "symbols/perf_map.h"
#include "symbols/symbolize.h"
#include "unwind/unwinding.h"

namespace uscope::symbols {

using Clock = std::chrono::steady_clock;

// Wrongly walked stacks have addresses that no mapping contains; without this pause, each would
// cause the maps to be read again.
constexpr auto reread_pause = std::chrono::milliseconds(50);

// The lines of a file's source, after read_lines(), and those that were looked up, by address.
struct SourceLines {
    std::optional<dwarf::Lines> lines;
    std::unordered_map<uint64_t, std::vector<dwarf::SourceFrame>> found;
};

// A mapped file, or a mapping that the kernel provides (see State::vdso).
struct File {
    proc::FileId id;
    uint64_t number;        // never reused for another file
    std::string path;       // as the process sees it
    std::string open_path;  // "" if it cannot be opened
    std::string root;       // where to look for its debug file
    Fd held = {};           // keeps the file open if open_path would vanish with the process
    bool is_loaded = false;
    std::optional<elf::SymbolIndex> symbols = {};
    SourceLines source = {};
    std::optional<elf::Image> image = {};  // if it was needed before the symbols
    std::optional<elf::Frames> frames = {};
    const elf::PclnTable *go = nullptr;  // points into the image
    bool is_opened = false;
    std::optional<lang::Interpreter> interpreter = {};
    bool may_interpret = false;  // by its name; false once the interpreter was searched for
    const lang::Unsupported *runtime = nullptr;  // by its name
    // The variables of a JVM or of V8 that describe its code, and their addresses in the file.
    std::optional<std::map<std::string, uint64_t, std::less<>>> variables = {};
    std::vector<std::shared_ptr<const output::CodeSegment>> segments = {};  // with unnamed code

    const elf::Image *any_image() const
    {
        return image ? &*image : symbols ? &symbols->image() : nullptr;
    }
    std::string_view name() const { return std::string_view(path).substr(path.rfind('/') + 1); }
    // Shared between a process and its children, without a name of its own.
    bool is_shared_memory() const { return path == "/dev/zero"; }
    bool is_libc() const;  // or its dynamic linker
    // The segment of an address of the file, which has symbols.
    std::shared_ptr<const output::CodeSegment> segment_of(uint64_t vaddr);
    bool is_jvm() const { return name() == "libjvm.so"; }
    bool may_be_v8() const { return name().find("node") != std::string_view::npos; }
};

using JitMethods = std::shared_ptr<const std::vector<lang::HotspotCode::Method>>;

// JIT code of a JVM: its methods, and what distinguishes it from code that is at the same address
// later.
struct JitCode {
    uint64_t blob, method;
    uint32_t compile_id;
    JitMethods methods;
};

struct Range {
    uint64_t start, end, offset;
    File *file;  // null: memory without a file

    bool overlaps(const Range &other) const { return start < other.end && other.start < end; }
    bool is_other(const Range &code) const
    {
        return file != code.file || offset - start != code.offset - code.start;
    }
};

// A runtime that makes JIT code, in one process.
template <class Code>
struct JitRuntime {
    std::optional<Code> code = {};
    // The mapping of the runtime's file in which we searched last. `file` is null if the process
    // has none.
    const File *file = nullptr;
    uint64_t start = 0;
    Clock::time_point next = {};  // when to look again
    Clock::duration pause = reread_pause;

    bool is_due() const { return !code && Clock::now() >= next; }
    // Retries at a constant pace while no runtime is mapped, and less and less often while a mapped
    // one is not usable: it has not started yet, or its version is unknown.
    void put_off()
    {
        constexpr Clock::duration longest = std::chrono::seconds(2);
        next = Clock::now() + pause;
        if (file)
            pause = std::min(pause + pause / 8, longest);
    }
    void look_at(const Range &range)
    {
        file = range.file;
        start = range.start;
    }
    bool is_gone(const std::vector<Range> &ranges) const
    {
        return file && std::none_of(ranges.begin(), ranges.end(), [this](const Range &range) {
                   return range.file == file && range.start == start;
               });
    }
};

struct Process {
    std::vector<Range> ranges = {};  // executable ones, sorted by address, not overlapping
    // For addresses at which one file's code has replaced another's: each range that was there,
    // including the current one, and since when it was (0: always). Ranges from before
    // `past_from_ns` are forgotten.
    struct Past {
        Range range;
        uint64_t since_ns;
        // True: the kernel reported the time. False: a read of the maps that began at this time
        // found the range, and a report of the kernel with a later time replaces it.
        bool is_exact = true;
    };
    std::vector<Past> past = {};
    uint64_t past_from_ns = 0;
    // The files that name its JIT code: the perf map in its own /tmp, the one in our /tmp under the
    // id that we know (another program may have written it), and its jitdumps.
    struct JitNames {
        std::string path;
        PerfMap map = {};
        Clock::time_point next_read = {};
    };
    std::vector<JitNames> jit_names = {};
    JitRuntime<lang::HotspotCode> jvm = {};
    std::map<std::pair<uint64_t, bool>, JitCode> jit_code = {};  // by address and `is_return`
    JitRuntime<lang::V8Code> v8 = {};
    uint64_t last_used = 0;
    Clock::time_point next_read = {};

    const Range *find(uint64_t address) const
    {
        auto next = std::upper_bound(
            ranges.begin(), ranges.end(), address,
            [](uint64_t wanted, const Range &range) { return wanted < range.start; });
        return next != ranges.begin() && address < (next - 1)->end ? &*(next - 1) : nullptr;
    }

    // Forgets runtimes whose mappings are gone, as after an exec.
    void forget_gone()
    {
        if (v8.is_gone(ranges))
            v8 = {};
        if (!jvm.is_gone(ranges))
            return;
        jvm = {};
        jit_code.clear();
    }

    // The range at an address at a time (0: now); null if there was none or it is forgotten.
    const Range *find(uint64_t address, uint64_t ts_ns) const;
    // If the range replaces another file's, remembers both with their times.
    void note(const Range &range, uint64_t since_ns, bool is_exact);
    // Remembers ranges that are missing from `now`.
    void note_gone(const std::vector<Range> &now);
    void forget_old_past();

    // Inserts a range and cuts or drops those that it overlaps; returns whether one of them was
    // another file's.
    bool replace(const Range &range);
};

struct UserSymbols::State {
    std::string proc;
    std::map<proc::FileId, File> files = {};
    size_t max_files = 1024;  // when reached, files that no process has mapped are dropped
    uint64_t last_file = 3;   // the last File::number given
    File vdso = {{}, 1, "[vdso]", "", ""}, vsyscall = {{}, 2, "[vsyscall]", "", ""},
         uprobes = {{}, 3, "[uprobes]", "", ""};
    std::unordered_map<pid_t, Process> processes = {};
    uint64_t uses = 0;  // how often processes were used, for Process::last_used
    size_t held_files = 0;
    bool wants_lines = false;
    std::vector<Change> changes = {};
    Report report = {};
    std::unordered_set<std::string> reported = {};  // runtimes
    // The memory of the process that was read last.
    std::optional<lang::Memory> memory = {};
    pid_t memory_tgid = 0;
    uint64_t memory_begun_ns = 0;  // when it was opened, as monotonic_ns()
    uint64_t event_ns = 0;         // of the event whose addresses are looked up; 0: now

    Process &process(pid_t tgid);
    void read(pid_t tgid, Process &process);
    File *file_of(pid_t tgid, const proc::Mapping &mapping);
    void add_dump(pid_t tgid, Process &process, const proc::Mapping &mapping);
    void drop_unmapped();
    void reach(pid_t tgid, const proc::Mapping &mapping, File &file);
    void read_jit_code(pid_t tgid, uint64_t address, unwind::CodeLocation &location);
    const lang::Memory *memory_of(pid_t tgid);
    const lang::HotspotCode *jvm(pid_t tgid, Process &process);
    std::optional<lang::HotspotCode> open_jvm(pid_t tgid, const Range &range);
    std::optional<lang::Memory> variables_of(pid_t tgid, const Range &range,
                                             std::initializer_list<std::string_view> parts);
    const lang::V8Code *v8(pid_t tgid, Process &process);
    void name_functions(pid_t tgid, Process &process, unwind::UserStack &stack);
    void find_blob(pid_t tgid, Process &process, uint64_t address, unwind::CodeLocation &location);
    JitMethods jit_methods(Process &process, const lang::Memory *memory, uint64_t pc,
                           bool is_return);
    bool is_reachable(File &file) const;
    // Fills in where code without a symbol is. `after_call`: the address of the frame.
    void place_unnamed(File &file, uint64_t after_call, Frame &frame);
    const elf::SymbolIndex *symbols(File &file);
    const elf::Frames *frames(File &file);
    const lang::Interpreter *interpreter(File &file);
    const Range *interpreter_range(const Process &process);
    File *loop_of(const Process &process, const Range &code);
    void find_loop(const Process &process, const Range &code, unwind::CodeLocation &location);
    const Range *range_at(pid_t tgid, Process &process, uint64_t address, uint64_t ts_ns);
    void find_jit(Process &process, uint64_t address, Frame &frame);
    bool find_jit_name(Process &process, uint64_t address, Frame &frame);
    void note(const std::string &runtime, const std::string &text);
    void note_missing_frames(const File &file);
    void find_source(File &file, uint64_t vaddr, Frame &frame);
};

}  // namespace uscope::symbols
