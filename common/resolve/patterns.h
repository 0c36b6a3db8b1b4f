// Globs and regular expressions of probes.
#pragma once

#include <functional>
#include <string>

#include "base/regex.h"
#include "spec/probe.h"

namespace uscope::resolve {

// `piece` of the probe; errors point at it.
Result<Regex> compile_regex(const spec::Probe &probe, const spec::Piece &piece);

// Which USDT probes or tracepoints are meant, by their two names.
using IsMeant = std::function<bool(const std::string &group, const std::string &name)>;
// `probe` must outlive it.
Result<IsMeant> is_meant(const spec::Probe &probe);

}  // namespace uscope::resolve
