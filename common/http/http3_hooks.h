// libnghttp3: which of its functions have HTTP/3 messages in clear, and the probes on them
// (bpf/http/http3.bpf.h says what each of them shows).
//
// All are functions of the library's interface, and so are the structures that they pass
// (nghttp3_nv, nghttp3_vec, nghttp3_qpack_nv), but for the buffers of received fields. Programs
// read these with nghttp3_rcbuf_get_buf(), which is short enough to decode:
//
//     mov 0x8(%rdi),%rax     the address
//     mov 0x10(%rdi),%rdx    the length
//     ret
//
// If it looks otherwise, the library has another layout, and gets no probes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "elf/image.h"
#include "probe/request.h"

namespace uscope::http {

// Where an nghttp3_rcbuf has its address and its length.
struct Http3Buffer {
    uint32_t base_at = 0, length_at = 0;
};
// `function`: the machine code of nghttp3_rcbuf_get_buf(). Returns nullopt if it has another form.
std::optional<Http3Buffer> find_http3_buffer(Bytes function, uint16_t machine);

// Returns the probes on the functions of libnghttp3 that the file has; empty if it has none.
// `path`: where this process finds the file. Errors: the file has some, but they cannot show
// requests.
Result<std::vector<probe::ProbeRequest>> http3_probes(const elf::Image &image,
                                                      const std::string &path);

}  // namespace uscope::http
