// Opens the files that processes have mapped, and reads their symbols, tables and interpreters.
#include <fcntl.h>

#include "base/format.h"
#include "proc/process.h"
#include "symbols/user_symbols.h"

namespace uscope::symbols {
namespace {

constexpr size_t max_held_files = 256;

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

bool File::is_libc() const
{
    for (std::string_view start : {"libc.so", "libc-2.", "libc.musl", "ld-linux", "ld-2.",
                                   "ld-musl", "libpthread", "libm.so", "libm-2."}) {
        if (name().starts_with(start))
            return true;
    }
    return false;
}

std::shared_ptr<const output::CodeSegment> File::segment_of(uint64_t vaddr)
{
    auto contains = [&](const auto &one) { return vaddr >= one->start && vaddr < one->end; };
    auto known = std::find_if(segments.begin(), segments.end(), contains);
    if (known != segments.end())
        return *known;
    for (const elf::Segment &segment : any_image()->segments()) {
        output::CodeSegment found = {path, any_image()->build_id(), segment.vaddr,
                                     segment.vaddr + segment.file_size, segment.offset};
        if (contains(&found))
            return segments.emplace_back(
                std::make_shared<const output::CodeSegment>(std::move(found)));
    }
    return nullptr;
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
    if (files.size() >= max_files)
        drop_unmapped();
    auto [entry, is_new] =
        files.try_emplace(mapping.file, File{mapping.file, 0, mapping.path, "", ""});
    File &file = entry->second;
    if (is_new) {
        file.number = ++last_file;
        file.may_interpret = lang::may_interpret(file.name());
        file.runtime = lang::find_unsupported(file.name());
    }
    if (file.open_path.empty() && !file.is_loaded)
        reach(tgid, mapping, file);
    return &file;
}

// Drops the files that no remembered process has mapped, such as those of programs that a
// compiler's tests have built, run and deleted. Interpreters stay, because callers of interpreter()
// keep pointers to them.
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
    max_files = std::max(max_files, 2 * files.size());
}

// Finds a path for opening the file later. Opens it now if the path would vanish with the process.
void UserSymbols::State::reach(pid_t tgid, const proc::Mapping &mapping, File &file)
{
    auto path = proc::open_path(tgid, mapping, proc);
    if (!path)
        return;
    file.open_path = *path;
    file.root = proc::root_of(tgid, proc);
    if (*path == mapping.path || held_files >= max_held_files)
        return;
    file.held = Fd(open(path->c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.held) {
        held_files++;
        file.open_path = fmt::format("/proc/self/fd/{}", file.held.get());
    }
}

// Another file may have this path by now. Then this clears the path, and the next process that maps
// our file provides another path.
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
        note_missing_frames(file);
        if (wants_lines && file.symbols)
            if (auto lines =
                    dwarf::Lines::open(file.symbols->image(), file.path, {.root = file.root}))
                file.source.lines = std::move(*lines);
        file.is_loaded = true;
        if (file.held) {
            file.held = Fd();
            held_files--;
        }
    }
    return file.symbols ? &*file.symbols : nullptr;
}

// The runtime may be a library, or linked into the program.
void UserSymbols::State::note_missing_frames(const File &file)
{
    if (!report || !file.symbols)
        return;
    const lang::Unsupported *runtime = file.runtime;
    if (const elf::Image &image = file.symbols->image(); !runtime && !image.is_library())
        runtime = lang::find_unsupported(image);
    if (runtime && runtime->missing)
        note(runtime->title,
             fmt::format("{} runs {}: {}", file.path, runtime->title, runtime->missing));
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
        note(unknown, fmt::format("{} is a build of {} whose functions are not known here: stacks "
                                  "show the interpreter's C functions instead",
                                  file.path, unknown));
    if (file.frames)
        file.may_interpret = false;
    return file.interpreter ? &*file.interpreter : nullptr;
}

void UserSymbols::State::find_source(File &file, uint64_t vaddr, Frame &frame)
{
    constexpr size_t max_sources = 65536;
    auto found = file.source.found.find(vaddr);
    if (found == file.source.found.end()) {
        if (file.source.found.size() >= max_sources)
            file.source.found.clear();
        found = file.source.found.emplace(vaddr, file.source.lines->at(vaddr)).first;
    }
    for (const dwarf::SourceFrame &source : found->second) {
        frame.source = source.line ? fmt::format("{}:{}", source.file, source.line) : "";
        if (!source.function.empty())
            frame.inlined.push_back({source.function, std::exchange(frame.source, "")});
    }
}

}  // namespace uscope::symbols
