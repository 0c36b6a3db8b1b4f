// A file with code that a process maps: which names, debug information and probes it has.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "elf/debug_file.h"
#include "lang/unsupported.h"
#include "proc/maps.h"
#include "tls/finder.h"

namespace uscope::doctor {

struct ProcessFile {
    std::string path;      // as the process sees it
    bool deleted = false;  // or replaced since
    std::string build_id;  // "": none
    std::string error;     // why it cannot be read; then, the other members are empty
    std::string linkage;   // "x86-64, dynamic"
    // Where the names of its functions are: ".symtab", ".dynsym", "Go's function table" …; "":
    // nowhere.
    std::string symbols;
    size_t functions = 0;    // how many have names
    std::string a_function;  // one of them: main() or the first; "": none
    bool has_debug_info = false;
    std::vector<elf::DebugFileAttempt> debug_files;  // where its debug file was searched
    std::string unwinding;                           // ".eh_frame"; "": no tables
    std::map<std::string, size_t> probes;            // number of USDT probes by provider
    bool has_tls_functions = false;                  // of a TLS library that httpsnoop knows
    tls::Finding nameless_tls;                       // of a file without such functions
    std::string go_version;                          // "go1.19.8"; "": not a Go program
    const lang::Unsupported *runtime = nullptr;      // that is linked into a program
};

// `root`: "/proc/PID/root" for a process with another root directory, else "". `is_program`: the
// process executes this file, so it is also searched for a TLS library without names.
ProcessFile examine_file(const proc::MappedObject &object, const std::string &root,
                         bool is_program);

}  // namespace uscope::doctor
