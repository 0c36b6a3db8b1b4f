// Finds and probes TLS libraries that are linked into a program without names (tls/finder.h).
#pragma once

#include <string>
#include <vector>

#include "elf/image.h"
#include "probe/request.h"
#include "tls/finder.h"

namespace uscope::http {

// Returns what is known of the file's TLS library: from the cache (http/tls_cache.h), or by
// searching the file, which takes 0.2 s for 100 MB. Files of less than 1 MB are not searched.
tls::Finding find_nameless_tls(const elf::Image &image);

// Returns the probes for the places of a finding. `path`: where this process finds the file. The
// probes call the functions of bpf/http/http_tls.bpf.h and http_tls_rustls.bpf.h.
Result<std::vector<probe::ProbeRequest>> nameless_tls_probes(const tls::Finding &finding,
                                                             const std::string &path);

// Returns why nothing of the file's TLS is seen, for a sentence like "2 TLS connections of deno
// could not be traced: REASON".
std::string why_unseen(const tls::Finding &finding);

}  // namespace uscope::http
