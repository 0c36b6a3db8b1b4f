// Chooses the tracepoints, disables the programs that are not needed, and attaches the others.
#include "http/sockets.h"

#include <vector>

#include "base/format.h"
#include "base/named.h"
#include "proc/tracefs.h"

namespace uscope::http {
namespace {

struct Attached {
    bpf_program *program;
    const char *tracepoint;
};
std::vector<Attached> attached(const SocketPrograms &programs, SocketsBy by)
{
    std::vector<Attached> all = {{programs.state, "inet_sock_set_state"},
                                 {programs.destroy, "tcp_destroy_sock"}};
    if (by == SocketsBy::Calls) {
        all.push_back({programs.call_end, "sys_exit"});
    } else {
        all.push_back({programs.sent, "sock_send_length"});
        all.push_back({programs.received, "sock_recv_length"});
    }
    return all;
}

}  // namespace

namespace {

constexpr Named<SocketsBy> sockets_by_name[] = {{"lengths", SocketsBy::Lengths},
                                                {"calls", SocketsBy::Calls}};

}  // namespace

std::vector<std::string> sockets_by_names()
{
    return names_of(sockets_by_name);
}

Result<> parse_value(std::string_view text, SocketsBy &by)
{
    auto named = find_named(sockets_by_name, text);
    if (!named)
        return fail_usage("expected {}", alternatives(sockets_by_names()));
    by = *named;
    return {};
}

Result<SocketsBy> choose_sockets(std::optional<SocketsBy> forced)
{
    auto tracefs = TRY(proc::Tracefs::open());
    bool has_lengths = tracefs.read("sock", "sock_send_length").has_value();
    if (forced == SocketsBy::Lengths && !has_lengths)
        return fail(
            "this kernel has no tracepoint sock:sock_send_length (Linux 6.3): omit "
            "--force-sockets");
    return forced.value_or(has_lengths ? SocketsBy::Lengths : SocketsBy::Calls);
}

void prepare(const SocketPrograms &programs, SocketsBy by)
{
    for (bpf_program *program : {programs.sent, programs.received, programs.call_end})
        bpf_program__set_autoload(program, false);
    for (const Attached &attachment : attached(programs, by))
        bpf_program__set_autoload(attachment.program, true);
}

Result<attach::Links> attach_sockets(const SocketPrograms &programs, SocketsBy by)
{
    attach::Links links;
    for (const Attached &attachment : attached(programs, by)) {
        bool is_typed =
            bpf_program__get_expected_attach_type(attachment.program) == BPF_TRACE_RAW_TP;
        links.push_back(TRY(attach::attach_raw_tracepoint(bpf_program__fd(attachment.program),
                                                          attachment.tracepoint, is_typed)));
    }
    return links;
}

std::string describe(SocketsBy by)
{
    std::string text;
    for (const Attached &attachment : attached({}, by))
        text += fmt::format("tracepoint {}\n", attachment.tracepoint);
    return text;
}

}  // namespace uscope::http
