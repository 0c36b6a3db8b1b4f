#include "probe/mysql_probes.h"

#include "expr/parse.h"

namespace uscope::probe {
namespace {

using spec::ProbeKind;

Parsed function_probe(const MysqlRequest &request, ProbeKind kind, const std::string &symbol,
                      const std::string &calls)
{
    Parsed parsed;
    parsed.spec.kind = kind;
    parsed.spec.source = symbol;
    parsed.spec.library.text = request.path;
    parsed.spec.function.text = symbol;
    parsed.delivery = {expr::Sink::Key, request.prefix + calls, sizeof(uint64_t)};
    return parsed;
}

// A call from its entry, where the C function is asked, to its return, where it is handed what was
// the `thd`-th argument.
Result<Parsed> call_probe(const MysqlRequest &request, const std::string &symbol,
                          const std::string &calls, unsigned thd)
{
    Parsed parsed = function_probe(request, ProbeKind::Return, symbol, calls);
    parsed.measured = TRY(expr::parse(fmt::format("$entry(arg{})", thd)));
    parsed.delivery.asks_at_entry = true;
    return parsed;
}

}  // namespace

Result<std::vector<Parsed>> mysql_probes(const MysqlRequest &request)
{
    const db::MysqlServer &server = request.server;
    const db::MysqlDispatch &dispatch = server.dispatch;
    std::vector<Parsed> probes;
    for (const auto *symbols : {&server.prepare, &server.execute}) {
        for (const std::string &symbol : *symbols)
            probes.push_back(function_probe(request, ProbeKind::Entry, symbol, "_statement"));
    }
    for (const db::MysqlErrorFunction &error : server.errors)
        probes.push_back(function_probe(request, ProbeKind::Entry, error.symbol,
                                        fmt::format("_error{}", error.number)));
    if (request.nested) {
        constexpr unsigned thd = 2;
        probes.push_back(TRY(call_probe(request, server.nested, "_nested", thd)));
        probes.push_back(
            function_probe(request, ProbeKind::Entry, server.nested_text, "_nested_text"));
    }
    // Last, so that whatever is seen of a command, all of it is.
    probes.push_back(TRY(call_probe(
        request, dispatch.symbol, dispatch.is_com_data() ? "_com_data" : "_packet", dispatch.thd)));
    return probes;
}

}  // namespace uscope::probe
