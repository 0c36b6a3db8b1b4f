// Adds values and conditions of the tool itself to a parsed probe.
#include "probe/request.h"

#include <memory>

#include <unistd.h>

#include "base/format.h"
#include "expr/parse.h"

namespace uscope::probe {

ProbeRequest::ProbeRequest() = default;
ProbeRequest::ProbeRequest(ProbeRequest &&) noexcept = default;
ProbeRequest &ProbeRequest::operator=(ProbeRequest &&) noexcept = default;
ProbeRequest::~ProbeRequest() = default;

Result<> ProbeRequest::add_value(std::string_view expression, std::string name,
                                 expr::ValueForm form)
{
    values.push_back({TRY(expr::parse(expression)), form, std::move(name)});
    return {};
}

Result<> only_on(unsigned cpu, ProbeRequest &probe)
{
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    if (cpu >= cpus)
        return fail_usage("there is no CPU {}: the last one is {}", cpu, cpus - 1);
    auto condition = TRY(expr::parse(fmt::format("$cpu == {}", cpu)));
    if (probe.predicate) {
        auto both = std::make_unique<expr::Node>();
        both->kind = expr::NodeKind::Binary;
        both->text = "&&";
        both->children.push_back(std::move(condition));
        both->children.push_back(std::move(probe.predicate));
        condition = std::move(both);
    }
    probe.predicate = std::move(condition);
    return {};
}

}  // namespace uscope::probe
