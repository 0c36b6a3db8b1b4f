// The runtime of a language in a process: which one, which version, and what can be had of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lang/language.h"
#include "lang/memory.h"
#include "proc/maps.h"
#include "spec/probe.h"

namespace uscope::lang {

struct Runtime {
    const Language *language = nullptr;
    pid_t pid = 0;
    proc::MappedObject object = {};  // the file with the interpreter, and so with its probes
    std::map<std::string, std::string> probes = {};  // "hotspot:gc__begin" -> the file that has it
    Version version = {};

    std::string who() const;  // "process 181 (python 3.11.2)"
    bool has(const Row &row) const;
    // Nothing without the permission.
    std::optional<Memory> memory() const;
};

// The language of a process: by the file names of its executable and then of what else it maps, and
// at last by the providers of the probes in these. `wanted`: only this one. Errors: there is none;
// or several, which -l has to tell apart.
Result<Runtime> find_runtime(pid_t pid, const Language *wanted = nullptr);

// What can be had of an event.
struct Offer {
    std::vector<const Row *> rows;   // whose probes will fire
    std::vector<std::string> notes;  // what will not, why, and what to do: a sentence each
    bool has_true_bytes = true;      // false: what the rows have for Role::Bytes is not to be used
};

// `unsafe`: also what is known to hurt the program.
Offer offer(const Runtime &runtime, Event event, bool unsafe = false);

// Where the row's probe is, for probe::Parsed.
spec::Probe probe_of(const Runtime &runtime, const Row &row);

}  // namespace uscope::lang
