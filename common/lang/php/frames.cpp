// The process has one list of frames; executor_globals points to the newest frame. A frame
// (zend_execute_data) has the current instruction (zend_op), which has the line; its function; and
// its caller's frame:
//
//      0  opline      → 24  lineno
//     24  func        → 0   type: 1 in C, 2 in PHP, 4 eval; 8 name; 16 class; not in C: file, lines
//     40  call info   bit 17: C called execute_ex() for this frame (ZEND_CALL_TOP)
//     48  prev
//
// execute_ex(), the evaluation loop, also executes called functions and included files. C code that
// calls PHP calls the loop again: array_map(), generators, destructors, autoloaders. Functions in C
// have frames as well, but the opline of these frames has no meaning. They belong to the activation
// of the loop that has called the function.
//
// If the compiler allows it (ZEND_VM_KIND_HYBRID), execute_ex() and the code inlined there keep the
// instruction in r15 and the frame in r14. They write the instruction to memory only before calls
// that may need it.
//
// The loop jumps to JIT code, which runs in the loop's frame. JIT code keeps the PHP frame in r14,
// but writes the instruction only where a callee may need it. So a sample in JIT code itself has no
// line.
//
// A fiber's first frame belongs to an internal function whose fields are all empty. Its caller is a
// frame of the fiber that has resumed this one, on another stack. Frames without a function have
// another purpose; the walk skips them.
//
// All offsets but those above depend on the release. A release's offsets are used only if the
// file's own functions use them:
//
//     zend_get_executed_filename_ex()  mov 0x1e8(%rdx),%rax    the newest frame in executor_globals
//                                      mov 0x18(%rax),%rdx     its function
//                                      mov 0x98(%rdx),%rax     the function's file
#include "lang/php/frames.h"

#include <elf.h>
#include <algorithm>
#include <set>

#include "base/text.h"
#include "insn/parts.h"
#include "lang/field_reader.h"
#include "lang/version.h"

namespace uscope::lang {
namespace {

// Offsets in a frame, a function and a class.
constexpr uint8_t opline_at = 0, func_at = 24, call_info_at = 40, prev_at = 48, php_line_at = 24;
constexpr uint8_t php_name_at = 8, scope_at = 16, prototype_at = 24, class_name_at = 8;
constexpr uint8_t text_hash_at = 8, text_at = 24;  // of a zend_string
constexpr uint8_t type_internal = 1, type_eval = 4;
constexpr uint8_t top_at = call_info_at + 2, top_shift = 1;

struct PhpRelease {
    Version version;
    int current;  // newest frame, in executor_globals
    int file;     // in a function; the first and the last line follow
};
constexpr PhpRelease php_releases[] = {
    {{7, 4}, 488, 136}, {{8, 0}, 488, 144}, {{8, 1}, 488, 144}, {{8, 2}, 488, 152},
    {{8, 3}, 488, 144}, {{8, 4}, 488, 168}, {{8, 5}, 512, 168}, {{8, 6}, 512, 168},
};

struct PhpSymbols {
    elf::Symbol globals, loop, kind, line, file;
};

PhpSymbols find_php_symbols(const elf::Image &image)
{
    PhpSymbols found;
    find_symbols(image, {{"executor_globals", &found.globals},
                         {"execute_ex", &found.loop},
                         {"zend_vm_kind", &found.kind},
                         {"zend_get_executed_lineno", &found.line},
                         {"zend_get_executed_filename_ex", &found.file}});
    return found;
}

// Finds the release in the file, in the text of an HTTP header that PHP sends with its responses.
Version find_php_version(const elf::Image &image)
{
    constexpr std::string_view header = "X-Powered-By: PHP/";
    const elf::Section *section = image.section(".rodata");
    auto bytes = section ? image.contents(*section) : std::nullopt;
    size_t at = bytes ? bytes->text().find(header) : std::string_view::npos;
    return at == std::string_view::npos ? Version()
                                        : Version::in(bytes->text().substr(at + header.size(), 16));
}

// The offsets at which a function reads memory: from addresses in registers, or from
// executor_globals.
struct Reads {
    std::set<int64_t> wide, narrow;  // of reads of 8 bytes, and of 4 bytes
};

Reads reads_of(const elf::Image &image, const elf::Symbol &function, uint64_t globals)
{
    constexpr uint8_t load = 0x8b, no_base = 0x25;
    constexpr unsigned by_next_instruction = 5, by_more = 4;
    constexpr uint64_t max_bytes = 512;
    Reads found;
    Bytes code =
        image.bytes_at(function.vaddr, std::min(function.size, max_bytes)).value_or(Bytes());
    for (uint64_t at = 0; at < code.size();) {
        auto parts = insn::take_apart(code.from(at));
        if (!parts)
            break;
        uint64_t operand = at + parts->modrm_at + 1, next = function.vaddr + at + parts->length;
        at += parts->length;
        if (parts->opcode != load || !parts->is_legacy(0))
            continue;
        unsigned mode = parts->modrm >> 6, base = parts->modrm & 7;
        bool is_absolute = mode == 0 && base == by_more && code.read<uint8_t>(operand) == no_base;
        operand += base == by_more;
        int64_t distance = mode == 1 ? code.read<int8_t>(operand).value_or(0)
                                     : code.read<int32_t>(operand).value_or(0);
        if (is_absolute)
            distance -= int64_t(globals);
        else if (mode == 0 && base == by_next_instruction)
            distance += int64_t(next - globals);
        else if (mode == 0)
            distance = 0;
        (parts->rex & 8 ? found.wide : found.narrow).insert(distance);
    }
    return found;
}

bool uses_offsets(const elf::Image &image, const PhpSymbols &symbols, const PhpRelease &release)
{
    Reads line = reads_of(image, symbols.line, symbols.globals.vaddr);
    Reads file = reads_of(image, symbols.file, symbols.globals.vaddr);
    for (const Reads &reads : {line, file})
        for (int64_t wanted : {release.current, +func_at, +prev_at})
            if (!reads.wide.count(wanted))
                return false;
    return line.wide.count(opline_at) && line.narrow.count(php_line_at) &&
           file.wide.count(release.file);
}

// Does zend_vm_kind() return ZEND_VM_KIND_HYBRID (mov $4,%eax, with or without endbr64)?
bool keeps_registers(const elf::Image &image, const PhpSymbols &symbols)
{
    constexpr std::string_view hybrid = {"\xb8\x04\x00\x00\x00", 5};
    auto code = image.bytes_at(symbols.kind.vaddr, std::max<uint64_t>(symbols.kind.size, 1));
    return code && code->text().substr(0, 16).find(hybrid) != std::string_view::npos;
}

unwind_interpreter php_interpreter(const PhpRelease &release)
{
    constexpr int word = sizeof(uint64_t);
    unwind_interpreter made = {};
    made.state_by = UNWIND_STATE_GLOBAL;
    made.current_at = uint16_t(release.current);
    made.frame_bytes = prev_at + word;
    made.previous_at = prev_at;
    made.code_at = func_at;
    made.position_at = opline_at;
    made.mark_at = top_at;
    made.ends_marks = 1;
    made.mark_shift = top_shift;
    made.shim_mark = UINT8_MAX;
    made.position_mask = UINT32_MAX;
    made.line_at = php_line_at;
    made.has_native = type_internal;
    made.first_words_at = php_name_at;  // the name, and the class
    made.native_words_at = prototype_at;
    // The words to hash: two tables, the file, its lines.
    made.check_words_at = uint8_t(release.file - 2 * word);
    made.check_bytes = uint8_t(release.file + 2 * word);
    made.text_at = text_at;
    made.text_hash_at = text_hash_at;
    made.name_at = php_name_at;
    made.owner_at = scope_at;
    made.owner_name_at = class_name_at;
    made.file_at = uint8_t(release.file);
    return made;
}

// --- functions ---------------------------------------------------------------------------------

// Reads a zend_string: its type, its length, and its bytes with a NUL after them.
std::string read_php_text(FieldReader &from, uint64_t reference)
{
    constexpr uint64_t type_at = 4, length_at = 16, max_bytes = 16384;
    constexpr uint8_t type_mask = 15, type_string = 6;
    uint64_t text = from.read(reference);
    from.expect((from.follow<uint8_t>(text, {type_at}) & type_mask) == type_string);
    uint64_t length = from.read(text + length_at);
    from.expect(length <= max_bytes);
    std::string found = from.bytes(text + text_at, length + 1, max_bytes + 1);
    from.expect(found.ends_with('\0'));
    return found.substr(0, found.find('\0'));  // "class@anonymous\0/var/www/…"
}

// The names of a function; "" for a class or file that it does not have.
struct Names {
    uint8_t type = 0;
    std::optional<std::string> name = {};
    std::string owner = {}, file = {};
    uint32_t first_line = 0, last_line = 0;
};

Code code_of(Names names)
{
    Code code;
    if (names.name)  // else it is code outside of functions, in a file or an eval()
        code.function = names.owner + (names.owner.empty() ? "" : "::") + *names.name;
    else
        code.function = names.type == type_eval ? "eval" : "{main}";
    code.file = names.type == type_internal ? "internal" : std::move(names.file);
    // In a sample, the register for the instruction may still contain one of another function, so
    // ignore lines that are not this function's.
    if (names.type != type_internal)
        code.line = [first = names.first_line, last = names.last_line](uint64_t at) {
            return at >= first && at <= last ? uint32_t(at) : 0;
        };
    return code;
}

// Marks the beginning of a fiber's stack.
Code stack_end()
{
    Code code;
    code.is_stack_end = true;
    return code;
}

std::optional<Code> read_function(const Memory &memory, const PhpRelease &release,
                                  uint64_t function)
{
    FieldReader from(memory);
    Names names = {from.read<uint8_t>(function)};
    bool has_name = from.read(function + php_name_at) != 0;
    uint64_t owner = from.read(function + scope_at);
    if (has_name)
        names.name = read_php_text(from, function + php_name_at);
    if (owner)
        names.owner = read_php_text(from, owner + class_name_at);
    if (names.type == type_internal)
        return from.result(has_name ? code_of(std::move(names)) : stack_end());
    uint64_t file_at = function + uint64_t(release.file);
    names.file = read_php_text(from, file_at);
    names.first_line = from.read<uint32_t>(file_at + 8);
    names.last_line = from.read<uint32_t>(file_at + 12);
    return from.result(code_of(std::move(names)));
}

// Returns nullopt if the kernel side could not read the text to which `reference` points.
std::optional<std::string> take_text(Bytes text, uint64_t reference)
{
    auto found = text.cstring(0);
    if (!found || (reference && found->empty()))
        return std::nullopt;
    bool is_cut = found->size() + 1 == text.size();
    return std::string(*found) + (is_cut ? "…" : "");
}

std::optional<Code> take_function(const unwind_code &sent)
{
    auto name = take_text(Bytes(sent.name_text, sizeof(sent.name_text)), sent.name);
    auto owner = take_text(Bytes(sent.owner_text, sizeof(sent.owner_text)), sent.owner);
    auto file = take_text(Bytes(sent.file_text, sizeof(sent.file_text)), sent.file);
    auto type = uint8_t(sent.head);
    if (!name || !owner || (!file && type != type_internal))
        return std::nullopt;
    if (type == type_internal && !sent.name)
        return stack_end();
    Names names = {type};
    if (sent.name)
        names.name = std::move(*name);
    names.owner = std::move(*owner);
    names.file = file.value_or("");
    names.first_line = uint32_t(sent.after_file);
    names.last_line = uint32_t(sent.after_file >> 32);
    return code_of(std::move(names));
}

}  // namespace

bool is_php(std::string_view file_name)
{
    if (file_name.starts_with("libphp"))
        return file_name.find(".so") != std::string_view::npos;
    if (!file_name.starts_with("php"))
        return false;
    std::string_view rest = file_name.substr(3);
    for (std::string_view kind : {"-fpm", "-cgi"})
        if (rest.starts_with(kind))
            rest.remove_prefix(kind.size());
    return rest.find_first_not_of("0123456789.") == std::string_view::npos;
}

std::optional<Interpreter> find_php_frames(const elf::Image &image, const elf::Frames &frames,
                                           std::string *unknown)
{
    PhpSymbols symbols = find_php_symbols(image);
    if (image.machine() != EM_X86_64 || !symbols.globals.vaddr || !symbols.loop.vaddr)
        return std::nullopt;
    Version version = find_php_version(image);
    const PhpRelease *release = find_release(php_releases, version);
    if (!release || !uses_offsets(image, symbols, *release))
        return is_unknown(unknown, "PHP", version);
    Interpreter found = {php_interpreter(*release), find_loop(image, frames, symbols.loop.vaddr)};
    found.frames.key = symbols.globals.vaddr;
    found.compiles_into_loop = keeps_registers(image, symbols) && found.use_registers();
    found.read = [release](const Memory &memory, uint64_t, uint64_t function) {
        return read_function(memory, *release, function);
    };
    found.take = take_function;
    return found;
}

}  // namespace uscope::lang
