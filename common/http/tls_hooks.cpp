// Finds the TLS functions of a file, decodes them, and builds their probes.
#include "http/tls_hooks.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "elf/pclntab.h"
#include "elf/symbols.h"
#include "expr/parse.h"
#include "go/build_info.h"
#include "insn/decode.h"
#include "insn/parts.h"

namespace uscope::http {
namespace {

using insn::Kind;
using spec::ProbeKind;

struct Function {
    const char *name;
    const char *begins;  // the C function that its entry probe calls
    // Index of the argument pointing to the length, from 1; 0: the length is the result.
    unsigned length_argument = 0;
    // Another function, which only calls this one. It needs no probe, unless the compiler has
    // inlined this one into it.
    const char *instead_of = nullptr;
};
constexpr Function functions[] = {
    {.name = "SSL_read", .begins = "tls_read"},
    {.name = "SSL_write", .begins = "tls_write"},
    {.name = "SSL_read_ex", .begins = "tls_read", .length_argument = 4},
    {.name = "SSL_write_ex2",  // since OpenSSL 3.3, with flags before the pointer to the length
     .begins = "tls_write",
     .length_argument = 5,
     .instead_of = "SSL_write_ex"},
    {.name = "SSL_write_ex", .begins = "tls_write", .length_argument = 4},
    {.name = "gnutls_record_recv", .begins = "tls_read"},
    {.name = "gnutls_record_send2", .begins = "tls_write", .instead_of = "gnutls_record_send"},
    {.name = "gnutls_record_send", .begins = "tls_write"},
    {.name = "mbedtls_ssl_read", .begins = "tls_read"},
    {.name = "mbedtls_ssl_write", .begins = "tls_write"},
    {.name = "wolfSSL_read", .begins = "tls_read"},
    {.name = "wolfSSL_recv", .begins = "tls_read"},
    {.name = "wolfSSL_write", .begins = "tls_write"},
    {.name = "wolfSSL_send", .begins = "tls_write"},
    {.name = "s2n_recv", .begins = "tls_read"},
    {.name = "s2n_send", .begins = "tls_write"},
};
constexpr const char *freeing[] = {"SSL_free",     "gnutls_deinit",       "mbedtls_ssl_free",
                                   "wolfSSL_free", "s2n_connection_free", "s2n_connection_wipe"};

// Which argument the instruction sets to a stack address: lea N(%rsp),%reg or mov %rsp,%reg, with
// %rcx (the fourth) or %r8 (the fifth). 0: none.
unsigned stack_address_argument(Bytes code)
{
    auto begins = [&](std::initializer_list<uint8_t> bytes) {
        return code.size() >= bytes.size() && std::equal(bytes.begin(), bytes.end(), code.data());
    };
    if (begins({0x48, 0x89, 0xe1}) || begins({0x48, 0x8d, 0x4c, 0x24}))
        return 4;
    if (begins({0x49, 0x89, 0xe0}) || begins({0x4c, 0x8d, 0x44, 0x24}))
        return 5;
    return 0;
}

// Returns by how many bytes the instruction grows the frame: push %reg, sub $N,%rsp. nullopt if it
// changes the stack pointer in another way.
std::optional<uint32_t> added_to_frame(Bytes code)
{
    constexpr uint8_t wide = 8, other_reg = 4, other_base = 1;  // bits of the REX prefix
    constexpr unsigned rsp = 4, in_register = 3, subtracts = 5, pushes = 6;
    auto parts = insn::take_apart(code);
    if (!parts || parts->size_prefix)
        return std::nullopt;
    if (!parts->is_legacy(0))
        return 0;
    uint8_t opcode = parts->opcode, pushes_or_pops = opcode & 0xf8;
    if (pushes_or_pops == 0x50)  // push %reg
        return 8;
    bool is_base = parts->modrm_at && parts->modrm >> 6 == in_register &&
                   (parts->modrm & 7) == rsp && !(parts->rex & other_base);
    bool is_reg = parts->modrm_at && parts->reg() == rsp && !(parts->rex & other_reg);
    if (is_base && parts->reg() == subtracts && (parts->rex & wide)) {
        if (auto bytes = code.read<int8_t>(parts->modrm_at + 1); opcode == 0x83 && bytes > 0)
            return *bytes;
        if (auto bytes = code.read<int32_t>(parts->modrm_at + 1); opcode == 0x81 && bytes > 0)
            return *bytes;
    }
    constexpr std::string_view of_stack =
        "\x68\x6a\x8f\x9c\x9d\xc8\xc9";  // push, pop, enter, leave
    constexpr std::string_view to_base =
        "\x01\x21\x29\x81\x83\x87\x89";                              // add, and, sub, xchg, mov
    constexpr std::string_view to_reg = "\x03\x23\x2b\x87\x8b\x8d";  // the same, and lea
    auto is_one_of = [&](std::string_view opcodes) {
        return opcodes.find(char(opcode)) != opcodes.npos;
    };
    bool is_other = pushes_or_pops == 0x58 || is_one_of(of_stack) ||
                    (opcode == 0xff && parts->reg() == pushes) || (is_base && is_one_of(to_base)) ||
                    (is_reg && is_one_of(to_reg));
    return is_other ? std::nullopt : std::optional<uint32_t>(0);
}

bool is_test_of_result(Bytes code)
{
    return code.size() >= 2 && code.data()[0] == 0x85 && code.data()[1] == 0xc0;  // test %eax,%eax
}

bool is_conditional_jump(Bytes code)
{
    uint8_t first = code.read<uint8_t>(0).value_or(0), second = code.read<uint8_t>(1).value_or(0);
    return (first & 0xf0) == 0x70 || (first == 0x0f && (second & 0xf0) == 0x80);
}

// Returns the offset of the conditional jump that tests a call's result. `at`: the offset after the
// call. Returns nullopt if an instruction between the two could change the result.
std::optional<uint64_t> jump_on_result(Bytes function, uint64_t at)
{
    constexpr uint64_t farthest = 48;
    if (!is_test_of_result(function.from(at)))
        return std::nullopt;
    for (uint64_t end = at + farthest; at < end;) {
        auto instruction = insn::decode(function.from(at));
        if (!instruction)
            return std::nullopt;
        if (instruction->kind == Kind::JumpRelative)
            return is_conditional_jump(function.from(at)) ? std::optional(at) : std::nullopt;
        if (instruction->kind != Kind::Other)
            return std::nullopt;
        at += instruction->length;
    }
    return std::nullopt;
}

using Symbols = std::map<std::string_view, elf::Symbol>;

Symbols find_symbols(const elf::Image &image)
{
    Symbols found;
    auto add = [&](const elf::Symbol &symbol) {
        if (symbol.is_function && !symbol.is_indirect)
            found.try_emplace(symbol.name, symbol);
    };
    for (const elf::SymbolTable &table : elf::symbol_tables(image)) {
        for (std::string_view part :
             {"SSL_", "gnutls_record_", "gnutls_deinit", "mbedtls_ssl_", "s2n_"})
            table.each_containing(part, add);
    }
    return found;
}

// The arguments and the numeric result of a Go function, as text of the expression language. On the
// stack, the arguments (a pointer and a slice) follow the return address, then the results.
struct GoCall {
    const char *arguments[3];
    const char *result;
    // Unused bytes before the values (tls_go_call::before). 0 for values that are read from memory:
    // then the program itself fills these bytes with words that say whether the values could be
    // read.
    uint32_t header_bytes;
};
constexpr GoCall in_registers = {
    {"reg(\"rax\")", "reg(\"rbx\")", "reg(\"rcx\")"}, "reg(\"rax\")", 16};
constexpr GoCall on_stack = {
    {"*(long *)(reg(\"rsp\") + 8)", "*(long *)(reg(\"rsp\") + 16)", "*(long *)(reg(\"rsp\") + 24)"},
    "*(long *)(reg(\"rsp\") + 40)",
    0};

// Adds the values of a tls_go_call (bpf/http/http_tls_go.bpf.h).
Result<> add_go_values(const GoCall &call, probe::ProbeRequest &probe)
{
    bool is_entry = probe.spec.kind == ProbeKind::Entry;
    for (const char *argument : call.arguments)
        TRY(probe.add_value(is_entry ? argument : fmt::format("$entry({})", argument)));
    if (!is_entry)
        probe.values.back().node = TRY(expr::parse(call.result));
    return {};
}

// Read needs a program at its return only: the arguments saved at its entry are available there,
// even if the call returns in another thread. Write has its data at the entry, and the number of
// bytes written at the return.
Result<> add_go_probes(const elf::Image &image, const std::string &path,
                       std::vector<probe::ProbeRequest> &probes)
{
    struct GoFunction {
        std::string_view name;
        ProbeKind kind;
        const char *calls;
    };
    constexpr std::string_view part = "crypto/tls.(*Conn).";
    constexpr GoFunction go_functions[] = {
        {"crypto/tls.(*Conn).Read", ProbeKind::Return, "tls_go_read"},
        {"crypto/tls.(*Conn).Write", ProbeKind::Return, "tls_go_written"},
        {"crypto/tls.(*Conn).Write", ProbeKind::Entry, "tls_go_write"},
        {"crypto/tls.(*Conn).Close", ProbeKind::Entry, "tls_go_close"},
    };
    auto table = image.is_go() ? image.go_functions() : nullptr;
    std::set<std::string, std::less<>> found;
    if (table && image.machine() == EM_X86_64)
        table->each_containing(part,
                               [&](const elf::Symbol &symbol) { found.emplace(symbol.name); });
    const GoCall &call = go::passes_in_registers(image) ? in_registers : on_stack;
    for (const GoFunction &function : go_functions) {
        if (!found.contains(function.name))
            continue;
        probes.push_back(function_probe(function.kind, path, function.name.data(), function.calls));
        probes.back().event_output.header_bytes = call.header_bytes;
        TRY(add_go_values(call, probes.back()));
    }
    return {};
}

// Adds a value to a probe inside the function: the stack pointer at the function's first
// instruction, which identifies the call.
Result<> add_entry_stack(uint32_t frame_bytes, probe::ProbeRequest &probe)
{
    return probe.add_value(fmt::format("reg(\"rsp\") + {}", frame_bytes));
}

Result<> add_probes(const elf::Image &image, const Function &function, const elf::Symbol &symbol,
                    const std::string &path, std::vector<probe::ProbeRequest> &probes)
{
    std::optional<InnerCall> inner;
    if (auto code = image.bytes_at(symbol.vaddr, symbol.size); code && image.machine() == EM_X86_64)
        inner = find_inner_call(*code);
    unsigned length = function.length_argument;
    if (inner && !length)
        length = inner->length_argument;
    bool is_inner = inner && (length || inner->jump);

    // Attach the end before the beginning, so that no call stays open.
    if (is_inner && inner->jump) {
        probes.push_back(
            function_probe(ProbeKind::Entry, path, function.name, "tls_end", inner->jump));
        TRY(add_entry_stack(inner->frame_bytes, probes.back()));
    } else {
        probes.push_back(function_probe(ProbeKind::Return, path, function.name, "tls_end"));
    }
    probes.push_back(function_probe(ProbeKind::Entry, path, function.name, function.begins,
                                    is_inner ? inner->call : 0));
    if (is_inner)
        TRY(add_entry_stack(inner->frame_bytes, probes.back()));
    if (length)
        probes.back().measured = TRY(expr::parse(fmt::format("arg{}", length)));
    return {};
}

}  // namespace

probe::ProbeRequest function_probe(ProbeKind kind, const std::string &file, const char *function,
                                   const char *calls, uint64_t offset)
{
    probe::ProbeRequest request;
    request.spec.kind = kind;
    request.spec.library.text = file;
    request.spec.function.text = function;
    request.spec.offset = offset;
    request.spec.source = fmt::format("{}:{}", file, function);
    request.event_output.kind = expr::OutputKind::Key;
    request.event_output.function = calls;
    return request;
}

bool only_calls(const elf::Image &image, const elf::Symbol &function, const elf::Symbol &other)
{
    if (image.machine() != EM_X86_64)
        return true;
    Bytes code = image.bytes_at(function.vaddr, function.size).value_or(Bytes());
    for (uint64_t at = 0; at < code.size();) {
        auto instruction = insn::decode(code.from(at));
        if (!instruction)
            return false;
        bool is_jump =
            instruction->kind == Kind::JumpRelative && !is_conditional_jump(code.from(at));
        if (is_jump || instruction->kind == Kind::JumpIndirect)
            return true;
        at += instruction->length;
        if (instruction->kind == Kind::CallRelative)
            return function.vaddr + at + code.read<int32_t>(at - 4).value_or(0) == other.vaddr;
    }
    return false;
}

std::optional<InnerCall> find_inner_call(Bytes function)
{
    constexpr uint64_t farthest = 64;
    unsigned length_argument = 0;
    uint32_t frame_bytes = 0;
    bool any_jump = false;
    for (uint64_t at = 0; at < std::min<uint64_t>(farthest, function.size());) {
        auto instruction = insn::decode(function.from(at));
        if (!instruction)
            return std::nullopt;
        if (unsigned argument = stack_address_argument(function.from(at)))
            length_argument = argument;
        if (instruction->kind == Kind::CallRelative) {
            uint64_t next = at + instruction->length;
            if (length_argument) {
                auto jump = jump_on_result(function, next);
                return jump ? std::optional(InnerCall{at, *jump, length_argument, frame_bytes})
                            : std::nullopt;
            }
            return any_jump ? std::nullopt : std::optional(InnerCall{at, 0, 0, frame_bytes});
        }
        if (instruction->kind == Kind::JumpRelative && !is_conditional_jump(function.from(at)))
            return std::nullopt;
        any_jump |= instruction->kind == Kind::JumpRelative;
        if (instruction->kind == Kind::Return || instruction->kind == Kind::JumpIndirect)
            return std::nullopt;
        auto added = added_to_frame(function.from(at));
        if (!added)
            return std::nullopt;
        frame_bytes += *added;
        at += instruction->length;
    }
    return std::nullopt;
}

Result<std::vector<probe::ProbeRequest>> tls_probes(const elf::Image &image,
                                                    const std::string &path)
{
    std::vector<probe::ProbeRequest> probes;
    Symbols symbols = find_symbols(image);
    std::string_view replaced;
    for (const Function &function : functions) {
        auto symbol = symbols.find(function.name);
        if (symbol == symbols.end() || function.name == replaced)
            continue;
        auto caller = symbols.find(function.instead_of ? function.instead_of : "");
        if (caller != symbols.end() && only_calls(image, caller->second, symbol->second))
            replaced = function.instead_of;
        TRY(add_probes(image, function, symbol->second, path, probes));
    }
    for (const char *function : freeing) {
        if (!probes.empty() && symbols.contains(function))
            probes.push_back(function_probe(ProbeKind::Entry, path, function, "tls_free"));
    }
    TRY(add_go_probes(image, path, probes));
    return probes;
}

bool is_tls_library(std::string_view file_name)
{
    constexpr std::string_view beginnings[] = {
        "libssl.so",     "libssl-",       "libgnutls.so", "libboringssl",
        "libmbedtls.so", "libwolfssl.so", "libs2n.so",
    };
    return std::any_of(std::begin(beginnings), std::end(beginnings),
                       [&](std::string_view begin) { return file_name.starts_with(begin); });
}

bool is_tls_or_http3_library(std::string_view file_name)
{
    return is_tls_library(file_name) || file_name.starts_with("libnghttp3.so");
}

}  // namespace uscope::http
