// Parses probes: the text with which a user of trace and other tools says what to trace. The
// grammar is a superset of BCC's. (The .cpp file starts with it, and explains where names with ':',
// '(' or '*' end.)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uscope::spec {

struct Piece {  // a part of the user's text
    std::string text;
    size_t column = 0;  // where it starts in the whole text
};

enum class ProbeKind : uint8_t { Entry, Return, Tracepoint, Usdt };

// Which of a function's arguments a probe reads.
enum class ArgumentUse : uint8_t { None, First, Any };

struct Parameter {
    std::string type;   // "const char *"; references and arrays become pointers
    std::string name;   // "" if only the type was given
    size_t column = 0;  // of the name in the user's text
};

// What a function's probe needs of its sites. parse_probe() leaves the defaults, which suit every
// program.
// Which branches may stand for the return after them (resolve/exit_branches.h).
struct BranchUse {
    bool is_allowed = false;
    bool needs_value = true;   // only those where the returned value is known
    bool needs_memory = true;  // only those after which the function writes no memory
};

struct SiteNeeds {
    ArgumentUse arguments = ArgumentUse::Any;
    bool may_miss_faults = false;  // at entries: may miss calls that fault before they do anything
    bool reads_registers = false;  // an expression reads a register by name
    // Copies of the function that the compiler made have their arguments in the same registers as
    // the function.
    bool is_same_in_copies = false;
    BranchUse branches = {};  // r
    // u: a function may contain several sites of this USDT probe that report the same event; use
    // only the first one in each function.
    bool at_first_location = false;
    // p, r, is_address: the size of the function that starts at this address. For tools that know
    // it although no table of the file has it; 0: `function` is what is_address says.
    uint64_t function_bytes = 0;
};

struct SourceLine {
    std::string file = {};  // its name, or the end of its path
    unsigned number = 0;    // 0: none
};

// The letters in the comments say for which kinds a member is used: p Entry, r Return,
// t Tracepoint, u Usdt.
struct Probe {
    ProbeKind kind = ProbeKind::Entry;
    std::string source;  // the whole text, as typed
    // p, r, u: a file or library; empty: the kernel (p, r) or the files of the process of -p (u).
    Piece library;
    // p, r: a name or glob, perhaps of C++ ("ns::f(int)"), Go ("main.(*T).Do") or Rust; or
    // "+0x349f", the function that starts at this address in the file.
    Piece function;
    // p, r: the user typed "f()". `function` is then "f", which is enough for C; in C++, the
    // parentheses select the overload "f()".
    bool empty_parentheses = false;
    // `function` is a number for parse_number(): the address in the file of an instruction (p) or
    // of a function's start (r)
    bool is_address = false;
    uint64_t offset = 0;   // p: func+off
    SourceLine line = {};  // p: "prog:file.cpp:120"; `function` is then "file.cpp:120"
    SiteNeeds needs;
    Piece category;  // t: category; u: provider or empty
    Piece event;     // t: event; u: probe name. `function`, `category` and `event` may be globs.
    bool has_signature = false;
    std::vector<Parameter> signature;
    // `function` (p, r) or `event` (u, t) is a regular expression (parse_regex()).
    bool is_regex = false;
    Piece predicate;  // without its parentheses; empty: none
    bool has_format = false;
    Piece format;  // without quotes; escapes are not yet decoded
    Piece values;  // "a, b, c": the expressions after the format
};

// Errors point at a column of the text (fail_at()), and say what is expected there, with an example
// of the right form.
Result<Probe> parse_probe(std::string_view text);

// Parses only a location, without signature, predicate and format: for tools that take a pattern.
Result<Probe> parse_location(std::string_view text);

// Returns the name of a USDT probe or provider as a user has to type it: in quotes if necessary.
std::string written(std::string_view name);

// Parses a location whose name is a regular expression, which may contain any character:
//     ["p:"] FILE ":" REGEX    "u:" [FILE] ":" REGEX    "t:" REGEX
// FILE contains no ':' here. REGEX is matched with a USDT probe's name both alone and as
// PROVIDER:PROBE, and with a tracepoint's name as CATEGORY:EVENT.
Result<Probe> parse_regex(std::string_view text);

}  // namespace uscope::spec
