#include "stack/symbolize.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <unordered_map>

#include <fcntl.h>

#include "base/fd.h"
#include "elf/demangle.h"
#include "elf/symbol_index.h"
#include "proc/process.h"
#include "stack/perf_map.h"
#include "stack/start.h"

namespace uscope::stack {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t most_processes = 4096;
constexpr size_t most_held_files = 256;
// Stacks that were walked wrongly have addresses that no mapping holds: they must not make us read
// the maps each time.
constexpr auto reread_pause = std::chrono::milliseconds(50);

// A mapped file, or the vdso.
struct File {
    proc::FileId id;
    std::string path;       // as the process sees it
    std::string open_path;  // "" when it cannot be reached
    std::string root;       // where its debug file is looked up
    Fd held = {};           // when open_path ends with the process
    bool is_loaded = false;
    std::optional<elf::SymbolIndex> symbols = {};

    std::string_view name() const { return std::string_view(path).substr(path.rfind('/') + 1); }
};

struct Range {
    uint64_t start, end, offset;
    File *file;  // null: memory without a file
};

struct Process {
    std::vector<Range> ranges = {};  // executable ones by address, not overlapping
    PerfMap perf_map = {};
    std::string perf_map_path = {};
    uint64_t last_used = 0;
    Clock::time_point next_read = {};

    const Range *find(uint64_t address) const
    {
        auto next = std::upper_bound(
            ranges.begin(), ranges.end(), address,
            [](uint64_t wanted, const Range &range) { return wanted < range.start; });
        return next != ranges.begin() && address < (next - 1)->end ? &*(next - 1) : nullptr;
    }

    // Puts a range in place of whatever of the others it covers.
    void replace(const Range &range)
    {
        std::vector<Range> kept;
        for (const Range &old : ranges) {
            if (old.start < range.start)
                kept.push_back({old.start, std::min(old.end, range.start), old.offset, old.file});
            if (old.end > range.end) {
                uint64_t start = std::max(old.start, range.end);
                kept.push_back({start, old.end, old.offset + (start - old.start), old.file});
            }
        }
        auto place =
            std::find_if(kept.begin(), kept.end(), [&](auto &r) { return r.start > range.start; });
        kept.insert(place, range);
        ranges = std::move(kept);
    }
};

// The kernel's code in every process. All 64-bit processes have the one that we have.
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

struct UserSymbols::State {
    std::string proc;
    std::map<proc::FileId, File> files = {};
    File vdso = {{}, "[vdso]", "", ""}, vsyscall = {{}, "[vsyscall]", "", ""};
    std::unordered_map<pid_t, Process> processes = {};
    uint64_t uses = 0;
    size_t held_files = 0;

    Process &process(pid_t tgid);
    void read(pid_t tgid, Process &process);
    File *file_of(pid_t tgid, const proc::Mapping &mapping);
    void reach(pid_t tgid, const proc::Mapping &mapping, File &file);
    const elf::SymbolIndex *symbols(File &file);
    bool find_jit(Process &process, uint64_t address, Frame &frame);
};

// The process with what is remembered of it, which may be nothing yet.
Process &UserSymbols::State::process(pid_t tgid)
{
    auto found = processes.find(tgid);
    if (found == processes.end()) {
        if (processes.size() >= most_processes)
            processes.erase(std::min_element(
                processes.begin(), processes.end(),
                [](auto &a, auto &b) { return a.second.last_used < b.second.last_used; }));
        found = processes.try_emplace(tgid).first;
        found->second.perf_map_path = fmt::format("{}/tmp/perf-{}.map", proc::root_of(tgid, proc),
                                                  proc::namespace_pid(tgid, proc));
    }
    found->second.last_used = ++uses;
    return found->second;
}

void UserSymbols::State::read(pid_t tgid, Process &process)
{
    process.next_read = Clock::now() + reread_pause;
    auto mappings = proc::read_maps(tgid, proc);
    if (!mappings || mappings->empty())  // it has ended: what we know stays
        return;
    process.ranges.clear();
    for (const proc::Mapping &m : *mappings)
        if (m.executable)
            process.ranges.push_back({m.start, m.end, m.offset, file_of(tgid, m)});
}

File *UserSymbols::State::file_of(pid_t tgid, const proc::Mapping &mapping)
{
    if (mapping.path == vdso.path)
        return &vdso;
    if (mapping.path == vsyscall.path)
        return &vsyscall;
    if (!mapping.is_file())
        return nullptr;
    auto [entry, is_new] =
        files.try_emplace(mapping.file, File{mapping.file, mapping.path, "", ""});
    File &file = entry->second;
    if (file.open_path.empty() && !file.is_loaded)
        reach(tgid, mapping, file);
    return &file;
}

// Finds a way to open the file later; one that ends with the process is opened now.
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

const elf::SymbolIndex *UserSymbols::State::symbols(File &file)
{
    if (!file.is_loaded && file.path == vdso.path) {
        file.symbols = vdso_symbols();
        file.is_loaded = true;
    } else if (!file.is_loaded && !file.open_path.empty()) {
        // Another file may stand there by now; then the next process that maps ours shows the way.
        if (!proc::is_same_file(file.open_path, file.id)) {
            file.open_path.clear();
            return nullptr;
        }
        if (auto index = elf::SymbolIndex::open(file.open_path, file.path, {.root = file.root}))
            file.symbols = std::move(*index);
        file.is_loaded = true;
        if (file.held) {
            file.held = Fd();
            held_files--;
        }
    }
    return file.symbols ? &*file.symbols : nullptr;
}

bool UserSymbols::State::find_jit(Process &process, uint64_t address, Frame &frame)
{
    auto symbol = process.perf_map.find(address);
    if (!symbol && process.perf_map.refresh(process.perf_map_path))
        symbol = process.perf_map.find(address);
    if (symbol)
        frame = {.function = std::string(symbol->name),
                 .offset = address - symbol->start,
                 .known = true};
    return symbol.has_value();
}

UserSymbols::UserSymbols(std::string proc) : state_(new State{std::move(proc)}) {}
UserSymbols::UserSymbols(UserSymbols &&) noexcept = default;
UserSymbols::~UserSymbols() = default;

Frame UserSymbols::find(pid_t tgid, uint64_t address, Code code)
{
    Process &process = state_->process(tgid);
    const Range *range = process.find(address);
    if (!range && Clock::now() >= process.next_read) {
        state_->read(tgid, process);
        range = process.find(address);
        if (range)
            process.next_read = {};
    }
    Frame frame = {.function = "[unknown]"};
    if (!range)
        return frame;
    if (!range->file) {
        state_->find_jit(process, address, frame);
        return frame;
    }
    frame.module = range->file->name();
    const elf::SymbolIndex *symbols = state_->symbols(*range->file);
    if (!symbols) {  // a memfd or a device with code made at run time, or a file that is gone
        state_->find_jit(process, address, frame);
        return frame;
    }
    auto vaddr = symbols->image().vaddr(address - range->start + range->offset);
    frame.vaddr = vaddr.value_or(0);
    uint64_t before = code == Code::Return ? 1 : 0;
    if (auto symbol = vaddr ? symbols->find(*vaddr - before) : std::nullopt) {
        std::string demangled = elf::demangle(symbol->name);
        frame.function = demangled;
        frame.offset = *vaddr - symbol->vaddr;
        frame.known = true;
        frame.is_start = is_start(symbol->name);
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

void UserSymbols::add_mapping(pid_t tgid, const proc::Mapping &mapping)
{
    if (mapping.executable)
        state_->process(tgid).replace(
            {mapping.start, mapping.end, mapping.offset, state_->file_of(tgid, mapping)});
}

void UserSymbols::add_fork(pid_t child, pid_t parent)
{
    auto found = state_->processes.find(parent);
    if (found == state_->processes.end())
        return;
    std::vector<Range> ranges = found->second.ranges;
    state_->process(child).ranges = std::move(ranges);
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

bool UserSymbols::is_mapped(pid_t tgid, uint64_t address) const
{
    auto process = state_->processes.find(tgid);
    return process != state_->processes.end() && process->second.find(address);
}

std::string describe(const Frame &frame, bool offset)
{
    std::string text = frame.function;
    if (offset && frame.known)
        text += fmt::format("+{:#x}", frame.offset);
    if (frame.module.starts_with('['))
        text += " " + frame.module;
    else if (!frame.module.empty())
        text += fmt::format(" [{}]", frame.module);
    return text;
}

}  // namespace uscope::stack
