// The names of JIT code: from the structures of a JVM or of V8 in memory, or from perf maps.
#include <algorithm>

#include <elf.h>

#include "base/clock.h"
#include "base/format.h"
#include "elf/symbols.h"
#include "lang/jit_names.h"
#include "symbols/user_symbols.h"
#include "unwind/jit_rule.h"

namespace uscope::symbols {

// If nothing names the code, the frame says what has made it.
void UserSymbols::State::find_jit(Process &process, uint64_t address, Frame &frame)
{
    if (find_jit_name(process, address, frame))
        return;
    for (const Range &range : process.ranges) {
        const lang::Unsupported *runtime = range.file ? range.file->runtime : nullptr;
        if (!runtime || !runtime->compiler)
            continue;
        frame.function = fmt::format("[unknown: {}]", runtime->compiler);
        note(runtime->title,
             fmt::format("{} runs {}, whose functions are {} in stacks: {}", range.file->path,
                         runtime->title, frame.function, runtime->unnamed));
        return;
    }
}

bool UserSymbols::State::find_jit_name(Process &process, uint64_t address, Frame &frame)
{
    for (auto &[path, map, next_read] : process.jit_names) {
        // The runtime may have put other code at this address by now, so read new lines of the
        // file.
        if (Clock::now() >= next_read) {
            map.refresh(path);
            next_read = Clock::now() + reread_pause;
        }
        auto symbol = map.find(address);
        if (!symbol && map.refresh(path))
            symbol = map.find(address);
        if (!symbol)
            continue;
        frame = {.function = std::string(symbol->name),
                 .offset = address - symbol->start,
                 .known = true,
                 .kind = output::FrameKind::Jit};
        if (auto method = lang::parse_jit_name(symbol->name)) {
            frame.function = std::move(method->function);
            frame.is_interpreted = true;
            if (wants_lines)
                frame.source = std::move(method->source);
        }
        return true;
    }
    return false;
}

// The code and its process may be gone. If reading it all fails, read up to the end of the page:
// the next page may be unmapped.
void UserSymbols::State::read_jit_code(pid_t tgid, uint64_t address, unwind::CodeLocation &location)
{
    constexpr uint64_t page = 4096;
    const lang::Memory *process_memory = memory_of(tgid);
    if (!process_memory)
        return;
    auto *into = reinterpret_cast<char *>(location.jit_code.data());
    for (uint64_t bytes : {uint64_t(location.jit_code.size()), page - address % page}) {
        if (bytes > location.jit_code.size() || !process_memory->read(address, into, bytes))
            continue;
        location.jit_bytes = uint8_t(bytes);
        return;
    }
}

std::string UserSymbols::read_code(pid_t tgid, uint64_t from, uint64_t bytes)
{
    constexpr uint64_t page = 4096;
    const lang::Memory *process_memory = state_->memory_of(tgid);
    std::string code;
    while (process_memory && code.size() < bytes) {
        uint64_t at = from + code.size(), used = code.size();
        code.resize(used + std::min(bytes - used, page - at % page));
        if (process_memory->read(at, code.data() + used, code.size() - used))
            continue;
        code.resize(used);
        break;
    }
    return code;
}

// --- code of a JVM -----------------------------------------------------------------------------

// Memory read after the event is still valid for its stack, so cache it: if many stacks wait, each
// page is read once. But pages that were read at very different times are inconsistent.
const lang::Memory *UserSymbols::State::memory_of(pid_t tgid)
{
    constexpr uint64_t moment_ns = 1'000'000, longest_ns = 50 * moment_ns;
    uint64_t now_ns = monotonic_ns();
    bool is_valid = event_ns ? memory_begun_ns >= event_ns : now_ns < memory_begun_ns + moment_ns;
    if (memory && memory_tgid == tgid && is_valid && now_ns < memory_begun_ns + longest_ns)
        return &*memory;
    memory.reset();
    if (auto opened = tgid > 0 ? lang::Memory::open(tgid) : fail("it has ended"))
        memory.emplace(std::move(*opened));
    memory_tgid = tgid;
    memory_begun_ns = now_ns;
    return memory ? &*memory : nullptr;
}

void UserSymbols::look_at_event(uint64_t ts_ns)
{
    state_->event_ns = ts_ns;
}

// The process's memory, with those variables of a file whose names contain one of `parts`.
std::optional<lang::Memory> UserSymbols::State::variables_of(
    pid_t tgid, const Range &range, std::initializer_list<std::string_view> parts)
{
    File &file = *range.file;
    frames(file);
    const elf::Image *image = file.any_image();
    auto start = image ? image->vaddr(range.offset) : std::nullopt;
    auto process = memory_of(tgid);
    if (!start || !process || image->machine() != EM_X86_64)
        return std::nullopt;
    if (!file.variables) {
        file.variables.emplace();
        for (const elf::SymbolTable &table : elf::symbol_tables(*image))
            for (std::string_view part : parts)
                table.each_containing(part, [&](const elf::Symbol &symbol) {
                    file.variables->emplace(symbol.name, symbol.vaddr);
                });
    }
    auto find = [variables = &*file.variables,
                 bias = range.start - *start](const std::string &name) -> std::optional<uint64_t> {
        auto found = variables->find(name);
        return found == variables->end() ? std::nullopt : std::optional(found->second + bias);
    };
    auto read = [process](uint64_t address, char *into, size_t bytes) -> size_t {
        return process->read(address, into, bytes) ? bytes : 0;
    };
    return lang::Memory(find, read);
}

std::optional<lang::HotspotCode> UserSymbols::State::open_jvm(pid_t tgid, const Range &range)
{
    auto variables = variables_of(tgid, range, {"gHotSpotVM"});
    return variables ? lang::HotspotCode::open(*variables) : std::nullopt;
}

// Returns null if the process has no JVM, or if the JVM has not started yet.
const lang::HotspotCode *UserSymbols::State::jvm(pid_t tgid, Process &process)
{
    auto &found = process.jvm;
    if (found.is_due()) {
        auto range =
            std::find_if(process.ranges.begin(), process.ranges.end(),
                         [](const Range &range) { return range.file && range.file->is_jvm(); });
        if (range != process.ranges.end()) {
            found.look_at(*range);
            found.code = open_jvm(tgid, *range);
        }
        found.put_off();
    }
    return found.code ? &*found.code : nullptr;
}

void UserSymbols::State::find_blob(pid_t tgid, Process &process, uint64_t address,
                                   unwind::CodeLocation &location)
{
    constexpr uint64_t max_prologue = 256;
    const lang::HotspotCode *code = jvm(tgid, process);
    const lang::Memory *process_memory = code ? memory_of(tgid) : nullptr;
    if (!process_memory)
        return;
    location.blob = code->find(*process_memory, address);
    location.was_jit_code = !location.blob && code->holds(*process_memory, address);
    if (location.blob) {
        std::array<char, 8> before = {};
        process_memory->read(address + 1 - before.size(), before.data(), before.size());
        // If an exception was thrown in a frame, the frame's return address need not follow a call.
        location.may_return = unwind::may_follow_call(Bytes(before.data(), before.size())) ||
                              code->has_scope(*process_memory, *location.blob, address + 1);
    }
    if (!location.blob || address - location.blob->code_begin >= location.blob->complete_at)
        return;
    location.blob_code.resize(std::min(location.blob->complete_at, max_prologue));
    if (!process_memory->read(location.blob->code_begin, location.blob_code.data(),
                              location.blob_code.size()))
        location.blob_code.clear();
}

// Returns null if nothing is known. If `memory` is null, the process has exited: returns cached
// methods.
JitMethods UserSymbols::State::jit_methods(Process &process, const lang::Memory *memory,
                                           uint64_t pc, bool is_return)
{
    constexpr size_t max_code = 65536;
    auto known = process.jit_code.find({pc, is_return});
    bool is_known = known != process.jit_code.end();
    if (!memory)
        return is_known ? known->second.methods : nullptr;
    auto blob = process.jvm.code->find(*memory, pc - is_return);
    if (!blob)
        return nullptr;
    if (is_known && known->second.blob == blob->address && known->second.method == blob->method &&
        known->second.compile_id == blob->compile_id)
        return known->second.methods;
    auto methods = blob->kind == lang::HotspotCode::Blob::Kind::Method
                       ? process.jvm.code->methods(*memory, *blob, pc, is_return)
                       : std::vector<lang::HotspotCode::Method>{{blob->name, ""}};
    if (methods.empty())
        return nullptr;
    if (process.jit_code.size() >= max_code)
        process.jit_code.clear();
    auto found = std::make_shared<const std::vector<lang::HotspotCode::Method>>(std::move(methods));
    process.jit_code[{pc, is_return}] = {blob->address, blob->method, blob->compile_id, found};
    return found;
}

namespace {

JitMethods interpreted_method(const Process &process, const lang::Memory *memory,
                              const unwind::UserStack::JitFrame &frame)
{
    auto method = memory ? process.jvm.code->interpreted(*memory, frame.method, frame.bytecode)
                         : std::nullopt;
    return std::make_shared<const std::vector<lang::HotspotCode::Method>>(
        1, method.value_or(lang::HotspotCode::Method{too_late, ""}));
}

}  // namespace

// --- code of V8 --------------------------------------------------------------------------------

// Returns null if the process has no V8, or one that does not describe its objects.
const lang::V8Code *UserSymbols::State::v8(pid_t tgid, Process &process)
{
    auto &found = process.v8;
    if (found.is_due()) {
        for (const Range &range : process.ranges) {
            if (found.code || !range.file || !range.file->may_be_v8())
                continue;
            found.look_at(range);
            if (auto variables = variables_of(
                    tgid, range, {"v8dbg_", lang::V8Code::version, lang::V8Code::minor_version}))
                found.code = lang::V8Code::open(*variables);
        }
        found.put_off();
    }
    return found.code ? &*found.code : nullptr;
}

void UserSymbols::State::name_functions(pid_t tgid, Process &process, unwind::UserStack &stack)
{
    using Kind = unwind::UserStack::JitFrame::Kind;
    const lang::Memory *process_memory = memory_of(tgid);
    for (const unwind::UserStack::JitFrame &frame : stack.jit_frames) {
        if (!process_memory || frame.kind == Kind::Jvm)
            continue;
        const lang::V8Code &v8 = *process.v8.code;
        auto function = frame.kind == Kind::V8
                            ? v8.shared(*process_memory, frame.method, frame.bytecode)
                            : v8.function(*process_memory, frame.method, frame.bytecode);
        if (!function)
            continue;
        const Range *range = process.find(stack.addresses[frame.index], stack.ts_ns);
        bool is_compiled_call = frame.index > 0 && range && !range->file;
        auto shared = frame.kind == Kind::V8 ? frame.method | lang::V8Code::tag
                                             : v8.shared_of(*process_memory, frame.method);
        std::vector<lang::JitMethod> functions;
        if (is_compiled_call && shared)
            functions = v8.inlined(*process_memory, *shared, stack.addresses[frame.index]);
        if (functions.empty())
            functions.push_back(std::move(*function));
        stack.named_jit.push_back(
            {frame.index,
             std::make_shared<const std::vector<lang::JitMethod>>(std::move(functions))});
    }
}

void UserSymbols::name_jit_code(pid_t tgid, unwind::UserStack &stack)
{
    Process &process = state_->process(tgid);
    if (!stack.jit_frames.empty() &&
        stack.jit_frames.front().kind != unwind::UserStack::JitFrame::Kind::Jvm &&
        state_->v8(tgid, process))
        return state_->name_functions(tgid, process, stack);
    if (!state_->jvm(tgid, process))
        return;
    const lang::Memory *memory = state_->memory_of(tgid);
    auto interpreted = stack.jit_frames.begin();
    for (uint32_t i = 0; i < stack.addresses.size(); i++) {
        const Range *range = state_->range_at(tgid, process, stack.addresses[i], stack.ts_ns);
        if (!range || range->file)
            continue;
        while (interpreted != stack.jit_frames.end() && interpreted->index < i)
            ++interpreted;
        bool is_interpreted =
            interpreted != stack.jit_frames.end() && interpreted->index == i && interpreted->method;
        JitMethods methods = is_interpreted
                                 ? interpreted_method(process, memory, *interpreted)
                                 : state_->jit_methods(process, memory, stack.addresses[i], i > 0);
        if (methods)
            stack.named_jit.push_back({i, std::move(methods), is_interpreted});
    }
}

Frame UserSymbols::frame_of(const unwind::UserStack::NamedJit &named) const
{
    const auto &methods = *named.methods;
    auto source = [&](const lang::HotspotCode::Method &method) {
        return state_->wants_lines ? method.source : "";
    };
    Frame frame = {
        .function = methods.back().function,
        .known = true,
        .is_interpreted = true,
        .source = source(methods.back()),
        .kind = named.is_interpreted ? output::FrameKind::Interpreted : output::FrameKind::Jit};
    for (size_t i = 0; i + 1 < methods.size(); i++)
        frame.inlined.push_back({methods[i].function, source(methods[i])});
    return frame;
}

}  // namespace uscope::symbols
