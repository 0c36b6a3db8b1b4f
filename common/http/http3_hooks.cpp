// Finds libnghttp3's functions in a file and builds their probes.
#include "http/http3_hooks.h"

#include <algorithm>
#include <map>

#include "elf/symbols.h"
#include "http/tls_hooks.h"

namespace uscope::http {
namespace {

using spec::ProbeKind;

struct Http3Hook {
    std::string_view function;
    ProbeKind kind;
    const char *calls;
    std::vector<std::string_view> values = {};
    bool is_needed = true;
};

// The end of a call precedes its beginning, so that no call stays open.
std::vector<Http3Hook> http3_hooks()
{
    return {
        {"nghttp3_qpack_decoder_read_request",
         ProbeKind::Return,
         "http3_decoded",
         {"$entry(arg2)", "$entry(arg3)", "$entry(arg4)"}},
        {"nghttp3_conn_read_stream2",
         ProbeKind::Return,
         "http3_read_end",
         {"$entry(arg1)", "$entry(arg2)", "$entry(arg4)", "$entry(arg5)"},
         false},
        {"nghttp3_conn_read_stream2", ProbeKind::Entry, "http3_read", {}, false},
        {"nghttp3_conn_read_stream",
         ProbeKind::Return,
         "http3_read_end",
         {"$entry(arg1)", "$entry(arg2)", "$entry(arg4)", "$entry(arg5)"}},
        {"nghttp3_conn_read_stream", ProbeKind::Entry, "http3_read"},
        {"nghttp3_conn_writev_stream",
         ProbeKind::Return,
         "http3_write_end",
         {"$entry(arg1)", "$entry(arg2)", "$entry(arg3)", "$entry(arg4)"}},
        {"nghttp3_conn_add_write_offset", ProbeKind::Entry, "http3_sent"},
        {"nghttp3_conn_submit_request", ProbeKind::Entry, "http3_submit"},
        {"nghttp3_conn_submit_response", ProbeKind::Entry, "http3_submit"},
        {"nghttp3_conn_submit_trailers", ProbeKind::Entry, "http3_submit", {}, false},
        {"nghttp3_conn_close_stream", ProbeKind::Entry, "http3_close"},
        {"nghttp3_conn_del", ProbeKind::Entry, "tls_free"},
    };
}

using Http3Symbols = std::map<std::string, elf::Symbol, std::less<>>;

Http3Symbols find_http3_symbols(const elf::Image &image)
{
    Http3Symbols found;
    for (const elf::SymbolTable &table : elf::symbol_tables(image)) {
        table.each_containing("nghttp3_", [&](const elf::Symbol &symbol) {
            if (symbol.is_function && !symbol.is_indirect && symbol.size)
                found.try_emplace(std::string(symbol.name), symbol);
        });
    }
    return found;
}

// Removes the bytes from the beginning of the code if it begins with them.
bool skip_code(Bytes &code, std::string_view bytes)
{
    if (!code.text().starts_with(bytes))
        return false;
    code = code.from(bytes.size());
    return true;
}

std::optional<Http3Buffer> find_buffer_x86(Bytes code)
{
    using namespace std::string_view_literals;
    constexpr uint8_t rax = 0, rdx = 2;
    std::optional<uint32_t> offsets[4];     // by register
    skip_code(code, "\xf3\x0f\x1e\xfa"sv);  // endbr64
    bool has_frame = skip_code(code, "\x55\x48\x89\xe5"sv);
    while (skip_code(code, "\x48\x8b"sv)) {  // mov N(%rdi),%reg
        uint8_t modrm = code.read<uint8_t>(0).value_or(0xff), reg = modrm >> 3 & 7;
        auto near = code.read<int8_t>(1);
        bool is_zero = (modrm & 0xc7) == 0x07, is_near = (modrm & 0xc7) == 0x47;
        if ((!is_zero && !is_near) || (reg != rax && reg != rdx) || (is_near && near < 0))
            return std::nullopt;
        offsets[reg] = is_near ? *near : 0;
        code = code.from(is_near ? 2 : 1);
    }
    if (has_frame && !skip_code(code, "\x5d"sv))
        return std::nullopt;
    if (!skip_code(code, "\xc3"sv) || !offsets[rax] || !offsets[rdx])
        return std::nullopt;
    return Http3Buffer{*offsets[rax], *offsets[rdx]};
}

std::optional<Http3Buffer> find_buffer_arm(Bytes code)
{
    constexpr uint32_t bti = 0xd503245f, ret = 0xd65f03c0;
    constexpr uint32_t pair = 0xa9400400, fixed = 0xffe07fff;  // ldp x0, x1, [x0, #N]
    size_t at = code.read<uint32_t>(0) == bti ? 4 : 0;
    uint32_t load = code.read<uint32_t>(at).value_or(0);
    if ((load & fixed) != pair || code.read<uint32_t>(at + 4) != ret)
        return std::nullopt;
    uint32_t base_at = (load >> 15 & 0x3f) * 8;
    return Http3Buffer{base_at, base_at + 8};
}

Result<Http3Buffer> http3_buffer_of(const elf::Image &image, const Http3Symbols &symbols)
{
    auto symbol = symbols.find("nghttp3_rcbuf_get_buf");
    std::optional<Http3Buffer> buffer;
    if (symbol != symbols.end()) {
        auto code = image.bytes_at(symbol->second.vaddr, symbol->second.size);
        buffer = find_http3_buffer(code.value_or(Bytes()), image.machine());
    }
    if (!buffer)
        return fail("its HTTP/3 library has buffers of an unknown layout");
    return *buffer;
}

}  // namespace

std::optional<Http3Buffer> find_http3_buffer(Bytes function, uint16_t machine)
{
    if (machine == EM_X86_64)
        return find_buffer_x86(function);
    return machine == EM_AARCH64 ? find_buffer_arm(function) : std::nullopt;
}

Result<std::vector<probe::ProbeRequest>> http3_probes(const elf::Image &image,
                                                      const std::string &path)
{
    std::vector<probe::ProbeRequest> probes;
    Http3Symbols symbols = find_http3_symbols(image);
    if (!symbols.contains("nghttp3_conn_read_stream"))
        return probes;
    Http3Buffer buffer = TRY(http3_buffer_of(image, symbols));
    auto newer = symbols.find("nghttp3_conn_read_stream2");
    bool has_newer = newer != symbols.end() &&
                     only_calls(image, symbols.at("nghttp3_conn_read_stream"), newer->second);
    for (const Http3Hook &hook : http3_hooks()) {
        if (!symbols.contains(hook.function)) {
            if (hook.is_needed)
                return fail("its HTTP/3 library has no function {}", hook.function);
            continue;
        }
        if (has_newer && hook.function == "nghttp3_conn_read_stream")
            continue;  // only calls the newer one
        probes.push_back(
            function_probe(hook.kind, path, std::string(hook.function).c_str(), hook.calls));
        for (std::string_view value : hook.values)
            TRY(probes.back().add_value(value));
        if (hook.calls == std::string_view("http3_decoded")) {
            TRY(probes.back().add_value(fmt::format("{}", buffer.base_at)));
            TRY(probes.back().add_value(fmt::format("{}", buffer.length_at)));
        }
    }
    return probes;
}

}  // namespace uscope::http
