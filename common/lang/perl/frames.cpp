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
// code calls the loop again; so does an eval in Perl code that C has called: there, docatch()
// between the two activations catches exceptions, and it has no context.
//
// Only the interpreter's offsets have changed between releases. A release's offsets are used if the
// file's code uses them:
//
//     Perl_caller_cx()   mov 0xe0(%rdi),%r11    the newest array, 16 after PL_curcop
#include "lang/perl/frames.h"

#include <elf.h>
#include <algorithm>

#include "base/text.h"
#include "elf/symbols.h"
#include "insn/parts.h"
#include "lang/memory.h"

namespace uscope::lang {
namespace {

constexpr uint8_t context_bytes = 0x68, caller_at = 16, return_at = 48, function_at = 72;
constexpr uint8_t perl_line_at = 36, file_at = 48, instruction_at = 16;  // of a statement
constexpr uint8_t package_at = 32, start_at = 40, perl_name_at = 56, function_file_at = 64,
                  flags_at = 92;
constexpr uint32_t is_named = 0x8000, is_lexical = 0x10000;

struct PerlRelease {
    uint8_t version;               // 5.version
    uint16_t statement, contexts;  // offsets in the interpreter
    bool names_in_body;            // of packages
};
constexpr PerlRelease perl_releases[] = {
    {32, 0xe0, 0xf0, false},
    {36, 0xd0, 0xe0, true},
    {40, 0xd0, 0xe0, true},
};

struct PerlSymbols {
    uint64_t key = 0, version = 0, loop = 0, debug_loop = 0, caller = 0;
};

PerlSymbols find_perl_symbols(const elf::Image &image)
{
    PerlSymbols found;
    std::pair<std::string_view, uint64_t *> wanted[] = {
        {"PL_thr_key", &found.key},
        {"PL_version", &found.version},
        {"Perl_runops_standard", &found.loop},
        {"Perl_runops_debug", &found.debug_loop},
        {"Perl_caller_cx", &found.caller},
    };
    for (const elf::SymbolTable &table : elf::symbol_tables(image))
        for (auto &[name, vaddr] : wanted)
            table.each_containing(name, [&, &name = name, &vaddr = vaddr](const elf::Symbol &one) {
                if (one.name == name)
                    *vaddr = one.vaddr;
            });
    return found;
}

const PerlRelease *find_perl_release(unsigned version)
{
    auto found =
        std::find_if(std::begin(perl_releases), std::end(perl_releases),
                     [&](const PerlRelease &release) { return release.version == version; });
    return found == std::end(perl_releases) ? nullptr : found;
}

// Does the function read 8 bytes at this offset, near its start?
bool reads(const elf::Image &image, uint64_t function, int32_t offset)
{
    constexpr uint64_t most_bytes = 64;
    constexpr uint8_t load = 0x8b, wide = 8, wide_offset = 2;
    Bytes code = image.bytes_at(function, most_bytes).value_or(Bytes());
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
    // Four words of a function. In a statement, these include the file.
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

std::optional<std::string> read_name(const Memory &memory, uint64_t name)
{
    constexpr uint64_t length_at = 4, text_at = 8;
    constexpr uint32_t most_bytes = 4096;
    auto length = name ? memory.read<uint32_t>(name + length_at) : std::nullopt;
    if (!length || *length > most_bytes)
        return std::nullopt;
    std::string found(*length + 2, '\0');
    if (!memory.read(name + text_at, found.data(), found.size()) || found[*length] != '\0')
        return std::nullopt;
    bool is_utf8 = found.back() & 1;
    found.resize(*length);
    return is_utf8 ? found : from_latin_1(found);
}

// Returns the address of a package's names. There may be several; the first one counts.
std::optional<uint64_t> names_of(const Memory &memory, const PerlRelease &release, uint64_t package)
{
    constexpr uint64_t table_at = 16, last_at = 24, body_bytes = 32;
    auto body = memory.read<uint64_t>(package);
    if (!body || release.names_in_body)
        return body ? std::optional(*body + body_bytes) : std::nullopt;
    auto table = memory.read<uint64_t>(package + table_at);
    auto last = memory.read<uint64_t>(*body + last_at);
    return table && last ? std::optional(*table + (*last + 1) * sizeof(uint64_t)) : std::nullopt;
}

// A deleted package is "__ANON__", as in caller().
std::optional<std::string> read_package(const Memory &memory, const PerlRelease &release,
                                        uint64_t package)
{
    constexpr uint64_t count_at = 28;
    auto names = package ? names_of(memory, release, package) : std::nullopt;
    auto count = names ? memory.read<int32_t>(*names + count_at) : std::nullopt;
    auto name = names ? memory.read<uint64_t>(*names) : std::nullopt;
    if (name && count && *count != 0)
        name = memory.read<uint64_t>(*name);
    if (package && (!name || !count))
        return std::nullopt;
    return package && *name ? read_name(memory, *name) : "__ANON__";
}

std::optional<std::string> qualified(std::optional<std::string> package,
                                     std::optional<std::string> name)
{
    return package && name ? std::optional(*package + "::" + *name) : std::nullopt;
}

// The function's name is that of the glob, or of the glob that this one is an alias of.
std::optional<std::string> read_glob(const Memory &memory, const PerlRelease &release,
                                     uint64_t glob)
{
    constexpr uint64_t entry_at = 16, alias_of_at = 56, glob_name_at = 32, glob_package_at = 40;
    auto entry = memory.read<uint64_t>(glob + entry_at);
    auto original = entry && *entry ? memory.read<uint64_t>(*entry + alias_of_at) : std::nullopt;
    auto body = memory.read<uint64_t>(original && *original ? *original : glob);
    auto name = body ? memory.read<uint64_t>(*body + glob_name_at) : std::nullopt;
    auto package = body ? memory.read<uint64_t>(*body + glob_package_at) : std::nullopt;
    if (!name || !package)
        return std::nullopt;
    return qualified(read_package(memory, release, *package), read_name(memory, *name));
}

std::optional<std::string> read_function_name(const Memory &memory, const PerlRelease &release,
                                              uint64_t body)
{
    auto flags = memory.read<uint32_t>(body + flags_at);
    auto name = memory.read<uint64_t>(body + perl_name_at);
    auto package = memory.read<uint64_t>(body + package_at);
    if (!flags || !name || !package)
        return std::nullopt;
    if (!(*flags & is_named))
        return *name ? read_glob(memory, release, *name) : "__ANON__";
    if (*flags & is_lexical)
        return read_name(memory, *name);
    return qualified(read_package(memory, release, *package), read_name(memory, *name));
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

// Tells a statement from a function's body. A body has a small number instead of the address of a C
// function (the length of its prototype), and then the address of its first instruction. The
// compiler's own statement is not an instruction: it has neither address.
std::optional<bool> is_statement(const Memory &memory, uint64_t code)
{
    constexpr uint64_t least_address = 1 << 16;
    auto instruction = memory.read<uint64_t>(code + instruction_at);
    auto start = memory.read<uint64_t>(code + start_at);
    if (!instruction || !start)
        return std::nullopt;
    return *instruction >= least_address || *start < least_address;
}

std::optional<Code> read_perl_code(const Memory &memory, const PerlRelease &release,
                                   uint64_t address)
{
    auto is_in_no_function = is_statement(memory, address);
    if (!is_in_no_function)
        return std::nullopt;
    auto file = memory.read<uint64_t>(address + (*is_in_no_function ? file_at : function_file_at));
    auto path = file ? memory.string(*file) : std::nullopt;
    Code code;
    if (*is_in_no_function)
        code.function_at = name_of_kind;
    else if (auto name = read_function_name(memory, release, address))
        code.function = std::move(*name);
    else
        return std::nullopt;
    code.file = path.value_or("");
    code.line = [](uint64_t at) {
        uint64_t line = at & UNWIND_CONTEXT_NO_LINE;
        return line == UNWIND_CONTEXT_NO_LINE ? 0 : uint32_t(line);
    };
    return path ? std::optional(std::move(code)) : std::nullopt;
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
    if (image.machine() != EM_X86_64 || !symbols.key || !symbols.loop || !symbols.version)
        return std::nullopt;
    unsigned version =
        image.bytes_at(symbols.version, 1).value_or(Bytes()).read<uint8_t>(0).value_or(0);
    const PerlRelease *release = find_perl_release(version);
    if (!release || !reads(image, symbols.caller, release->contexts))
        return is_unknown(unknown, "Perl", {5, version});
    Interpreter found = {perl_interpreter(*release)};
    for (uint64_t loop : {symbols.loop, symbols.debug_loop})
        if (auto piece = loop ? frames.at(loop) : std::nullopt)
            found.loop.push_back(*piece);
    found.frames.key = symbols.key;
    found.reenters_by = "docatch";
    found.read = [release](const Memory &memory, uint64_t, uint64_t code) {
        return read_perl_code(memory, *release, code);
    };
    return found;
}

}  // namespace uscope::lang
