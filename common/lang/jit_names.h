// Names of functions that runtimes have compiled, and of the scripts that contain them, as the
// tools show them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lang/jit_method.h"

namespace uscope::lang {

// Shortens "/srv/app.js" and "file:///srv/app.mjs" to the file name; keeps "node:internal/timers".
std::string script_name(std::string name);

// Parses the name of a function in a perf map or jitdump of V8 (Node, Deno), JavaScriptCore (Bun)
// or BEAM (Erlang). Code of all tiers of a function has the same result. Returns nullopt for other
// names.
std::optional<JitMethod> parse_jit_name(std::string_view name);

}  // namespace uscope::lang
