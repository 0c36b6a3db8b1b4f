// The programs that see what goes through sockets (bpf/lib/http_sockets.bpf.h), attached.
#pragma once

#include <string>

#include <bpf/libbpf.h>

#include "attach/attach.h"
#include "base/result.h"

namespace uscope::http {

enum class SocketsBy : uint8_t {
    Lengths,  // Linux 6.3: two tracepoints of sockets alone
    Calls,    // the end of every system call
};
// "lengths", "calls"
Result<> parse_value(std::string_view text, SocketsBy &by);

// The best that the kernel has. Errors: `forced` is not there.
Result<SocketsBy> choose_sockets(std::optional<SocketsBy> forced);

struct SocketPrograms {
    bpf_program *sent, *received, *call_end, *state, *destroy;
};
template <class Object>
SocketPrograms socket_programs(Object &object)
{
    const auto &programs = object->progs;
    return {programs.http_sent, programs.http_received, programs.http_call_end, programs.http_state,
            programs.http_destroy};
}

// Before the object is loaded: the others are left out, which this kernel may not even take.
void prepare(const SocketPrograms &programs, SocketsBy by);
Result<attach::Links> attach_sockets(const SocketPrograms &programs, SocketsBy by);
// A line for each tracepoint, for --dry-run.
std::string describe(SocketsBy by);

}  // namespace uscope::http
