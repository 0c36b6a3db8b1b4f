// The language runtime of a process: which one, which version, and what it can report.
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
    CodeSites code_sites = {};                       // in `object`
    Version version = {};
    // Switches on which the probes depend, and whether they are on: "DTraceMethodProbes". Unknown
    // switches are absent.
    std::map<std::string, bool> switches = {};
    // At the probes of calls: an expression for the virtual thread, with the numbers of
    // bpf/runtimes/virtual_thread.h. Empty if the language has none, or they cannot be detected.
    std::string virtual_thread = {};
    // Other names of functions that share an address: "aligned_alloc" -> "/memalign".
    std::map<std::string, std::string> aliases = {};

    std::string who() const;  // "process 181 (python 3.11.2)"
    // Returns a text that distinguishes its file from files at the same path in other containers.
    // The text does not contain the device, because containers see the same file on different file
    // systems.
    std::string file() const;
    bool has(const Hook &hook) const;
    const CodeSite *code_site(const Hook &hook) const;  // null: the hook is a probe or a function
    // The expression of a value, or "".
    std::string value(const Hook &hook, Role role) const;
    // Returns hook.kind, with the names that share the function's address.
    std::string kind_of(const Hook &hook) const;
    std::optional<bool> is_on(const std::string &name) const;
    // The version in the name of its file: python3.11, libruby-3.1.so.
    Version version_by_name() const;
};

// Finds the runtime of a process: by the file name of its executable, then by those of its other
// mapped files, then by the providers of the probes in these. `wanted`: look for this language
// only. Errors: no runtime; or several, so that -l is needed.
Result<Runtime> find_runtime(pid_t pid, const Language *wanted = nullptr);
// The same, for callers that look up many processes: `files` keeps what is known of each file.
Result<Runtime> find_runtime(pid_t pid, const Language *wanted, Files &files,
                             std::vector<proc::Mapping> mappings);

// Names the allocator that a program's objects come from instead of malloc(): "PHP's own allocator
// (…)". Returns nullopt if none is known.
std::optional<std::string> own_allocator(pid_t pid);

// A semaphore that has to be up although its probe must not be attached. A probe on `idle`, a
// function of the same file that is hardly ever called, keeps it up.
struct KeptUpSemaphore {
    const char *provider, *name;
    const char *idle;
};

// What a runtime can report for an event.
struct Availability {
    std::vector<const Hook *> hooks;              // whose probes will fire
    std::vector<std::string> notes;               // what will not be reported, why, and what to do
    std::optional<KeptUpSemaphore> kept_up = {};  // if set, the hooks fire only while this is up
    bool has_true_bytes = true;                   // false: do not use Role::Bytes of the hooks
};

// `unsafe`: include probes that are known to harm the program.
Availability availability(const Runtime &runtime, Event event, bool unsafe = false);

// The probe of a hook, for probe::ProbeRequest.
spec::Probe probe_of(const Runtime &runtime, const Hook &hook);

}  // namespace uscope::lang
