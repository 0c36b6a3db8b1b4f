// Describes what language runtimes report: one table for each language.
//
// A table says which probes mean "a method is entered" or "a collection begins", and what their
// arguments are. To add a language, add a table (java/probes.cpp is a good model) and name it in
// language.cpp. A row (hook) such as
//
//     {Event::MethodEntry, "hotspot", "method__entry",
//      {{Role::Class, "str(arg2, arg3)"}, {Role::Method, "str(arg4, arg5)"}}}
//
// becomes the probe u:LIBJVM:hotspot:method__entry. Its values are expressions in the syntax of
// trace: a JVM passes a pointer and a length, Python only a pointer ("str(arg1)").
//
// A probe that exists may still never fire: JVMs need flags, PHP needs an environment variable, and
// some probes of some versions are broken. The table's check_availability() finds out what a given
// process will report (lang/runtime.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/image.h"
#include "lang/version.h"

namespace uscope::lang {

enum class Event : uint8_t {
    MethodEntry,
    MethodReturn,  // the same values as MethodEntry
    Call,          // of a method, if no probe reports entries; its return is not reported
    GcBegin,
    GcEnd,  // ends the GcBegin of the hook with the same `kind`
    Allocation,
    Release,  // frees a block that Allocation reported; the function's first argument is the block
    ClassLoad,  // a class, a module or a file
    Exception,
    ThreadStart,
    ThreadEnd,
};

enum class Role : uint8_t {
    Class,  // or a file or a package, if the language has no classes; may be empty
    Method,
    File,
    Line,
    Type,  // class of an object
    Bytes,
    Address,    // of the block, read at the function's return; without it, the return value
    Name,       // of a loaded class or file, or of a thread
    ThreadId,   // the language's number of a thread
    NativeId,   // the kernel's number of a thread
    Start,      // address of a thread's first function
    Manager,    // name of the collector
    Pool,       // name of the collected pool of memory
    Used,       // bytes of the pool in use
    PoolLimit,  // maximum bytes of the pool
    Generation,
    Collected,  // number of objects
    Flags,
    Code,  // address of the method's code object, to read names that kernel programs cannot
};

struct Value {
    Role role;
    const char *expression;
};

struct Hook {
    Event event;
    // Empty: `name` is a function (for GcEnd, its return). Functions are used only if the runtime
    // has no probe for the event.
    const char *provider;
    const char *name;
    std::vector<Value> values = {};
    // The kind of collection ("mark"), or the type of an allocation without Role::Type ("string").
    const char *kind = "";
    const char *condition = "";     // expression: is it this event, and not another?
    bool fires_repeatedly = false;  // several sites of the probe fire for the same event

    const char *find(Role role) const;  // the expression, or null
};

// Ruby marks once per collection, and then sweeps in many steps.
inline bool is_collection_step(const Hook &hook)
{
    return std::string_view(hook.kind) == "sweep";
}

// An instruction in the runtime's file that executes at each event of a kind that no probe reports,
// such as a call of a Python method.
struct CodeSite {
    uint64_t vaddr = 0;
    std::string condition;  // true if it is this event and not another; may be empty
    std::map<Role, std::string> values;
};
using CodeSites = std::map<std::string, CodeSite>;  // by Hook::name
constexpr const char *code_site_provider = "interpreter";

class Memory;
struct Runtime;
struct Availability;

struct Language {
    const char *name;   // for -l: "java"
    const char *title;  // "Java (HotSpot)"
    // Names of executables and libraries that contain the runtime, as shell patterns.
    std::vector<const char *> executables, libraries;
    // Provider of the probes; identifies the language if file names do not.
    const char *provider;
    std::vector<Hook> hooks;
    // Sets the runtime's version and the switches that decide what it reports. `memory`: null
    // without permission to read it.
    void (*examine)(Runtime &, const Memory *memory);
    // Removes hooks that will not fire in this process, and adds notes: why, and what to do.
    void (*check_availability)(const Runtime &, Event, bool unsafe, Availability &);
    // Finds the sites of the hooks with code_site_provider.
    CodeSites (*find_code_sites)(const elf::Image &, const Version &) = nullptr;
    const char *allocator = nullptr;  // text: what allocates its objects, if not malloc()
    // Compilers may make copies of the language's functions (hooks without a provider). In each
    // copy, the parameters that the hooks read are the same.
    bool copies_keep_parameters = false;
    // A called method runs further down the thread's stack than its caller. So when a method
    // begins, those whose frames are below it have ended, even if their returns were not seen.
    bool nests_on_stack = false;
};

extern const Language java, python, ruby, php, node, perl, tcl;
// The C library, whose "probes" are functions (its hooks have no provider). Every process has it,
// so find_runtime() considers it only on request.
extern const Language c;

const std::vector<const Language *> &languages();  // without c
std::vector<std::string> names_of_languages(bool with_c = false);
// Errors: a usage error that lists the languages.
Result<const Language *> find_language(std::string_view name, bool with_c = false);

}  // namespace uscope::lang
