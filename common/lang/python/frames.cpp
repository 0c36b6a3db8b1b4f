// A thread keeps its state under a pthread key, also while it does not hold the global lock; the
// variable _PyRuntime contains the key. Since 3.15, the state is in a thread-local variable instead
// (thread_variable.h). The state has the newest frame; a frame has its caller's frame, its code,
// and its position in the code:
//
//     3.7 to 3.10   each frame has its own activation of _PyEval_EvalFrameDefault()
//     3.11          an activation also executes called functions; is_entry marks its first frame
//     since 3.12    after its first frame comes a shim, a frame of the interpreter on the C stack
//
// Since 3.13, the runtime begins with a table of offsets for debuggers, which may change in patch
// releases:
//
//     "xdebugpy"  version  free-threaded  …  (8 bytes each; words of 3.13 for the thread's state:)
//     size  prev  next  interp  current_frame …      word 19 of the table
//     size  previous  executable  instr_ptr …        word 28, the frame
//     size  filename  name  qualname …               word 34, the code
//
// PyGILState_GetThisThreadState() reads the key or the variable, so its code has the address:
//
//     3.11    cmpq $0,0x563d50(%rip)    interpreter     in a library:
//             je   …                                    mov 0x1ad809(%rip),%rax    runtime
//             mov  0x563d50(%rip),%edi  key             cmpq $0,0x248(%rax)
//             jmp  pthread_getspecific                  lea 0x250(%rax),%rdi       4 before the key
#include "lang/python/frames.h"

#include <elf.h>
#include <algorithm>

#include "insn/parts.h"
#include "lang/field_reader.h"
#include "lang/python/lines.h"
#include "lang/python/names.h"
#include "lang/thread_variable.h"
#include "lang/version.h"

namespace uscope::lang {
namespace {

// Which frame is the last one of an activation.
enum class Ends : uint8_t { Each, Marked, BeforeShim };
constexpr uint8_t shim_mark = 3, no_mark = UINT8_MAX;

// Offsets in PyThreadState, frames and code objects.
struct Offsets {
    int current, inner;  // inner: in the state's _PyCFrame; -1: there is none
    int frame_bytes, previous, code, position, mark;
    bool is_in_units;
    int first_line, file, name, function,
        lines;         // in the code; function: the qualified name, if there is one
    int instructions;  // 0: the position is an index, not an address
    Ends ends;
};

struct PythonRelease {
    Version version;
    Offsets offsets;
};
constexpr PythonRelease python_releases[] = {
    {{3, 7}, {24, -1, 112, 24, 32, 104, 0, false, 36, 96, 104, 104, 112, 0, Ends::Each}},
    {{3, 8}, {24, -1, 112, 24, 32, 104, 0, false, 40, 104, 112, 112, 120, 0, Ends::Each}},
    {{3, 9}, {24, -1, 112, 24, 32, 104, 0, false, 40, 104, 112, 112, 120, 0, Ends::Each}},
    {{3, 10}, {24, -1, 104, 24, 32, 96, 0, true, 40, 104, 112, 112, 120, 0, Ends::Each}},
    {{3, 11}, {56, 8, 72, 48, 32, 56, 68, false, 72, 112, 120, 128, 136, 184, Ends::Marked}},
    {{3, 12}, {56, 0, 72, 8, 0, 56, 70, false, 68, 112, 120, 128, 136, 192, Ends::BeforeShim}},
};

// Where the parts begin in the table, in words. The first word of each part is a size.
struct Table {
    Version version;
    int state, frame, code;
};
constexpr Table tables[] = {{{3, 13}, 19, 28, 34}, {{3, 14}, 22, 31, 39}, {{3, 15}, 22, 39, 47}};

constexpr std::string_view table_mark = "xdebugpy";
constexpr int least = 0, max = UNWIND_RECORD - 8;

std::optional<Offsets> read_table(Bytes table, const Version &version)
{
    const Table *release = find_release(tables, version);
    auto word = [&](size_t index) { return table.read<uint64_t>(index * 8).value_or(~0ull); };
    bool is_table = table.size() >= table_mark.size() && table.text().starts_with(table_mark);
    if (!release || !is_table || word(1) >> 16 != (version.major << 8 | version.minor) ||
        word(2) != 0)
        return std::nullopt;
    auto in = [&](int part, int member) {
        return int(std::min<uint64_t>(word(part + member), 1 << 15));
    };
    int frame = release->frame, code = release->code;
    Offsets offsets = {};
    offsets.current = in(release->state, 4);
    offsets.inner = -1;
    offsets.frame_bytes = in(frame, 5) + 1;
    offsets.previous = in(frame, 1);
    offsets.code = in(frame, 2);
    offsets.position = in(frame, 3);
    offsets.mark = in(frame, 5);
    offsets.file = in(code, 1);
    offsets.name = in(code, 2);
    offsets.function = in(code, 3);
    offsets.lines = in(code, 4);
    offsets.first_line = in(code, 5);
    offsets.instructions = in(code, 9);
    offsets.ends = Ends::BeforeShim;
    return offsets;
}

std::optional<Offsets> offsets_of(const Version &version, Bytes runtime)
{
    const PythonRelease *release = find_release(python_releases, version);
    return release ? release->offsets : read_table(runtime, version);
}

bool is_within(int offset, int end = max)
{
    return offset >= least && offset <= end;
}

// The kernel side hashes the names of a code object, which are consecutive words; in older
// versions, without a qualified name, also the words before them.
std::optional<unwind_interpreter> python_interpreter(const Offsets &offsets)
{
    constexpr int word = sizeof(uint64_t), max_words_at = 64 - word;
    int check_at = offsets.first_line & -word;
    int words_at = offsets.lines - (UNWIND_CHECK_WORDS - 1) * word - check_at;
    int check_bytes = offsets.lines + word - check_at;
    bool fits = is_within(offsets.frame_bytes) && is_within(offsets.previous) &&
                is_within(offsets.code) && is_within(offsets.position) && is_within(offsets.mark) &&
                is_within(check_at) && is_within(words_at, max_words_at) &&
                is_within(check_bytes) && is_within(offsets.current, UINT16_MAX) &&
                is_within(offsets.instructions, UINT16_MAX) &&
                (offsets.previous | offsets.code | offsets.position | words_at) % word == 0;
    if (!fits)
        return std::nullopt;
    unwind_interpreter made = {};
    made.current_at = uint16_t(offsets.current);
    made.has_inner = offsets.inner >= 0;
    made.inner_at = made.has_inner ? uint16_t(offsets.inner) : 0;
    made.shim_mark = offsets.ends == Ends::BeforeShim ? shim_mark : no_mark;
    made.ends = offsets.ends == Ends::Each;
    made.ends_marks = offsets.ends == Ends::Marked;
    made.frame_bytes = uint8_t(offsets.frame_bytes);
    made.previous_at = uint8_t(offsets.previous);
    made.code_at = uint8_t(offsets.code);
    made.position_at = uint8_t(offsets.position);
    made.mark_at = uint8_t(offsets.mark);
    made.is_address = offsets.instructions != 0;
    made.position_mask = made.is_address ? UINT64_MAX : UINT32_MAX;
    made.position_shift = !offsets.is_in_units;
    made.code_start = uint16_t(offsets.instructions);
    made.check_at = uint8_t(check_at);
    made.check_bytes = uint8_t(check_bytes);
    made.check_words_at = made.native_words_at = uint8_t(words_at);
    return made;
}

// --- files -------------------------------------------------------------------------------------

struct PythonSymbols {
    elf::Symbol runtime, version, loop, state;
};

PythonSymbols find_python_symbols(const elf::Image &image)
{
    PythonSymbols found;
    find_symbols(image, {{"_PyRuntime", &found.runtime},
                         {"Py_Version", &found.version},
                         {"_PyEval_EvalFrameDefault", &found.loop},
                         {"PyGILState_GetThisThreadState", &found.state}});
    return found;
}

// Py_Version exists since 3.11; older versions are known only by the file's name.
Version version_of(const elf::Image &image, const PythonSymbols &symbols,
                   std::string_view file_name)
{
    auto bytes = symbols.version.vaddr ? image.bytes_at(symbols.version.vaddr, sizeof(uint32_t))
                                       : std::nullopt;
    if (!bytes)
        return Version::in(file_name);
    uint32_t hex = *bytes->read<uint32_t>(0);
    return {hex >> 24, hex >> 16 & 0xff, hex >> 8 & 0xff};
}

// Returns the offset of the key in _PyRuntime if this instruction shows it.
std::optional<uint64_t> key_in(const insn::Parts &parts, Bytes code, uint64_t vaddr,
                               const PythonSymbols &symbols, bool &has_runtime)
{
    constexpr uint8_t compare = 0x83, load = 0x8b, take = 0x8d, constant = 0xbf;
    constexpr uint64_t value_at = 4;  // in Py_tss_t
    bool is_wide = parts.rex & 8;
    auto in_runtime = [&](uint64_t address) {
        return address - symbols.runtime.vaddr < symbols.runtime.size;
    };
    unsigned mode = parts.modrm >> 6, rm = parts.modrm & 7;
    int32_t distance = code.read<int32_t>(parts.modrm_at + 1).value_or(0);
    if (parts.opcode == constant && !is_wide) {
        uint64_t address = code.read<uint32_t>(1).value_or(0);
        return in_runtime(address) ? std::optional(address - symbols.runtime.vaddr + value_at)
                                   : std::nullopt;
    }
    if (mode == 2 && parts.opcode == take && has_runtime)
        return uint64_t(distance) + value_at;
    if (mode != 0 || rm != 5)
        return std::nullopt;
    uint64_t address = vaddr + parts.length + uint64_t(int64_t(distance));
    if (!in_runtime(address)) {
        has_runtime |= parts.opcode == load && is_wide;
        return std::nullopt;
    }
    address -= symbols.runtime.vaddr;
    if (parts.opcode == load && !is_wide)
        return address;
    bool is_key = (parts.opcode == compare && !is_wide) || parts.opcode == take;
    return is_key ? std::optional(address + value_at) : std::nullopt;
}

std::optional<uint64_t> find_python_key(const elf::Image &image, const PythonSymbols &symbols)
{
    constexpr uint64_t enough = 64, max_key = 1 << 14;
    Bytes code = image.bytes_at(symbols.state.vaddr, enough).value_or(Bytes());
    bool has_runtime = false;
    for (uint64_t at = 0; at < code.size();) {
        auto parts = insn::take_apart(code.from(at));
        if (!parts)
            break;
        auto key = key_in(*parts, code.from(at), symbols.state.vaddr + at, symbols, has_runtime);
        if (key && *key < max_key)
            return symbols.runtime.vaddr + *key;
        at += parts->length;
    }
    return std::nullopt;
}

// Fills in how the walk finds a thread's state. Returns false if that is unknown.
bool find_state(const elf::Image &image, const PythonSymbols &symbols, unwind_interpreter &frames)
{
    if (auto key = find_python_key(image, symbols)) {
        frames.state_by = UNWIND_STATE_BY_KEY;
        frames.key = *key;
        frames.values_at = glibc_values_at;
        frames.blocks_at = glibc_blocks_at;
        return true;
    }
    auto variable = find_thread_variable(image, symbols.state.vaddr);
    bool is_by_module = variable && variable->state_by == UNWIND_STATE_BY_MODULE;
    if (!variable || variable->loads.size() != is_by_module)
        return false;
    frames.state_by = variable->state_by;
    frames.key = variable->key;
    frames.values_at = is_by_module ? uint16_t(variable->loads[0]) : 0;
    return true;
}

// --- code objects ------------------------------------------------------------------------------

// Every object begins with its reference count. A freed object has an address or 0 instead.
bool is_alive(FieldReader &from, uint64_t object)
{
    constexpr uint64_t max_references = 1ull << 33;  // immortal objects have less
    uint64_t references = from.read(object);
    return references > 0 && references < max_references;
}

std::string read_lines(FieldReader &from, uint64_t reference)
{
    constexpr uint64_t bytes_size = 16, bytes_data = 32, max_bytes = 1 << 20;
    uint64_t table = from.read(reference), size = from.follow(table, {bytes_size});
    from.expect(is_alive(from, table));
    return from.bytes(table + bytes_data, size, max_bytes);
}

std::optional<Code> read_python_code(const Memory &memory, const Version &version,
                                     const Offsets &offsets, uint64_t code)
{
    FieldReader from(memory);
    auto text = [&](int offset) {
        return from.take(read_python_text(memory, code + uint64_t(offset), version));
    };
    auto first_line = from.read<uint32_t>(code + uint64_t(offsets.first_line));
    Code read = {.function = text(offsets.function), .file = text(offsets.file)};
    read.line = [version, first_line, table = read_lines(from, code + uint64_t(offsets.lines))](
                    uint64_t at) { return python_line(version, Bytes(table), first_line, at); };
    from.expect(is_alive(from, code));
    // _co_firsttraceable: the RESUME, in units of 2 bytes
    if (offsets.instructions)
        read.first =
            2ull * memory.read<uint32_t>(code + uint64_t(offsets.instructions) - 16).value_or(0);
    return from.result(std::move(read));
}

}  // namespace

bool is_python(std::string_view file_name)
{
    for (std::string_view begin : {"python", "libpython"})
        if (file_name.starts_with(begin) && file_name.substr(begin.size()).starts_with("3."))
            return true;
    return false;
}

std::optional<Interpreter> find_python_frames(const elf::Image &image, const elf::Frames &frames,
                                              std::string_view file_name, std::string *unknown)
{
    PythonSymbols symbols = find_python_symbols(image);
    if (image.machine() != EM_X86_64 || !symbols.runtime.vaddr || !symbols.loop.vaddr ||
        !symbols.state.vaddr)
        return std::nullopt;
    Version version = version_of(image, symbols, file_name);
    auto offsets = offsets_of(version, image.bytes_from(symbols.runtime.vaddr).value_or(Bytes()));
    auto made = offsets ? python_interpreter(*offsets) : std::nullopt;
    if (!made || !find_state(image, symbols, *made))
        return is_unknown(unknown, "Python", version);
    Interpreter found = {*made, find_loop(image, frames, symbols.loop.vaddr), 2, {}};
    found.read = [version, offsets = *offsets](const Memory &memory, uint64_t, uint64_t code) {
        return read_python_code(memory, version, offsets, code);
    };
    return found;
}

}  // namespace uscope::lang
