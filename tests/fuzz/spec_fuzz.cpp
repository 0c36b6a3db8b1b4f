// Any text as a probe is either refused, with the error's column within the text, or is divided
// into pieces whose columns are right.
#include "require.h"
#include "spec/probe.h"
#include "spec/specifier.h"

using namespace uscope;

namespace {

void check(std::string_view text, const Result<spec::Probe> &probe)
{
    if (!probe)
        return require(probe.error().column <= text.size() && probe.error().source == text);
    for (const spec::Piece &piece : {probe->library, probe->function, probe->category, probe->event,
                                     probe->predicate, probe->format, probe->values})
        require(piece.text.empty() || text.substr(piece.column, piece.text.size()) == piece.text);
    for (const spec::Parameter &parameter : probe->signature)
        require(!parameter.type.empty());
    bool is_user =
        probe->kind == spec::ProbeKind::Usdt || probe->kind == spec::ProbeKind::Tracepoint;
    require(is_user ? !probe->event.text.empty() : !probe->function.text.empty());
}

void check(std::string_view text, const Result<spec::Specifier> &specifier)
{
    if (!specifier)
        return require(specifier.error().column <= text.size() && specifier.error().source == text);
    check(text, Result<spec::Probe>(specifier->probe));
    require(specifier->types.size() == specifier->expressions.size());
    for (const auto &pieces : {specifier->types, specifier->expressions}) {
        for (const spec::Piece &piece : pieces)
            require(text.substr(piece.column, piece.text.size()) == piece.text);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    std::string_view text(reinterpret_cast<const char *>(data), size);
    check(text, spec::parse_probe(text));
    check(text, spec::parse_location(text));
    check(text, spec::parse_specifier(text));
    check(text, spec::parse_regex(text));
    return 0;
}
