// The names of the values of a request for a probe.
#pragma once

#include "probe/request.h"

namespace uscope::test {

using Names = std::vector<std::string>;

inline Names value_names(const probe::ProbeRequest &probe)
{
    Names names;
    for (const probe::Value &value : probe.values)
        names.push_back(value.name);
    return names;
}

}  // namespace uscope::test
