// A thread keeps its interpreter under a key, PL_thr_key. The interpreter has the current statement
// (COP), PL_curcop, and its contexts: one for each function, eval, block or loop that was entered.
// They are in an array, one after the other. When C calls Perl (for a comparison of sort, a tied
// variable, a destructor), another array begins:
//
//     array      8  contexts   16  previous array     32  index of the newest context, or -1
//               40  index of the newest function or eval   44  why it began: 3 for a sort
//     context    0  kind: 9 a function, 10 a format, 11 an eval, 0 the block of a sort
//               16  the caller's statement: the former PL_curcop
//               48  where to return; 0: C called the loop
//               72  the function
//     statement 16  the C function of this instruction   36  line   48  file
//
// A function (CV) is a head that points to a body. Its name is in a glob (GV) or, with a bit in its
// flags, in the body itself:
//
//     head       0  body          16  glob only: its entry (GP), with the aliased glob at 56
//     function  32  package       40  first instruction   56  glob or name   64  file   92  flags
//     glob      32  name          40  package
//     package   its name follows the table's members in the body or, before 5.36, the table
//     name       4  length         8  bytes, a NUL, and 1 if they are UTF-8 (else Latin-1)
//
// runops, the loop, executes one instruction after another, including those of called functions. C
// code that calls Perl calls the loop again. So does an eval in Perl code that C has called: then
// docatch(), between the two activations of the loop, catches exceptions, and has no context.
//
// Only the interpreter's offsets have changed between releases. A release's offsets are used if the
// file's code uses them:
//
//     Perl_caller_cx()   mov 0xe0(%rdi),%r11    the newest array, 16 after PL_curcop
#include "lang/perl/frames.h"

#include <elf.h>
#include <algorithm>

#include "base/text.h"
#include "insn/parts.h"
#include "lang/field_reader.h"

namespace uscope::lang {
namespace {

constexpr uint8_t context_bytes = 0x68, caller_at = 16, return_at = 48, function_at = 72;
constexpr uint8_t perl_line_at = 36, file_at = 48, instruction_at = 16;  // of a statement
constexpr uint8_t package_at = 32, start_at = 40, perl_name_at = 56, function_file_at = 64,
                  flags_at = 92;
constexpr uint32_t is_named = 0x8000, is_lexical = 0x10000;

struct PerlRelease {
    Version version;
    uint16_t statement, contexts;  // offsets in the interpreter
    bool names_in_body;            // a package's names are in its body
};
constexpr PerlRelease perl_releases[] = {
    {{5, 32}, 0xe0, 0xf0, false},
    {{5, 36}, 0xd0, 0xe0, true},
    {{5, 40}, 0xd0, 0xe0, true},
};

struct PerlSymbols {
    elf::Symbol key, version, loop, debug_loop, caller;
};

PerlSymbols find_perl_symbols(const elf::Image &image)
{
    PerlSymbols found;
    find_symbols(image, {{"PL_thr_key", &found.key},
                         {"PL_version", &found.version},
                         {"Perl_runops_standard", &found.loop},
                         {"Perl_runops_debug", &found.debug_loop},
                         {"Perl_caller_cx", &found.caller}});
    return found;
}

// Does the function read 8 bytes at this offset, near its start?
bool reads(const elf::Image &image, uint64_t function, int32_t offset)
{
    constexpr uint64_t max_bytes = 64;
    constexpr uint8_t load = 0x8b, wide = 8, wide_offset = 2;
    Bytes code = image.bytes_at(function, max_bytes).value_or(Bytes());
    for (uint64_t at = 0; at < code.size();) {
        auto parts = insn::take_apart(code.from(at));
        if (!parts)
            return false;
        bool is_such = parts->is_legacy(0) && parts->opcode == load && parts->rex & wide &&
                       parts->modrm >> 6 == wide_offset;
        if (is_such && code.read<int32_t>(at + parts->modrm_at + 1) == offset)
            return true;
        at += parts->length;
    }
    return false;
}

unwind_interpreter perl_interpreter(const PerlRelease &release)
{
    unwind_interpreter made = {};
    made.values_at = glibc_values_at;
    made.blocks_at = glibc_blocks_at;
    made.current_at = release.contexts;
    made.statement_at = release.statement;
    made.context_bytes = context_bytes;
    made.frame_bytes = function_at + sizeof(uint64_t);
    made.code_at = function_at;
    made.position_at = caller_at;
    made.return_at = return_at;
    made.ends_marks = 1;
    made.line_at = perl_line_at;
    // The kernel side hashes four words of a function. At the same offsets, a statement has its
    // file.
    made.check_words_at = made.native_words_at = start_at;
    made.check_bytes = start_at + UNWIND_CHECK_WORDS * sizeof(uint64_t);
    return made;
}

// --- functions ---------------------------------------------------------------------------------

std::string from_latin_1(std::string_view text)
{
    std::string found;
    for (char c : text)
        append_utf8(found, uint8_t(c));
    return found;
}

std::string read_name(FieldReader &from, uint64_t name)
{
    constexpr uint64_t length_at = 4, text_at = 8, max_bytes = 4096;
    auto length = from.follow<uint32_t>(name, {length_at});
    std::string found = from.bytes(name + text_at, uint64_t{length} + 2, max_bytes + 2);
    if (from.failed() || !from.expect(found[length] == '\0'))
        return "";
    bool is_utf8 = found.back() & 1;
    found.resize(length);
    return is_utf8 ? found : from_latin_1(found);
}

// Returns the address of a package's list of names; the first one counts.
uint64_t names_of(FieldReader &from, const PerlRelease &release, uint64_t package)
{
    constexpr uint64_t table_at = 16, last_at = 24, body_bytes = 32;
    if (release.names_in_body)
        return from.read(package) + body_bytes;
    uint64_t last = from.follow(package, {0, last_at});
    return from.read(package + table_at) + (last + 1) * sizeof(uint64_t);
}

// A deleted package is "__ANON__", as in caller().
std::string read_package(FieldReader &from, const PerlRelease &release, uint64_t package)
{
    constexpr uint64_t count_at = 28;
    if (!package)
        return "__ANON__";
    uint64_t names = names_of(from, release, package);
    bool has_list = from.read<int32_t>(names + count_at) != 0;
    uint64_t name = from.read(names);
    if (has_list)
        name = from.read(name);
    return name ? read_name(from, name) : "__ANON__";
}

// Reads a function's name from its glob or, if that is an alias of another glob, from the other
// one.
std::string read_glob(FieldReader &from, const PerlRelease &release, uint64_t glob)
{
    constexpr uint64_t entry_at = 16, alias_of_at = 56, glob_name_at = 32, glob_package_at = 40;
    FieldReader entry(from.memory());
    uint64_t original = entry.follow(glob, {entry_at, alias_of_at});
    uint64_t body = from.read(original ? original : glob);
    return read_package(from, release, from.follow(body, {glob_package_at})) +
           "::" + read_name(from, from.follow(body, {glob_name_at}));
}

std::string read_function_name(FieldReader &from, const PerlRelease &release, uint64_t body)
{
    auto flags = from.read<uint32_t>(body + flags_at);
    uint64_t name = from.read(body + perl_name_at), package = from.read(body + package_at);
    if (!(flags & is_named))
        return name ? read_glob(from, release, name) : "__ANON__";
    if (flags & is_lexical)
        return read_name(from, name);
    return read_package(from, release, package) + "::" + read_name(from, name);
}

std::string_view name_of_kind(uint64_t at)
{
    switch (at >> UNWIND_CONTEXT_SHIFT) {
    case UNWIND_CONTEXT_EVAL:
        return "(eval)";  // the name in caller(), also for a file that is being loaded
    case UNWIND_CONTEXT_BLOCK:
        return "(block)";
    default:
        return "<main>";
    }
}

// Is `code` a statement, and not a function's body? A statement has the address of a C function at
// instruction_at, where a body has a small number, the length of its prototype. A body has the
// address of its first instruction at start_at. The compiler's own statement is not an instruction,
// and has neither address.
bool is_statement(FieldReader &from, uint64_t code)
{
    constexpr uint64_t least_address = 1 << 16;
    return from.read(code + instruction_at) >= least_address ||
           from.read(code + start_at) < least_address;
}

std::optional<Code> read_perl_code(const Memory &memory, const PerlRelease &release,
                                   uint64_t address)
{
    FieldReader from(memory);
    Code code;
    bool is_in_no_function = is_statement(from, address);
    if (is_in_no_function)
        code.function_at = name_of_kind;
    else
        code.function = read_function_name(from, release, address);
    code.file = from.string(from.read(address + (is_in_no_function ? file_at : function_file_at)));
    code.line = [](uint64_t at) {
        uint64_t line = at & UNWIND_CONTEXT_NO_LINE;
        return line == UNWIND_CONTEXT_NO_LINE ? 0 : uint32_t(line);
    };
    return from.result(std::move(code));
}

}  // namespace

bool is_perl(std::string_view file_name)
{
    if (file_name.starts_with("libperl"))
        return file_name.find(".so") != std::string_view::npos;
    if (!file_name.starts_with("perl"))
        return false;
    std::string_view rest = file_name.substr(4);
    return rest.empty() || (rest[0] >= '0' && rest[0] <= '9');
}

std::optional<Interpreter> find_perl_frames(const elf::Image &image, const elf::Frames &frames,
                                            std::string *unknown)
{
    PerlSymbols symbols = find_perl_symbols(image);
    if (image.machine() != EM_X86_64 || !symbols.key.vaddr || !symbols.loop.vaddr ||
        !symbols.version.vaddr)
        return std::nullopt;
    Bytes minor = image.bytes_at(symbols.version.vaddr, 1).value_or(Bytes());
    Version version = {5, minor.read<uint8_t>(0).value_or(0)};
    const PerlRelease *release = find_release(perl_releases, version);
    if (!release || !reads(image, symbols.caller.vaddr, release->contexts))
        return is_unknown(unknown, "Perl", version);
    Interpreter found = {perl_interpreter(*release)};
    for (uint64_t loop : {symbols.loop.vaddr, symbols.debug_loop.vaddr})
        if (auto piece = loop ? frames.at(loop) : std::nullopt)
            found.loop.push_back(*piece);
    found.frames.key = symbols.key.vaddr;
    found.reenters_by = "docatch";
    found.read = [release](const Memory &memory, uint64_t, uint64_t code) {
        return read_perl_code(memory, *release, code);
    };
    return found;
}

}  // namespace uscope::lang
