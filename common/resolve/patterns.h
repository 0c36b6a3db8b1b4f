// Compiles the globs and regular expressions of probes.
#pragma once

#include <functional>
#include <string>

#include "base/regex.h"
#include "spec/probe.h"

namespace uscope::resolve {

// Compiles `piece` of the probe; errors point at it.
Result<Regex> compile_regex(const spec::Probe &probe, const spec::Piece &piece);

// Does the probe mean this USDT probe or tracepoint? `group` is its provider or category.
using NameMatcher = std::function<bool(const std::string &group, const std::string &name)>;
// `probe` must outlive the returned function.
Result<NameMatcher> name_matcher(const spec::Probe &probe);

}  // namespace uscope::resolve
