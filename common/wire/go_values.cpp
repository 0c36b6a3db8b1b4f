// Writes the values that a probe's event has, as text of the expression language.
#include "wire/go_values.h"

#include "base/format.h"

namespace uscope::wire {
namespace {

namespace field = http_field;
using field::Field;

// The 8 bytes at base + offset, as text of the expression language.
std::string word(std::string_view base, unsigned offset)
{
    return fmt::format("*(long *)({} + {})", base, offset);
}

std::string byte(std::string_view base, unsigned offset)
{
    return fmt::format("*(unsigned char *)({} + {})", base, offset);
}

// The string whose pointer and length are at base + offset.
std::string string(std::string_view base, unsigned offset)
{
    return fmt::format("str({}, {})", word(base, offset), word(base, offset + 8));
}

// The string that was there at the entry. Go never changes a string's bytes, but the handler may
// store another string in the member.
std::string entry_string(std::string_view base, unsigned offset)
{
    return fmt::format("str($entry({}), $entry({}))", word(base, offset), word(base, offset + 8));
}

std::string unless_nil(std::string_view pointer, const std::string &value)
{
    return fmt::format("({} ? {} : 0)", pointer, value);
}

// The dynamic type of the interface at base + offset, read from its itab.
std::string type(std::string_view base, unsigned offset)
{
    return word(word(base, offset), 8);
}

// The results of the functions and the current goroutine, as text of the expression language.
struct Results {
    std::string answer, error_type, error;
    std::string goroutine;
};

// With Convention::Stack, the stack has the return address, two words of arguments, then the
// results.
Results results(Convention convention)
{
    if (convention == Convention::Stack)
        return {word("reg(\"rsp\")", 24), word("reg(\"rsp\")", 32), word("reg(\"rsp\")", 40), ""};
    return {"reg(\"rax\")", "reg(\"rbx\")", "reg(\"rcx\")", "reg(\"r14\")"};
}

class Values {
  public:
    Values(Side side, Convention convention, const Offsets &offsets)
        : results_(results(convention)),
          offsets_(offsets),
          values_(side == Side::Client ? field::ClientFields : field::ServerFields)
    {
    }

    void number(Field field, const std::string &value) { values_[field] = {"%ld", value}; }
    void text(Field field, const std::string &value) { values_[field] = {"%s", value}; }

    // Returns 0 for an unknown offset; finish() reports the first of them.
    unsigned offset(std::string_view package, std::string_view structure, std::string_view member)
    {
        auto offset = offsets_(package, structure, member);
        if (!offset && missing_.empty())
            missing_ = fmt::format("{} in a {} of {}", member, structure, package);
        return offset.value_or(0);
    }
    unsigned request(std::string_view member) { return offset("net/http", "http.Request", member); }
    unsigned url(std::string_view member) { return offset("net/url", "url.URL", member); }
    unsigned response(std::string_view member)
    {
        return offset("net/http", "http.Response", member);
    }
    unsigned writer(std::string_view member) { return offset("net/http", "http.response", member); }

    // A program without this type has no such errors, so any offset will do.
    unsigned error_member(std::string_view package, std::string_view type, std::string_view member)
    {
        return offsets_(package, type, member).value_or(0);
    }

    void add_common(Side side);
    void add_client();
    void add_error();
    void add_server();
    void add_http2(Field first, std::string_view package, std::string_view structure);
    void add_traceparent(Side side, GoMaps maps);
    void add_route();

    Result<std::string> finish() const
    {
        if (!missing_.empty())
            return fail("its type information does not describe {}", missing_);
        std::string format, list;
        for (const Value &value : values_) {
            format += fmt::format("{}{}", format.empty() ? "" : " ", value.conversion);
            list += ", " + value.expression;
        }
        return fmt::format("\"{}\"{}", format, list);
    }

  private:
    struct Value {
        std::string_view conversion;
        std::string expression;
    };

    Results results_;
    const Offsets &offsets_;
    std::vector<Value> values_;  // by Field
    std::string missing_;
};

void Values::add_common(Side side)
{
    bool is_client = side == Side::Client;
    auto goroutine = offsets_("runtime", "runtime.g", "goid");
    if (results_.goroutine.empty())
        number(field::Goroutine, "$goid");
    else
        number(field::Goroutine, goroutine ? word(results_.goroutine, *goroutine) : "0");
    number(field::Latency, "$latency");
    if (is_client) {
        std::string url_at = fmt::format("$entry({})", word("arg2", request("URL")));
        text(field::Method, string("$entry(arg2)", request("Method")));
        text(field::Host, string(url_at, url("Host")));
    } else {
        text(field::Method, entry_string("arg4", request("Method")));
        text(field::Host, entry_string("arg4", request("Host")));
    }
    number(field::EntryAddress, "$entry(reg(\"rip\"))");
    number(field::EndAddress, "reg(\"rip\")");
}

void Values::add_client()
{
    // The URL's address is saved once; all members are read from there.
    std::string url_at = fmt::format("$entry({})", word("arg2", request("URL")));
    number(field::Type, unless_nil(results_.error_type, word(results_.error_type, 8)));
    number(field::Status,
           unless_nil(results_.answer, word(results_.answer, response("StatusCode"))));
    number(field::Bytes,
           unless_nil(results_.answer, word(results_.answer, response("ContentLength"))));
    text(field::Scheme, string(url_at, url("Scheme")));
    text(field::Path, string(url_at, url("Path")));
    text(field::RawPath, string(url_at, url("RawPath")));
    text(field::Query, string(url_at, url("RawQuery")));
    text(field::Opaque, string(url_at, url("Opaque")));
    number(field::ForceQuery, byte(url_at, url("ForceQuery")));
    add_error();
}

// Calls rarely fail. Each read is conditional because reading through nil costs a page fault.
void Values::add_error()
{
    const std::string &error = results_.error;
    unsigned inner_at = error_member("net", "net.OpError", "Err");
    unsigned number_at = error_member("os", "os.SyscallError", "Err");
    unsigned checked_at = error_member("crypto/tls", "tls.CertificateVerificationError", "Err");
    std::string inner = word(error, inner_at + 8), checked = word(error, checked_at + 8);
    auto part = [&](Field field, const std::string &value) {
        number(field, unless_nil(results_.error_type, value));
    };
    auto text_part = [&](Field field, const std::string &base, unsigned offset) {
        text(field, fmt::format("str({}, {})", unless_nil(results_.error_type, word(base, offset)),
                                unless_nil(results_.error_type, word(base, offset + 8))));
    };
    part(field::Word, word(error, 0));
    text_part(field::Text, error, 0);
    text_part(field::SecondText, error, 16);
    part(field::InnerType, type(error, inner_at));
    text_part(field::InnerText, inner, 0);
    part(field::InnerNumber, word(word(inner, number_at + 8), 0));
    part(field::InnerByte, byte(inner, 0));
    text_part(field::DnsText, inner, error_member("net", "net.DNSError", "Err"));
    part(field::OnlyType, type(error, 0));
    std::string only = word(error, 8);
    text_part(field::OnlyText, only, 0);
    part(field::OnlyInnerType, type(only, inner_at));
    part(field::OnlyInnerByte, byte(word(only, inner_at + 8), 0));
    part(field::CheckedType, type(error, checked_at));
    part(field::CheckedWord, word(checked, 8));
    text_part(field::CheckedText, checked, 8);
}

void Values::add_server()
{
    std::string writer_at = "$entry(arg3)";
    number(field::Type, word("$entry(arg2)", 8));
    number(field::Status, word(writer_at, writer("status")));
    number(field::Bytes, word(writer_at, writer("written")));
    text(field::Uri, entry_string("arg4", request("RequestURI")));
    number(field::HeadSent, byte(writer_at, writer("cw.wroteHeader")));
    number(field::Hijacked,
           byte(word(writer_at, writer("conn")), offset("net/http", "http.conn", "hijackedv")));
    // Since Go 1.27 the structure is called as in golang.org/x/net.
    bool is_bundled = offsets_("net/http", "http.http2responseWriterState", "status").has_value();
    if (is_bundled)
        add_http2(field::Http2Status, "net/http", "http.http2responseWriterState");
    else
        add_http2(field::Http2Status, "net/http/internal/http2", "http2.responseWriterState");
    add_http2(field::OtherHttp2Status, "golang.org/x/net/http2", "http2.responseWriterState");
}

// `first`: the field of the status; those of the bytes and of the sent head follow it.
void Values::add_http2(Field first, std::string_view package, std::string_view structure)
{
    std::string state = word("$entry(arg3)", 0);
    auto status = offsets_(package, structure, "status"),
         bytes = offsets_(package, structure, "wroteBytes"),
         sent = offsets_(package, structure, "sentHeader");
    number(first, status ? word(state, *status) : "-1");
    number(Field(first + field::Http2Bytes - field::Http2Status),
           bytes ? word(state, *bytes) : "-1");
    number(Field(first + field::Http2HeadSent - field::Http2Status),
           sent ? byte(state, *sent) : "-1");
}

// The value's first string: of the first key that has 11 bytes and begins with "Tracepar". Without
// one, other bytes that can be read at no cost: those of the request.
void Values::add_traceparent(Side side, GoMaps maps)
{
    constexpr unsigned keys = 8, key_bytes = 16, value_bytes = 24, data_at = 16,
                       log2_buckets_at = 9, directory_at = 24, name_bytes = 11, header_bytes = 55;
    constexpr unsigned long name_start = 0x7261706563617254;
    bool is_group = maps == GoMaps::Groups;
    std::string request = side == Side::Client ? "arg2" : "arg4";
    std::string map = word(request, this->request("Header"));
    std::string is_small = is_group ? word(map, directory_at) : byte(map, log2_buckets_at);
    std::string data =
        fmt::format("$entry(({} ? ({} ? 0 : {}) : 0))", map, is_small, word(map, data_at));
    std::string found = fmt::format("$entry({})", request);
    for (unsigned i = keys; i-- > 0;) {
        unsigned key = keys + i * (is_group ? key_bytes + value_bytes : key_bytes);
        unsigned value = is_group ? key + key_bytes : keys + keys * key_bytes + i * value_bytes;
        found =
            fmt::format("({} == {} && {} == {} ? {} : {})", word(data, key + 8), name_bytes,
                        word(word(data, key), 0), name_start, word(word(data, value), 0), found);
    }
    found = fmt::format("({} ? {} : $entry({}))", data, found, request);
    values_.push_back({"%s", fmt::format("str({}, {})", found, header_bytes)});
}

// What ServeMux has matched, since Go 1.23: "GET /items/{id}".
void Values::add_route()
{
    auto pattern = offsets_("net/http", "http.Request", "Pattern");
    if (pattern)
        values_.push_back({"%s", string("$entry(arg4)", *pattern)});
}

}  // namespace

std::vector<std::string_view> go_other_ends(Side side)
{
    if (side == Side::Client)
        return {};
    return {"net/http.(*conn).serve.func1", "net/http.(*http2serverConn).runHandler.func1",
            "net/http/internal/http2.(*serverConn).runHandler.func1",
            "golang.org/x/net/http2.(*serverConn).runHandler.func1"};
}

Result<std::string> go_values(Side side, Convention convention, const Offsets &offsets,
                              uint64_t least_ns, GoMaps maps)
{
    Values values(side, convention, offsets);
    values.add_common(side);
    if (side == Side::Client)
        values.add_client();
    else
        values.add_server();
    if (maps != GoMaps::Unread)
        values.add_traceparent(side, maps);
    if (maps != GoMaps::Unread && side == Side::Server)
        values.add_route();
    std::string condition = least_ns ? fmt::format("($latency >= {}) ", least_ns) : "";
    return condition + TRY(values.finish());
}

}  // namespace uscope::wire
