// Builds probes for functions that only have addresses.
#include "http/nameless_tls.h"

#include "base/format.h"
#include "expr/parse.h"
#include "http/tls_cache.h"

namespace uscope::http {
namespace {

using spec::ProbeKind;
using tls::Role;

probe::ProbeRequest place_probe(ProbeKind kind, const tls::Place &place, const std::string &file,
                                const char *calls)
{
    probe::ProbeRequest request;
    request.spec.kind = kind;
    request.spec.library.text = file;
    request.spec.function.text = fmt::format("{:#x}", place.code.start);
    request.spec.is_address = true;
    request.spec.needs.function_bytes = place.code.size();
    request.spec.source = fmt::format("{}:{}", file, tls::name_of(place.role));
    request.event_output.kind = expr::OutputKind::Key;
    request.event_output.function = calls;
    return request;
}

}  // namespace

tls::Finding find_nameless_tls(const elf::Image &image)
{
    constexpr size_t smallest = 1 << 20, large = 8 << 20;
    if (image.bytes().size() < smallest)
        return {};
    if (image.bytes().size() < large)
        return tls::find_library(image);
    TlsCache cache(TlsCache::usual_folder());
    if (auto known = cache.find(image))
        return *known;
    auto finding = tls::find_library(image);
    cache.store(image, finding);
    return finding;
}

Result<std::vector<probe::ProbeRequest>> nameless_tls_probes(const tls::Finding &finding,
                                                             const std::string &path)
{
    std::vector<probe::ProbeRequest> probes;
    for (const tls::Place &place : finding.places) {
        auto add = [&](ProbeKind kind, const char *calls) {
            probes.push_back(place_probe(kind, place, path, calls));
        };
        // The end precedes the beginning, so that no call stays open.
        switch (place.role) {
        case Role::BoringRead:
            add(ProbeKind::Return, "tls_end");
            add(ProbeKind::Entry, "tls_read");
            break;
        case Role::BoringWrite:
            add(ProbeKind::Return, "tls_end");
            add(ProbeKind::Entry, "tls_write");
            break;
        case Role::RustlsRead:
            add(ProbeKind::Entry, "rustls_read");
            break;
        case Role::RustlsHandle:
            add(ProbeKind::Entry, "rustls_handle");
            // The variant of the message's payload is application data.
            probes.back().condition = TRY(expr::parse("*(long *)arg4 == 0x8000000000000004"));
            break;
        case Role::RustlsFragment:
            add(ProbeKind::Entry, "rustls_fragment");
            // The content type of the message is application data.
            probes.back().condition = TRY(expr::parse("*(unsigned char *)(arg2 + 32) == 3"));
            break;
        case Role::RustlsSend:
            add(ProbeKind::Return, "rustls_end");
            add(ProbeKind::Entry, "rustls_begin");
            break;
        }
    }
    return probes;
}

std::string why_unseen(const tls::Finding &finding)
{
    if (finding.library.empty())
        return "its TLS library has no symbols";
    std::string library = fmt::format("its TLS library ({}) has no symbols", finding.library);
    if (finding.places.empty())
        return fmt::format("{}, and {}", library, finding.missing);
    return library + ", and calls of the functions that were found in it showed nothing";
}

}  // namespace uscope::http
