// Tries each library that is known.
#include "tls/finder.h"

#include <elf.h>

#include "base/format.h"

namespace uscope::tls {

std::string_view name_of(Role role)
{
    switch (role) {
    case Role::BoringRead:
        return "SSL_read";
    case Role::BoringWrite:
        return "SSL_write";
    case Role::RustlsRead:
        return "take_received_plaintext";
    case Role::RustlsHandle:
        return "ExpectTraffic::handle";
    case Role::RustlsFragment:
        return "send_single_fragment";
    case Role::RustlsSend:
        return "send_appdata_encrypt";
    }
    return "";
}

void add_proven(const std::vector<Candidates> &candidates, Finding &finding)
{
    for (const Candidates &some : candidates) {
        if (some.functions.size() == 1) {
            finding.places.push_back({some.role, some.functions.front()});
            continue;
        }
        if (!finding.missing.empty())
            finding.missing += ", ";
        finding.missing += some.functions.empty()
                               ? fmt::format("no function was found that {}", some.verb)
                               : fmt::format("{} functions may be the one that {}",
                                             some.functions.size(), some.verb);
    }
    if (!finding.missing.empty())
        finding.places.clear();
}

Finding find_library(const elf::Image &image)
{
    if (image.machine() != EM_X86_64)
        return {};
    CodeIndex index(image);
    Finding boringssl = find_boringssl(index);
    if (!boringssl.places.empty())
        return boringssl;
    // A program may contain BoringSSL's cryptography only, with TLS by rustls.
    Finding rustls = find_rustls(index);
    return rustls.library.empty() ? boringssl : rustls;
}

}  // namespace uscope::tls
