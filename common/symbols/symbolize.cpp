// Finds the function, file and source of addresses in a process, and remembers the mappings of
// processes over time.
#include "symbols/symbolize.h"

#include <algorithm>

#include <fcntl.h>

#include "base/clock.h"
#include "base/format.h"
#include "elf/demangle.h"
#include "elf/symbols.h"
#include "proc/process.h"
#include "symbols/start.h"
#include "symbols/user_symbols.h"

namespace uscope::symbols {
namespace {

constexpr size_t most_processes = 4096;
constexpr size_t most_held_files = 256;

// Symbols of the vdso, the kernel's code in every process. All 64-bit processes have the same one
// as this process.
std::optional<elf::SymbolIndex> vdso_symbols()
{
    for (const proc::Mapping &m : proc::read_maps(getpid()).value_or(std::vector<proc::Mapping>()))
        if (m.path == "[vdso]")
            if (auto image = elf::Image::parse(
                    Bytes(reinterpret_cast<const void *>(m.start), m.end - m.start), m.path))
                return elf::SymbolIndex(std::move(*image), m.path, {.debug_files = false});
    return std::nullopt;
}

}  // namespace

const Range *Process::find(uint64_t address, uint64_t ts_ns) const
{
    const Past *first = nullptr, *last = nullptr;
    for (const Past &there : past) {
        if (!ts_ns || address < there.range.start || address >= there.range.end)
            continue;
        if (!first || there.since_ns < first->since_ns)
            first = &there;
        if (there.since_ns <= ts_ns && (!last || there.since_ns >= last->since_ns))
            last = &there;
    }
    if (!first)
        return find(address);
    if (ts_ns < past_from_ns)
        return nullptr;
    return last ? &last->range : &first->range;
}

void Process::note(const Range &range, uint64_t since_ns, bool is_exact)
{
    if (is_exact)
        std::erase_if(past, [&](const Past &there) {
            return !there.is_exact && there.since_ns <= since_ns && there.range.overlaps(range);
        });
    auto was = [&](uint64_t address, uint64_t ts_ns) -> const Range * {
        bool is_known = std::any_of(past.begin(), past.end(), [&](const Past &there) {
            return there.range.start <= address && address < there.range.end;
        });
        return is_known ? find(address, ts_ns) : nullptr;
    };
    auto old = std::partition_point(ranges.begin(), ranges.end(),
                                    [&](const Range &r) { return r.end <= range.start; });
    for (; old != ranges.end() && old->start < range.end; ++old)
        if (old->is_other(range) && !was(old->start, since_ns))
            past.push_back({*old, 0});
    bool is_noted = std::any_of(past.begin(), past.end(),
                                [&](const Past &there) { return there.range.overlaps(range); });
    const Range *before = was(range.start, since_ns);
    // The kernel's reports may arrive out of order.
    if (is_noted && (is_exact || !before || before->is_other(range)))
        past.push_back({range, since_ns, is_exact});
    forget_old_past();
}

void Process::forget_old_past()
{
    constexpr size_t most_past = 1024;
    if (past.size() <= most_past)
        return;
    past.erase(past.begin(), past.begin() + most_past / 2);
    past_from_ns = std::max(past_from_ns, past.front().since_ns);
}

void Process::note_gone(const std::vector<Range> &now)
{
    auto is_among = [](const Range &range, const auto &others, auto range_of) {
        return std::any_of(others.begin(), others.end(),
                           [&](const auto &other) { return range_of(other).overlaps(range); });
    };
    for (const Range &old : ranges) {
        if (old.file && !is_among(old, now, std::identity()) &&
            !is_among(old, past, [](const Past &there) { return there.range; }))
            past.push_back({old, 0});
    }
    forget_old_past();
}

bool Process::replace(const Range &range)
{
    bool was_other = false;
    std::vector<Range> kept;
    for (const Range &old : ranges) {
        was_other |= old.overlaps(range) && old.is_other(range);
        if (old.start < range.start)
            kept.push_back({old.start, std::min(old.end, range.start), old.offset, old.file});
        if (old.end > range.end) {
            uint64_t start = std::max(old.start, range.end);
            kept.push_back({start, old.end, old.offset + (start - old.start), old.file});
        }
    }
    auto next =
        std::find_if(kept.begin(), kept.end(), [&](auto &r) { return r.start > range.start; });
    kept.insert(next, range);
    ranges = std::move(kept);
    return was_other;
}

// The entry of a process, which is created empty if there is none.
Process &UserSymbols::State::process(pid_t tgid)
{
    auto found = processes.find(tgid);
    if (found == processes.end()) {
        if (processes.size() >= most_processes)
            processes.erase(std::min_element(
                processes.begin(), processes.end(),
                [](auto &a, auto &b) { return a.second.last_used < b.second.last_used; }));
        found = processes.try_emplace(tgid).first;
        std::string own = fmt::format("{}/tmp/perf-{}.map", proc::root_of(tgid, proc),
                                      proc::namespace_pid(tgid, proc));
        std::string outer = fmt::format("/tmp/perf-{}.map", tgid);
        if (own != outer)
            found->second.jit_names.push_back({std::move(own)});
        found->second.jit_names.push_back({std::move(outer)});
    }
    found->second.last_used = ++uses;
    return found->second;
}

void UserSymbols::State::read(pid_t tgid, Process &process)
{
    process.next_read = Clock::now() + reread_pause;
    uint64_t before_ns = monotonic_ns();
    auto mappings = proc::read_maps(tgid, proc);
    if (!mappings || mappings->empty())  // the process has exited: keep what is known
        return;
    std::vector<Range> ranges;
    for (const proc::Mapping &m : *mappings)
        if (m.executable) {
            ranges.push_back({m.start, m.end, m.offset, file_of(tgid, m)});
            process.note(ranges.back(), before_ns, false);
            add_dump(tgid, process, m);
        }
    process.note_gone(ranges);
    process.ranges = std::move(ranges);
    process.forget_gone();
}

// A process maps its jitdump executable only so that profilers find it.
void UserSymbols::State::add_dump(pid_t tgid, Process &process, const proc::Mapping &mapping)
{
    constexpr size_t most_dumps = 16;
    std::string_view name = std::string_view(mapping.path).substr(mapping.path.rfind('/') + 1);
    if (!name.starts_with("jit-") || !name.ends_with(".dump"))
        return;
    std::string path = proc::root_of(tgid, proc) + mapping.path;
    bool is_known = std::any_of(process.jit_names.begin(), process.jit_names.end(),
                                [&](const auto &known) { return known.path == path; });
    if (!is_known && process.jit_names.size() < most_dumps)
        process.jit_names.push_back({std::move(path)});
}

File *UserSymbols::State::file_of(pid_t tgid, const proc::Mapping &mapping)
{
    if (mapping.path == vdso.path)
        return &vdso;
    if (mapping.path == vsyscall.path)
        return &vsyscall;
    if (mapping.path == uprobes.path)
        return &uprobes;
    if (!mapping.is_file())
        return nullptr;
    if (files.size() >= most_files)
        drop_unmapped();
    auto [entry, is_new] =
        files.try_emplace(mapping.file, File{mapping.file, 0, mapping.path, "", ""});
    File &file = entry->second;
    if (is_new) {
        file.number = ++last_file;
        file.may_interpret = lang::may_interpret(file.name());
    }
    if (file.open_path.empty() && !file.is_loaded)
        reach(tgid, mapping, file);
    return &file;
}

// Drops the files of programs that came and went, such as a compiler's tests, except those of the
// last processes. Interpreters stay, because callers of interpreter() keep pointers to them.
void UserSymbols::State::drop_unmapped()
{
    std::unordered_set<const File *> mapped;
    for (const auto &[tgid, process] : processes) {
        for (const Range &range : process.ranges)
            mapped.insert(range.file);
        for (const Process::Past &there : process.past)
            mapped.insert(there.range.file);
        mapped.insert({process.jvm.file, process.v8.file});
    }
    std::erase_if(files, [&](const auto &entry) {
        const File &file = entry.second;
        bool is_dropped = !file.interpreter && !mapped.count(&file);
        held_files -= is_dropped && file.held;
        return is_dropped;
    });
    most_files = std::max(most_files, 2 * files.size());
}

// Finds a path for opening the file later. Opens it now if the path would vanish with the process.
void UserSymbols::State::reach(pid_t tgid, const proc::Mapping &mapping, File &file)
{
    auto path = proc::open_path(tgid, mapping, proc);
    if (!path)
        return;
    file.open_path = *path;
    file.root = proc::root_of(tgid, proc);
    if (*path == mapping.path || held_files >= most_held_files)
        return;
    file.held = Fd(open(path->c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.held) {
        held_files++;
        file.open_path = fmt::format("/proc/self/fd/{}", file.held.get());
    }
}

// Another file may have this path by now. Then the path is cleared, and the next process that maps
// our file provides another.
bool UserSymbols::State::is_reachable(File &file) const
{
    if (!file.open_path.empty() && !proc::is_same_file(file.open_path, file.id))
        file.open_path.clear();
    return !file.open_path.empty();
}

const elf::SymbolIndex *UserSymbols::State::symbols(File &file)
{
    if (!file.is_loaded && &file == &vdso) {
        file.symbols = vdso_symbols();
        file.is_loaded = true;
    } else if (!file.is_loaded && is_reachable(file)) {
        if (auto index = elf::SymbolIndex::open(file.open_path, file.path, {.root = file.root}))
            file.symbols = std::move(*index);
        if (wants_lines && file.symbols)
            if (auto lines =
                    dwarf::Lines::open(file.symbols->image(), file.path, {.root = file.root}))
                file.lines = std::move(*lines);
        file.is_loaded = true;
        if (file.held) {
            file.held = Fd();
            held_files--;
        }
    }
    return file.symbols ? &*file.symbols : nullptr;
}

const elf::Frames *UserSymbols::State::frames(File &file)
{
    if (!file.is_opened) {
        if (&file == &vdso)
            symbols(file);
        else if (!file.is_loaded && is_reachable(file))
            if (auto image = elf::Image::open(file.open_path))
                file.image = std::move(*image);
        const elf::Image *image = file.any_image();
        if (image && unwind::unwind_machine(image->machine()) == &unwind::own_machine())
            file.frames = elf::Frames::of(*image);
        if (file.frames && image->is_go())
            file.go = image->go_functions();
        file.is_opened = image || file.is_loaded;
    }
    return file.frames ? &*file.frames : nullptr;
}

const lang::Interpreter *UserSymbols::State::interpreter(File &file)
{
    std::string unknown;
    if (file.may_interpret && frames(file))
        file.interpreter =
            lang::find_interpreter(*file.any_image(), *file.frames, file.name(), &unknown);
    if (!unknown.empty())
        unknown_interpreters.push_back({file.path, std::move(unknown)});
    if (file.frames)
        file.may_interpret = false;
    return file.interpreter ? &*file.interpreter : nullptr;
}

void UserSymbols::State::find_source(File &file, uint64_t vaddr, Frame &frame)
{
    constexpr size_t most_sources = 65536;
    auto found = file.sources.find(vaddr);
    if (found == file.sources.end()) {
        if (file.sources.size() >= most_sources)
            file.sources.clear();
        found = file.sources.emplace(vaddr, file.lines->at(vaddr)).first;
    }
    for (const dwarf::SourceFrame &source : found->second) {
        frame.source = source.line ? fmt::format("{}:{}", source.file, source.line) : "";
        if (!source.function.empty())
            frame.inlined.push_back({source.function, std::exchange(frame.source, "")});
    }
}

UserSymbols::UserSymbols(std::string proc) : state_(new State{std::move(proc)}) {}
UserSymbols::UserSymbols(UserSymbols &&) noexcept = default;
UserSymbols::~UserSymbols() = default;

void UserSymbols::read_lines()
{
    state_->wants_lines = true;
}

const Range *UserSymbols::State::range_at(pid_t tgid, Process &process, uint64_t address,
                                          uint64_t ts_ns)
{
    const Range *range = process.find(address, ts_ns);
    if (!range && Clock::now() >= process.next_read) {
        read(tgid, process);
        range = process.find(address, ts_ns);
        if (range)
            process.next_read = {};
    }
    return range;
}

std::optional<unwind::CodeLocation> UserSymbols::code(pid_t tgid, uint64_t address)
{
    Process &process = state_->process(tgid);
    const Range *range = state_->range_at(tgid, process, address, state_->event_ns);
    if (!range)
        return std::nullopt;
    const lang::V8Code *v8 = state_->v8(tgid, process);
    unwind::CodeLocation location;
    location.is_return_probe = range->file == &state_->uprobes;
    const elf::Frames *frames = range->file ? state_->frames(*range->file) : nullptr;
    if (!range->file) {
        state_->read_jit_code(tgid, address, location);
        state_->find_blob(tgid, process, address, location);
        if (v8)
            location.v8 = v8->packed_offsets();
    }
    if (!frames) {
        state_->find_loop(process, *range, location);
        return location;
    }
    location.image = range->file->any_image();
    if (v8 && range->file == process.v8.file)
        location.v8 = v8->packed_offsets();
    if (auto vaddr = location.image->vaddr(address - range->start + range->offset)) {
        location.frames = frames;
        location.go = range->file->go;
        location.vaddr = *vaddr;
    }
    return location;
}

// Returns null if the process has no interpreter.
const Range *UserSymbols::State::interpreter_range(const Process &process)
{
    for (const Range &range : process.ranges)
        if (range.file && interpreter(*range.file) && range.file->any_image()->vaddr(range.offset))
            return &range;
    return nullptr;
}

// The file with the loop in whose frame this code runs; null: not such code.
File *UserSymbols::State::loop_of(const Process &process, const Range &code)
{
    bool may_be_jit = code.file && code.file->is_shared_memory();
    const Range *range = may_be_jit ? interpreter_range(process) : nullptr;
    return range && range->file->interpreter->compiles_into_loop ? range->file : nullptr;
}

void UserSymbols::State::find_loop(const Process &process, const Range &code,
                                   unwind::CodeLocation &location)
{
    File *file = loop_of(process, code);
    if (!file)
        return;
    const unwind_interpreter &loop = file->interpreter->frames;
    location.loop_frames = &*file->frames;
    // in the middle of the loop, where its frame is complete
    location.loop_vaddr = loop.loop_at + loop.loop_bytes / 2;
}

std::optional<UserSymbols::FoundInterpreter> UserSymbols::interpreter(pid_t tgid)
{
    const Range *range = state_->interpreter_range(state_->process(tgid));
    if (!range)
        return std::nullopt;
    return FoundInterpreter{state_->interpreter(*range->file),
                            range->start - *range->file->any_image()->vaddr(range->offset)};
}

bool UserSymbols::may_interpret(pid_t tgid) const
{
    auto found = state_->processes.find(tgid);
    return found != state_->processes.end() &&
           std::any_of(
               found->second.ranges.begin(), found->second.ranges.end(), [](const Range &range) {
                   return range.file && (range.file->may_interpret || range.file->interpreter);
               });
}

std::vector<pid_t> UserSymbols::interpreted() const
{
    std::vector<pid_t> found;
    for (const auto &[pid, process] : state_->processes)
        if (may_interpret(pid))
            found.push_back(pid);
    return found;
}

uint64_t UserSymbols::layout(pid_t tgid)
{
    constexpr uint64_t prime = 0x100000001b3;
    Process &process = state_->process(tgid);
    if (!proc::exists(tgid, state_->proc))
        return 0;
    state_->read(tgid, process);
    uint64_t hash = 0xcbf29ce484222325;
    for (const Range &range : process.ranges) {
        if (!range.file)  // JIT code comes and goes
            continue;
        for (uint64_t word : {range.start, range.end, range.offset, range.file->number})
            hash = (hash ^ word) * prime;
    }
    return process.ranges.empty() ? 0 : hash;
}

std::vector<UserSymbols::UnknownInterpreter> UserSymbols::take_unknown_interpreters()
{
    return std::exchange(state_->unknown_interpreters, {});
}

std::vector<UserSymbols::Change> UserSymbols::take_changes()
{
    return std::exchange(state_->changes, {});
}

Frame UserSymbols::find(pid_t tgid, uint64_t address, Code code, uint64_t ts_ns)
{
    Process &process = state_->process(tgid);
    const Range *range = state_->range_at(tgid, process, address, ts_ns);
    Frame frame = {.function = "[unknown]"};
    if (!range)
        return frame;
    if (!range->file) {
        // Ask the JVM first: a perf map may be outdated.
        JitMethods methods;
        if (state_->jvm(tgid, process))
            methods = state_->jit_methods(process, state_->memory_of(tgid), address,
                                          code == Code::Return);
        if (methods)
            return frame_of({0, methods});
        state_->find_jit(process, address, frame);
        return frame;
    }
    frame.module = range->file->name();
    const elf::SymbolIndex *symbols = state_->symbols(*range->file);
    if (!symbols) {  // a memfd or a device with JIT code, or a deleted file
        frame.is_loop = frame.has_stale_line = state_->loop_of(process, *range);
        state_->find_jit(process, address, frame);
        return frame;
    }
    auto vaddr = symbols->image().vaddr(address - range->start + range->offset);
    frame.vaddr = vaddr.value_or(0);
    if (vaddr && range->file->interpreter) {
        frame.is_loop = range->file->interpreter->is_loop(*vaddr - 1);
        if (frame.is_loop)
            frame.reenters_by = range->file->interpreter->reenters_by;
    }
    uint64_t before = code == Code::Return ? 1 : 0;
    if (auto symbol = vaddr ? symbols->find(*vaddr - before) : std::nullopt) {
        std::string demangled = elf::demangle(symbol->name);
        frame.function = demangled;
        frame.offset = *vaddr - symbol->vaddr;
        frame.known = true;
        frame.is_start = is_start(symbol->name);
        if (range->file->lines)
            state_->find_source(*range->file, *vaddr - before, frame);
    } else if (vaddr) {
        frame.is_start = is_start(symbols->image(), *vaddr);
    }
    return frame;
}

void UserSymbols::remember(pid_t tgid)
{
    Process &process = state_->process(tgid);
    if (process.ranges.empty())
        state_->read(tgid, process);
}

void UserSymbols::add_mapping(pid_t tgid, const proc::Mapping &mapping, uint64_t ts_ns)
{
    if (!mapping.executable)
        return;
    File *file = state_->file_of(tgid, mapping);
    Process &process = state_->process(tgid);
    state_->add_dump(tgid, process, mapping);
    Range range = {mapping.start, mapping.end, mapping.offset, file};
    process.note(range, ts_ns, true);
    bool was_other = process.replace(range);
    constexpr size_t most_changes = 65536;  // in case nobody takes them
    if (state_->changes.size() < most_changes && (file || was_other))
        state_->changes.push_back({tgid, was_other});
}

void UserSymbols::add_fork(pid_t child, pid_t parent)
{
    auto found = state_->processes.find(parent);
    if (found == state_->processes.end())
        return;
    Process copy = {.ranges = found->second.ranges,
                    .past = found->second.past,
                    .past_from_ns = found->second.past_from_ns};
    Process &process = state_->process(child);
    process.ranges = std::move(copy.ranges);
    process.past = std::move(copy.past);
    process.past_from_ns = copy.past_from_ns;
}

void UserSymbols::forget_past()
{
    for (auto &[tgid, process] : state_->processes)
        process.past.clear();
}

void UserSymbols::forget(pid_t tgid)
{
    state_->processes.erase(tgid);
}

bool UserSymbols::rename(pid_t tgid, pid_t as)
{
    auto process = state_->processes.extract(tgid);
    if (process.empty())
        return false;
    process.key() = as;
    state_->processes.insert(std::move(process));
    return true;
}

bool UserSymbols::knows(pid_t tgid) const
{
    return state_->processes.count(tgid) != 0;
}

size_t UserSymbols::file_count() const
{
    return state_->files.size();
}

bool UserSymbols::is_mapped(pid_t tgid, uint64_t address) const
{
    auto process = state_->processes.find(tgid);
    return process != state_->processes.end() && process->second.find(address);
}

std::string describe(const Frame &frame, bool offset)
{
    std::string text = frame.function;
    if (offset && frame.known && !frame.is_interpreted)
        text += fmt::format("+{:#x}", frame.offset);
    text = with_source(std::move(text), frame.source);
    if (frame.module.starts_with('['))
        text += " " + frame.module;
    else if (!frame.module.empty())
        text += fmt::format(" [{}]", frame.module);
    return text;
}

std::string with_source(std::string function, const std::string &source)
{
    return source.empty() ? function : fmt::format("{} ({})", function, source);
}

std::string describe(const Frame::Inlined &inlined)
{
    return with_source(inlined.function, inlined.source) + " (inlined)";
}

}  // namespace uscope::symbols
