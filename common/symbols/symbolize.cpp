// Finds the function, file and source of addresses in a process.
#include "symbols/symbolize.h"

#include <algorithm>

#include <elf.h>

#include "base/format.h"
#include "elf/demangle.h"
#include "elf/unnamed_functions.h"
#include "proc/process.h"
#include "symbols/start.h"
#include "symbols/user_symbols.h"

namespace uscope::symbols {

UserSymbols::UserSymbols(std::string proc) : state_(new State{std::move(proc)}) {}
UserSymbols::UserSymbols(UserSymbols &&) noexcept = default;
UserSymbols::~UserSymbols() = default;

void UserSymbols::read_lines()
{
    state_->wants_lines = true;
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

// If this is JIT code that runs in the frame of an interpreter's loop: the file that contains the
// loop. Else null.
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

void UserSymbols::report_unnamed(Report report)
{
    state_->report = std::move(report);
}

// Reports each runtime (and version) once, even if many files contain it.
void UserSymbols::State::note(const std::string &runtime, const std::string &text)
{
    if (report && reported.insert(runtime).second)
        report(text);
}

void UserSymbols::State::place_unnamed(File &file, uint64_t after_call, Frame &frame)
{
    const elf::Image &image = *file.any_image();
    const elf::Frames *table = frames(file);
    if (auto function = table ? table->at(frame.vaddr) : std::nullopt) {
        frame.offset = frame.vaddr - function->start;
        frame.has_start = function->is_called;
        auto entry = image.bytes().read<uint64_t>(offsetof(Elf64_Ehdr, e_entry));
        if (function->start == entry && !image.is_library()) {
            frame.function = "_start";
            frame.known = frame.is_start = true;
            return;
        }
    }
    frame.is_start = is_start(image, after_call);
    frame.segment = file.segment_of(frame.vaddr);
}

Frame UserSymbols::find(pid_t tgid, uint64_t address, Code code, uint64_t ts_ns)
{
    Process &process = state_->process(tgid);
    const Range *range = state_->range_at(tgid, process, address, ts_ns);
    Frame frame = {.function = "[unknown]"};
    if (!range)
        return frame;
    if (!range->file) {
        frame.kind = output::FrameKind::Jit;
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
        frame.kind = output::FrameKind::Jit;
        frame.is_loop = frame.has_stale_line = state_->loop_of(process, *range);
        state_->find_jit(process, address, frame);
        return frame;
    }
    auto vaddr = symbols->image().vaddr(address - range->start + range->offset);
    if (vaddr && range->file->interpreter) {
        frame.is_loop = range->file->interpreter->is_loop(*vaddr - 1);
        if (frame.is_loop)
            frame.reenters_by = range->file->interpreter->reenters_by;
    }
    uint64_t before = code == Code::Return ? 1 : 0;
    frame.vaddr = vaddr ? *vaddr - before : 0;
    if (range->file->is_libc())
        frame.kind = output::FrameKind::Libc;
    if (auto symbol = vaddr ? symbols->find(*vaddr - before) : std::nullopt) {
        std::string demangled = elf::demangle(symbol->name);
        frame.function = demangled;
        frame.offset = *vaddr - symbol->vaddr;
        frame.known = true;
        frame.is_start = is_start(symbol->name);
        if (elf::is_mangled(symbol->name))
            frame.kind = output::FrameKind::Cpp;
        if (range->file->source.lines)
            state_->find_source(*range->file, *vaddr - before, frame);
    } else if (vaddr) {
        state_->place_unnamed(*range->file, *vaddr, frame);
    }
    return frame;
}

std::string describe(const Frame &frame, bool offset)
{
    if (frame.segment && frame.has_start)
        return fmt::format("{}:{}{}", frame.module, elf::start_name(frame.vaddr - frame.offset),
                           offset && frame.offset ? fmt::format("+{:#x}", frame.offset) : "");
    if (frame.segment)
        return fmt::format("{}+{:#x}", frame.module, frame.vaddr - (offset ? 0 : frame.offset));
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
