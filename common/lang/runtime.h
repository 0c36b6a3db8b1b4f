// The runtime of a language in a process: which one, which version, and what can be had of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lang/file.h"
#include "lang/language.h"
#include "proc/maps.h"
#include "spec/probe.h"

namespace uscope::lang {

struct Runtime {
    const Language *language = nullptr;
    pid_t pid = 0;
    proc::MappedObject object = {};  // the file with the interpreter, and so with its probes
    std::map<std::string, std::string> probes = {};  // "hotspot:gc__begin" -> the file that has it
    CodeSites places = {};                           // in that file
    Version version = {};
    // What the probes depend on, and whether it is on: "DTraceMethodProbes". What is not known is
    // not there.
    std::map<std::string, bool> switches = {};
    // Of a call's probes: which virtual thread it is of, as bpf/lib/virtual_thread.h counts. Empty: the language has
    // none, or they cannot be told.
    std::string virtual_thread = {};
    // Of functions that one address has several of: "aligned_alloc" -> "/memalign".
    std::map<std::string, std::string> aliases = {};

    std::string who() const;  // "process 181 (python 3.11.2)"
    // Tells its file from that of another container at the same path. Not by the device: containers
    // see one file on file systems of their own.
    std::string file() const;
    bool has(const Hook &hook) const;
    const CodeSite *place(const Hook &hook) const;  // null: the hook is a probe or a function
    // The expression of a value; empty when there is none.
    std::string value(const Hook &hook, Role role) const;
    std::string what(const Hook &hook) const;  // with the others at its place
    std::optional<bool> is_on(const std::string &name) const;
    // Of the name that its file has: python3.11, libruby-3.1.so.
    Version version_by_name() const;
};

// The language of a process: by the file names of its executable and then of what else it maps, and
// at last by the providers of the probes in these. `wanted`: only this one. Errors: there is none;
// or several, which -l has to tell apart.
Result<Runtime> find_runtime(pid_t pid, const Language *wanted = nullptr);
// For who asks for many processes.
Result<Runtime> find_runtime(pid_t pid, const Language *wanted, Files &files,
                             std::vector<proc::Mapping> mappings);

// Which allocator hands out a program's objects in place of malloc(): "PHP's own allocator (…)". Nothing: none is known.
std::optional<std::string> own_allocator(pid_t pid);

// The semaphore of a probe that has to be up, while the probe itself is left alone: it is hung on a
// function of the file that is hardly ever called.
struct KeptUpSemaphore {
    const char *provider, *name;
    const char *idle;
};

// What can be had of an event.
struct Availability {
    std::vector<const Hook *> hooks;  // whose probes will fire
    std::vector<std::string> notes;   // what will not, why, and what to do: a sentence each
    std::optional<KeptUpSemaphore> kept_up = {};  // without which the rows do not fire
    bool has_true_bytes = true;  // false: what the rows have for Role::Bytes is not to be used
};

// `unsafe`: also what is known to hurt the program.
Availability availability(const Runtime &runtime, Event event, bool unsafe = false);

// Where the hook's probe is, for probe::ProbeRequest.
spec::Probe probe_of(const Runtime &runtime, const Hook &hook);

}  // namespace uscope::lang
