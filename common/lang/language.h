// What the runtimes of languages tell of themselves: one table for each language.
//
// A table says which probes mean "a method is entered", "a collection begins", and which of a
// probe's arguments is what. Adding a language is adding a table (java.cpp is a good model) and
// naming it in language.cpp. A hook such as
//
//     {Event::MethodEntry, "hotspot", "method__entry",
//      {{Role::Class, "str(arg2, arg3)"}, {Role::Method, "str(arg4, arg5)"}}}
//
// becomes the probe u:LIBJVM:hotspot:method__entry, whose values are expressions as trace takes
// them: a JVM gives a pointer and a length, Python a pointer alone ("str(arg1)").
//
// That a probe is there does not mean that it ever fires: JVMs want flags, PHP an environment
// variable, and some probes of some versions are broken. What a table knows of that, it says of one
// process in its check_availability() (lang/runtime.h).
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
    Call,          // of a method, where no probe tells of entries; its return is not reported
    GcBegin,
    GcEnd,  // of the hook of GcBegin with the same `what`
    Allocation,
    Release,    // of what Allocation reports; its first argument
    ClassLoad,  // a class, a module or a file
    Exception,
    ThreadStart,
    ThreadEnd,
};

enum class Role : uint8_t {
    Class,   // also a file or a package, where the language has no classes; may be empty
    Method,  //
    File,
    Line,
    Type,  // of an object
    Bytes,
    Address,   // of a block, when its function has returned; else that is its result
    Name,      // of what is loaded, of a thread
    ThreadId,  // as the language counts
    NativeId,  // as the kernel does
    Start,     // address of a function
    Manager,   // of a collection: who collects
    Pool,      // what
    Used,      // bytes of the pool
    Most,      // bytes that the pool may have
    Generation,
    Collected,  // objects
    Flags,
    Code,  // where the runtime has the method: for names that programs in the kernel cannot read
};

struct Value {
    Role role;
    const char *expression;
};

struct Hook {
    Event event;
    // Empty: `name` is a function, of GcEnd its return. It stands in for probes that are not there.
    const char *provider;
    const char *name;
    std::vector<Value> values = {};
    // Which collection ("mark"), or the type of an allocation that has no Role::Type ("string").
    const char *what = "";
    const char *condition = "";     // that the probe tells of this, and not of another thing
    bool fires_repeatedly = false;  // at each of its places, for one event

    const char *find(Role role) const;  // the expression; null when there is none
};

// Ruby marks once for each collection, and then sweeps in many steps.
inline bool is_collection_step(const Hook &hook)
{
    return std::string_view(hook.what) == "sweep";
}

// A place in the code of the runtime's file, where something passes that no probe tells of.
struct CodeSite {
    uint64_t vaddr = 0;
    std::string condition;  // that it is this, and not another thing; may be empty
    std::map<Role, std::string> values;
};
using CodeSites = std::map<std::string, CodeSite>;  // by the names of rows
constexpr const char *code_site_provider = "interpreter";

class Memory;
struct Runtime;
struct Availability;

struct Language {
    const char *name;   // as -l takes it
    const char *title;  // "Java (HotSpot)"
    // Names of executables and libraries with the runtime, as shell patterns.
    std::vector<const char *> executables, libraries;
    // Of the probes; tells the language where names do not.
    const char *provider;
    std::vector<Hook> hooks;
    // Finds out what the availability depend on: the version and the switches. `memory`: null without the
    // permission to read it.
    void (*examine)(Runtime &, const Memory *memory);
    // Takes from the availability what will not fire in this process, and says why and what to do.
    void (*check_availability)(const Runtime &, Event, bool unsafe, Availability &);
    // For the rows of code_site_provider.
    CodeSites (*find_code_sites)(const elf::Image &, const Version &) = nullptr;
    const char *allocator = nullptr;  // that hands out its objects, in place of malloc()
    // Copies that compilers make of its functions have the parameters that its rows read in the same places.
    bool copies_keep_parameters = false;
    // A method that is called runs further down the thread's stack than the one that calls it: so what
    // lies below one that begins has ended, whether it was seen to or not.
    bool nests_on_stack = false;
};

extern const Language java, python, ruby, php, node, perl, tcl;
// The C library, whose "probes" are functions (their rows have no provider). Every process has it,
// so it is found only when it is asked for.
extern const Language c;

const std::vector<const Language *> &languages();  // without c
// Errors are usage errors, with the languages that there are.
Result<const Language *> find_language(std::string_view name, bool with_c = false);

}  // namespace uscope::lang
