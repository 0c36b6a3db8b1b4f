// Reports QUIC connections whose HTTP/3 was not seen.
#pragma once

namespace uscope::run {
class Tool;
}

namespace uscope::http {

// Reports the programs that began QUIC connections, but did not use a library of HTTP/3 that is
// traced. `map`: the descriptor of http_quic (bpf/http/http3_emit.bpf.h).
void report_unseen_quic(run::Tool &tool, int map);

}  // namespace uscope::http
