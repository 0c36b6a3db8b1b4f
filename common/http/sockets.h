// Attaches the programs that watch data pass through sockets (bpf/http/http_sockets.bpf.h).
#pragma once

#include <string>
#include <vector>

#include <bpf/libbpf.h>

#include "attach/attach.h"
#include "base/result.h"

namespace uscope::http {

enum class SocketsBy : uint8_t {
    Lengths,  // two tracepoints that only sockets reach (Linux 6.3)
    Calls,    // the exit of every system call
};
std::vector<std::string> sockets_by_names();
// Parses one of these names.
Result<> parse_value(std::string_view text, SocketsBy &by);

// Returns `forced`, or the cheaper way if the kernel has it. Errors: the kernel lacks `forced`.
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

// Call before the object is loaded. Disables the programs that `by` does not need, because this
// kernel may reject them.
void prepare(const SocketPrograms &programs, SocketsBy by);
Result<attach::Links> attach_sockets(const SocketPrograms &programs, SocketsBy by);
// One line per tracepoint, for --dry-run.
std::string describe(SocketsBy by);

}  // namespace uscope::http
