#include "go/http.h"

#include "base/format.h"
#include "base/text.h"

namespace uscope::go {
namespace {

// Members, in bytes: net/http.Request, net/url.URL, net/http.Response.
constexpr unsigned request_method = 0, request_url = 16, request_host = 128;
constexpr unsigned url_scheme = 0, url_host = 40, url_path = 56;
constexpr unsigned response_status = 16, response_bytes = 80;
// net/http.response, the writer of HTTP/1.
constexpr unsigned http1_bytes = 104, http1_status = 120;
// net.OpError: Op, Net, Source, Addr, Err. os.SyscallError: Syscall, Err.
constexpr unsigned operation_error = 64, system_call_error = 16;
constexpr unsigned second_string = 16;

std::string word(std::string_view base, unsigned offset)
{
    return fmt::format("*(long *)({} + {})", base, offset);
}

// The string whose pointer and length are at base + offset.
std::string string(std::string_view base, unsigned offset)
{
    return fmt::format("str({}, {})", word(base, offset), word(base, offset + 8));
}

// The type of what the interface at base + offset holds, by its table.
std::string type(std::string_view base, unsigned offset)
{
    return word(word(base, offset), 8);
}

struct Values {
    std::string format, list;

    void add(std::string_view conversion, const std::string &value)
    {
        format += fmt::format("{}{}", format.empty() ? "" : " ", conversion);
        list += ", " + value;
    }
    void number(const std::string &value) { add("%ld", value); }
    void text(const std::string &value) { add("%s", value); }
};

}  // namespace

Result<HttpLayout> http_layout(Version version)
{
    constexpr Version first = {1, 18}, last = {1, 27}, moved_query = {1, 26};
    auto goroutine_id = goroutine_id_offset(version);
    if (!goroutine_id || version < first || version > last)
        return fail("the layout of net/http is known of Go {}.{} to {}.{}, not of {}.{}",
                    first.major, first.minor, last.major, last.minor, version.major, version.minor);
    HttpLayout layout;
    layout.goroutine_id = *goroutine_id;
    layout.query = version < moved_query ? 96 : 88;
    if (version <= Version{1, 19}) {
        layout.http2_status = 80;
        layout.http2_bytes = 104;
    } else if (version >= Version{1, 23}) {
        layout.http2_status = 72;
        layout.http2_bytes = 96;
    }
    return layout;
}

std::string http_values(HttpSide side, const HttpLayout &layout, uint64_t least_ns)
{
    bool is_client = side == HttpSide::Client;
    std::string request = is_client ? "$entry(arg2)" : "$entry(arg4)";
    std::string url = word(request, request_url);
    Values values;
    values.number(word("reg(\"r14\")", layout.goroutine_id));
    values.number("$latency");
    values.text(string(request, request_method));
    values.text(string(url, url_scheme));
    values.text(is_client ? string(url, url_host) : string(request, request_host));
    values.text(string(url, url_path));
    values.text(string(url, layout.query));
    values.number("$entry(reg(\"rip\"))");
    if (is_client) {
        std::string response = "reg(\"rax\")", error = "reg(\"rcx\")";
        std::string inner = word(error, operation_error + 8);
        values.number(word("reg(\"rbx\")", 8));
        values.number(word(response, response_status));
        values.number(word(response, response_bytes));
        values.text(string(error, 0));
        values.text(string(error, second_string));
        values.number(type(error, operation_error));
        values.text(string(inner, 0));
        values.number(word(word(inner, system_call_error + 8), 0));
        values.number(type(error, 0));
        values.text(string(word(error, 8), 0));
    } else {
        std::string writer = "$entry(arg3)", state = word(writer, 0);
        values.number(word("$entry(arg2)", 8));
        values.number(word(writer, http1_status));
        values.number(word(writer, http1_bytes));
        values.number(layout.http2_status ? word(state, layout.http2_status) : "-1");
        values.number(layout.http2_bytes ? word(state, layout.http2_bytes) : "-1");
    }
    std::string condition = least_ns ? fmt::format("($latency >= {}) ", least_ns) : "";
    return fmt::format("{}\"{}\"{}", condition, values.format, values.list);
}

std::string http_path_template(std::string_view path)
{
    std::string result;
    bool is_first = true;
    for (std::string_view part : split(path, '/')) {
        bool has_digit = part.find_first_of("0123456789") != part.npos;
        bool is_number = part.find_first_not_of("0123456789abcdefABCDEF-") == part.npos;
        if (!is_first)
            result += '/';
        result += has_digit && is_number ? "*" : part;
        is_first = false;
    }
    return result;
}

}  // namespace uscope::go
