// Sums up the datagrams that began untraced QUIC connections, by program.
#include "http/unseen_quic.h"

#include <cstring>
#include <map>
#include <string>

#include <bpf/bpf.h>

#include "bpf/http/http.h"

#include "base/format.h"
#include "run/losses.h"
#include "run/tool.h"

namespace uscope::http {

void report_unseen_quic(run::Tool &tool, int map)
{
    std::map<std::string, uint64_t> datagrams;  // by program
    uint32_t tgid, *last = nullptr;
    for (uint32_t next; bpf_map_get_next_key(map, last, &next) == 0; last = &tgid) {
        tgid = next;
        http_quic process;
        if (bpf_map_lookup_elem(map, &tgid, &process) == 0 && !process.is_traced)
            datagrams[std::string(process.comm, strnlen(process.comm, sizeof(process.comm)))] +=
                process.datagrams;
    }
    for (const auto &[comm, count] : datagrams) {
        const char *reason = "no use of libnghttp3 was seen";
        tool.note(
            "{} datagram{} of {} began QUIC connections (HTTP/3) that could not be traced: {}",
            count, count == 1 ? "" : "s", comm, reason);
        run::record_loss(tool, count, fmt::format("QUIC connections of {}", comm), reason);
    }
}

}  // namespace uscope::http
