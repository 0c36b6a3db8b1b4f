// httpsnoop: prints a line for every HTTP request that programs make or serve.
#include <csignal>

#include <bpf/bpf.h>

#include "bpf/http/http.h"
#include "bpf/lib/filter.h"

#include "httpsnoop.skel.h"

#include "attach/close.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/named.h"
#include "base/recording.h"
#include "http/filter.h"
#include "http/sockets.h"
#include "http/tls_libraries.h"
#include "http/unseen_quic.h"
#include "http/unseen_tls.h"
#include "kernel/object.h"
#include "kernel/ring.h"
#include "output/clock.h"
#include "output/rows.h"
#include "probe/kernel_maps.h"
#include "run/filter.h"
#include "run/live.h"
#include "run/losses.h"
#include "run/session.h"
#include "telemetry/conventions.h"
#include "telemetry/http_attributes.h"
#include "telemetry/spans.h"
#include "wire/connections.h"
#include "wire/shown.h"
#include "wire/summary.h"
#include "wire/trace_parent.h"

namespace uscope::tools::httpsnoop {
namespace {

constexpr size_t max_connections = 65536;

struct Options {
    run::Processes processes;
    std::optional<http::SocketsBy> sockets;
    bool no_tls = false;
    bool served = false, made = false;
    run::SummaryOptions summary;
    http::Filter filter;
    wire::ShownStyle style;
    run::EventOptions events;
    telemetry::SpanOptions spans;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Servers, "prints every HTTP request that programs make or serve");
    options.processes.declare(tool);
    options.processes.declare_cgroup(tool);

    tool.flag(0, "no-tls", options.no_tls, "only unencrypted requests: no probes on TLS libraries");

    tool.group("Which requests");
    tool.flag('s', "server", options.served,
              "only requests that programs serve, not those they make");
    tool.flag('c', "client", options.made,
              "only requests that programs make, not those they serve");
    options.filter.declare(tool);

    options.processes.begin_shown(tool);
    options.summary.declare(tool);
    tool.option('H', "header", options.style.headers, "NAME",
                "also show this header of requests and responses; repeatable");
    options.spans.declare_trace_id(tool, "request");
    tool.flag(0, "show-secrets", options.style.secrets,
              "show cookies, passwords and tokens in headers and queries instead of ***");
    options.events.declare_full(tool);
    options.events.declare(tool, "requests");
    options.spans.declare(tool, "request");
    options.events.declare_buffer(tool);
    tool.option(0, "force-sockets", options.sockets, "HOW",
                fmt::format("how to watch sockets: {} (default: the cheapest available)",
                            alternatives(http::sockets_by_names())))
        .values = http::sockets_by_names;

    tool.explain(
        "LATENCY is the time from the request's first byte to the response's last, as the process "
        "sends\n"
        "and receives them. BYTES is the size of the response's body. STATUS is - if no response\n"
        "was seen.");
    tool.example("httpsnoop", "every request of every program");
    tool.example("httpsnoop -s -p 181 --status 5xx", "failed requests that process 181 serves");
    tool.example("httpsnoop -c --min 100ms", "slow requests and the processes that wait for them");
    tool.example("httpsnoop -S -d 10", "a summary of ten seconds by host and path template");
}

Result<> check(Options &options)
{
    if (options.served && options.made)
        return fail_usage("--server and --client exclude each other; omit both to see all");
    if (options.summary.is_wanted && !options.style.headers.empty())
        return fail_usage(
            "--header (-H) and --summary (-S) exclude each other: a summary shows no headers");
    if (options.summary.is_wanted && options.spans.trace_id)
        return fail_usage("--trace-id and --summary (-S) exclude each other");
    TRY(options.summary.check());
    TRY(options.events.check());
    TRY(options.spans.check());
    TRY(options.processes.check());
    return options.filter.check();
}

using Row = wire::ShownExchange;

std::string_view traceparent_of(const Row &row)
{
    const std::string *header = row.exchange.request.find("traceparent");
    return header ? std::string_view(*header) : "";
}

output::Rows<Row>::Fields fields_of(const Options &options, const output::Clock &clock)
{
    using Field = output::Field<Row>;
    using output::if_any, output::or_dash, output::right, output::rest;
    using wire::Exchange, wire::Request;
    auto exchange = output::members_of(&Row::exchange);
    auto request = output::members_of(&Row::request);
    auto in_request = output::members_of(exchange(&Exchange::request));
    auto method = if_any(request(&Request::method));
    auto side = [](const Row &row) { return row.exchange.is_server ? "server" : "client"; };
    auto peer = [](const Row &row) { return wire::remote_text(row.exchange.address); };
    auto local = [](const Row &row) { return wire::local_text(row.exchange.address); };
    auto is_inexact = [](const Row &row) { return !row.exchange.is_response_exact; };
    auto trace = [](const Row &row) { return wire::trace_id(traceparent_of(row)); };
    auto url = [&options](const Row &row) { return row.url_text(options.style); };
    auto method_text = [](const Row &row) {
        return row.request.method.empty() ? "?" : row.request.method;
    };
    auto request_headers = [&options](const Row &row) {
        return wire::headers_cell(&row.exchange.request, options.style);
    };
    auto response_headers = [&options](const Row &row) {
        const auto &response = row.exchange.response;
        return wire::headers_cell(response ? &*response : nullptr, options.style);
    };
    return {
        Field::time(clock, exchange(&Exchange::end_ns)),
        {"PID", 8, "pid", exchange(&Exchange::tgid)},
        {"tid", exchange(&Exchange::tid)},
        Field("COMM", 16, "comm", exchange(&Exchange::comm)).gives_way(1),
        Field("SIDE", 7, "side", side).gives_way(3),
        Field("PEER", 22, "peer", or_dash(if_any(peer))).gives_way(2),
        {"local", if_any(local)},
        {"tls", exchange(&Exchange::is_tls)},
        {"version", if_any(in_request(&wire::Head::version))},
        {"METHOD", 7, "method", method, method_text},
        {"STATUS", 6, "status", or_dash(request(&Request::status))},
        {"grpc_status", exchange(&Exchange::grpc_status)},
        {"error", if_any(request(&Request::error))},
        Field::duration("LATENCY", "latency_ns", request(&Request::latency_ns)),
        {"first_byte_ns", &Row::first_byte_ns},
        {"request_bytes", exchange(&Exchange::request_bytes)},
        Field("BYTES", right(9), "bytes", request(&Request::bytes), &Row::bytes_text).gives_way(4),
        {"bytes_inexact", if_any(is_inexact)},
        {"host", if_any(request(&Request::host))},
        {"path", request(&Request::path)},
        Field("TRACE", 32, "trace_id", or_dash(if_any(trace))).only_if(options.spans.trace_id),
        {"URL", rest, "url", request(&Request::url), url},
        {"request_headers", request_headers},
        {"response_headers", response_headers},
    };
}

output::Rows<Row>::Fields attributes()
{
    auto protocol = [](const Row &row) {  // "HTTP/1.1"
        const std::string &version = row.exchange.request.version;
        size_t slash = version.find('/');
        return slash == version.npos ? "" : version.substr(slash + 1);
    };
    auto attributes = telemetry::http_attributes<Row>(
        [](const Row &row) -> const wire::Request & { return row.request; },
        [](const Row &row) { return row.exchange.is_server; },
        [](const Row &row) { return row.exchange.is_tls ? "https" : "http"; });
    attributes.push_back(
        output::Field<Row>::only_attribute("network.protocol.version", output::if_any(protocol)));
    return attributes;
}

// Prints each exchange as a row, or adds it to the summary.
class Printer {
  public:
    Printer(run::Tool &tool, Options &options)
        : tool_(tool),
          options_(options),
          rows_(tool.out(), fields_of(options, clock_), options.events.json),
          spans_(tool, options.spans, attributes(), [this](const Row &row) { return span_of(row); })
    {
        if (!options.events.full)
            rows_.cut_lines();
    }

    Result<> start(run::Loop &loop)
    {
        if (!options_.summary.is_wanted)
            rows_.header();
        TRY(options_.summary.live.draw_each_second(tool_, loop, [this] { print_summary(); }));
        return spans_.start(loop);
    }
    void add(wire::Exchange &&exchange);
    void print_summary() const
    {
        if (options_.summary.is_wanted)
            summary_.print(tool_.out(), options_.events.json, options_.events.full);
    }
    telemetry::Spans<Row> &spans() { return spans_; }
    // Returns how many exchanges were shown since the last call.
    size_t take_shown() { return std::exchange(shown_, 0); }

  private:
    bool is_wanted(const Row &row) const;
    telemetry::Span span_of(const Row &row) const;

    run::Tool &tool_;
    Options &options_;
    output::Clock clock_;
    output::Rows<Row> rows_;
    wire::Summary summary_;
    size_t shown_ = 0;
    telemetry::Spans<Row> spans_;
};

telemetry::Span Printer::span_of(const Row &row) const
{
    const wire::Exchange &exchange = row.exchange;
    auto span = telemetry::span_of(row.request, exchange.is_server, exchange.end_ns, clock_);
    span.tgid = exchange.tgid;
    span.comm = exchange.comm;
    span.traceparent = traceparent_of(row);
    return span;
}

bool Printer::is_wanted(const Row &row) const
{
    if ((options_.served && !row.exchange.is_server) || (options_.made && row.exchange.is_server))
        return false;
    return options_.filter.accepts(row.request);
}

void Printer::add(wire::Exchange &&exchange)
{
    Row row = wire::shown(std::move(exchange), options_.style);
    if (!is_wanted(row))
        return;
    shown_++;
    spans_.add(row);
    if (options_.summary.is_wanted)
        summary_.add(row.request);
    else
        rows_.add(row);
}

std::optional<http_connection> progress_of(int map, const http_key &key)
{
    http_connection connection;
    if (bpf_map_lookup_elem(map, &key, &connection) != 0)
        return std::nullopt;
    return connection;
}

void record_progress(const http_key &key, const std::optional<http_connection> &progress)
{
    Bytes value = progress ? Bytes(&*progress, sizeof(*progress)) : Bytes();
    add_to_recording("http_connection", {Bytes(&key, sizeof(key)), value});
}

void report_counts(run::Tool &tool, const wire::Connections::Counts &counts)
{
    auto plural = [](uint64_t count) { return count == 1 ? "" : "s"; };
    if (counts.gaps)
        tool.note("events of connections were missing {} time{}", counts.gaps, plural(counts.gaps));
    if (counts.orphans)
        tool.note("{} response{} had no matching request (sent before tracing started)",
                  counts.orphans, plural(counts.orphans));
    if (counts.not_understood)
        tool.note("{} response{} followed a request that could not be parsed",
                  counts.not_understood, plural(counts.not_understood));
    if (counts.unseen)
        tool.note(
            "the responses to {} request{} could not be parsed: they began after the first {} "
            "bytes "
            "of a call, were sent by splice(), or are not HTTP",
            counts.unseen, plural(counts.unseen), int(HTTP_SOME_BYTES));
    if (counts.forgotten)
        tool.note("{} request{} forgotten: too many had no response yet", counts.forgotten,
                  counts.forgotten == 1 ? " was" : "s were");
    if (counts.unknown_headers)
        tool.note("{} HTTP/2 header block{} to entries sent before tracing", counts.unknown_headers,
                  counts.unknown_headers == 1 ? " refers" : "s refer");
}

// Reports connections with unseen TLS, both ended and still open ones.
void report_unseen(run::Tool &tool, http::UnseenTls &unseen, int map)
{
    http_key key, *last = nullptr;
    for (http_key next; bpf_map_get_next_key(map, last, &next) == 0; last = &key) {
        key = next;
        auto connection = progress_of(map, key);
        if (connection && !key.tgid)
            unseen.add(*connection);
    }
    for (const auto &[connections, count] : unseen.counts()) {
        const auto &[comm, reason] = connections;
        tool.note("{} TLS connection{} of {} could not be traced: {}", count, count == 1 ? "" : "s",
                  comm, reason);
        run::record_loss(tool, count, fmt::format("connections of {}", comm), reason);
    }
}

run::Losses losses_of(const bpf_map *lost)
{
    return {bpf_map__fd(lost),
            {.what = "calls",
             .reasons = {"the buffer was full (increase --buffer)",
                         "the program's memory could not be read",
                         "their data could not be found (io_uring, 32-bit programs)",
                         "they sent a connection's first bytes by splice()",
                         "too many calls of TLS libraries were under way",
                         "the beginning of their TLS library call was not seen",
                         "the socket of their TLS connection was not found",
                         "the frames of their HTTP/2 connection could not be followed any further",
                         "they have more HTTP/2 frames than fit into an event"}}};
}

// Looks for the ends of responses, in the state of connections that did not change since
// `settled_ns`.
void look(wire::Connections &connections, int map, uint64_t settled_ns)
{
    bool has_asked = false;
    auto ask = [&](const http_key &key) {
        auto progress = progress_of(map, key);
        record_progress(key, progress);
        has_asked = true;
        return progress;
    };
    connections.look(ask, settled_ns);
    if (has_asked)
        add_to_recording("http_look", {Bytes(&settled_ns, sizeof(settled_ns))});
}

http_config config_of(const Options &options)
{
    http_config config = {};
    config.tls = !options.no_tls;
    config.wakeup_bytes = kernel::wakeup_bytes(options.events.buffer_bytes());
    return config;
}

void finish(run::Tool &tool, wire::Connections &connections, Printer &printer,
            http::UnseenTls &unseen_tls, int map, int quic)
{
    look(connections, map, UINT64_MAX);
    connections.end();
    printer.print_summary();
    printer.spans().end();
    report_counts(tool, connections.counts());
    report_unseen(tool, unseen_tls, map);
    http::report_unseen_quic(tool, quic);
}

Result<> trace(run::Tool &tool, Options &options, http::SocketsBy by, http::TlsLibraries &libraries)
{
    auto object = TRY(kernel::Object<httpsnoop_bpf>::open());
    auto sockets = http::socket_programs(object);
    http::prepare(sockets, by);
    run::KernelFilter filter(options.processes, run::filter_parts(object));
    object->rodata->filter_config = filter.config();
    probe::KernelMaps maps(object);
    uint32_t buffer_bytes = options.events.buffer_bytes();
    object->rodata->http_config = config_of(options);
    bpf_map__set_max_entries(object->maps.http_events, buffer_bytes);
    TRY(libraries.prepare(maps));
    TRY(filter.prepare());  // last, because it makes the map of processes larger
    TRY(object.load());

    run::Session session(tool, options.events);
    TRY(session.open());
    Printer printer(tool, options);
    wire::Connections connections(
        [&](wire::Exchange &&exchange) { printer.add(std::move(exchange)); }, max_connections);
    http::TlsTrials &trials = libraries.nameless();
    http::UnseenTls unseen_tls([&](pid_t pid) { return trials.why_unseen(pid); },
                               [&](pid_t pid) { return trials.has_untraced(pid); });
    auto on_record = [&](Bytes record) {
        if (auto event = record.read<http_transfer>(0); event && !options.no_tls) {
            unseen_tls.add(*event);
            trials.add(*event, record.from(sizeof(*event)));
        }
        connections.add(record);
        return printer.take_shown() > 0;
    };
    TRY(session.read({bpf_map__fd(object->maps.http_events), buffer_bytes,
                      losses_of(object->maps.http_lost), on_record}));
    int map = bpf_map__fd(object->maps.http_connections);
    constexpr unsigned look_ms = 100;
    constexpr uint64_t settling_ns = 1'000'000;
    TRY(session.loop().every(look_ms, [&] {
        look(connections, map, monotonic_ns() - settling_ns);
        for (pid_t pid : libraries.withdraw())
            unseen_tls.withdraw(pid);
    }));

    auto follower = TRY(filter.start());
    TRY(session.end_with(options.processes.targets(follower)));
    auto links = TRY(http::attach_sockets(sockets, by));
    if (!options.no_tls) {
        TRY(libraries.attach(maps, bpf_map__fd(object->maps.http_events),
                             bpf_map__fd(object->maps.http_tried)));
        libraries.listen(session.loop(), follower);
    }
    TRY(printer.start(session.loop()));
    TRY(session.run("HTTP requests", [&] {
        libraries.detach();
        attach::close_links(std::exchange(links, {}));
    }));
    finish(tool, connections, printer, unseen_tls, map, bpf_map__fd(object->maps.http_quic));
    return {};
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(check(options));
    auto by = TRY(http::choose_sockets(options.sockets));
    http::TlsLibraries libraries(tool, options.processes);
    if (!options.no_tls)
        libraries.find();
    if (libraries.print_plan(tool, http::describe(by)))
        return {};
    return trace(tool, options, by, libraries);
}

}  // namespace uscope::tools::httpsnoop
