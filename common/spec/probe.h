// The probe grammar of trace: BCC's, as a superset.
//
// (The implementation file opens with the grammar and how names with ':' '(' '*' are told apart.)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uscope::spec {

struct Piece {  // a part of the user's text
    std::string text;
    size_t column = 0;  // where it starts in the whole
};

enum class ProbeKind : uint8_t { Entry, Return, Tracepoint, Usdt };

// Which of a function's arguments a probe reads.
enum class ArgumentUse : uint8_t { None, First, Any };

struct Parameter {
    std::string type;   // "const char *"; references and arrays are pointers here
    std::string name;   // "" when only the type was given
    size_t column = 0;  // of the name in the user's text
};

struct Probe {
    ProbeKind kind = ProbeKind::Entry;
    std::string source;  // the whole text, as typed
    // p, r, u: file or library name; empty: the kernel (p, r) or the process of -p (u).
    Piece library;
    // p, r: name or glob, may be C++ ("ns::f(int)"), Go ("main.(*T).Do"), Rust.
    Piece function;
    // p, r: typed "f()". `function` is "f", which is all that C needs; of C++ overloads, "f()" is
    // meant.
    bool empty_parentheses = false;
    bool is_address = false;  // p: `function` is a number for parse_number(): address in the file
    uint64_t offset = 0;      // p: func+off
    ArgumentUse arguments = ArgumentUse::Any;  // p, r
    bool may_miss_faults = false;  // p: calls that fault before they do anything do not matter
    bool reads_registers = false;  // something of it reads one by its name
    // p, r: its arguments are where the function's are also in copies that the compiler made of it.
    bool is_same_in_copies = false;
    Piece category;  // t: category; u: provider or empty
    // u: only the first place in each function that has the probe: the others there tell of the same.
    bool at_first_location = false;
    Piece event;  // t: event; u: probe name; all of these may be globs
    bool has_signature = false;
    std::vector<Parameter> signature;
    // `function`, or `event` of u and t, is a regular expression (parse_regex()).
    bool is_regex = false;
    Piece predicate;  // without its parentheses; empty: none
    bool has_format = false;
    Piece format;  // without quotes, escapes still in
    Piece values;  // "a, b, c" - the expressions after the format
};

// Errors are fail_at(): what was expected where, with an example of the right form.
Result<Probe> parse_probe(std::string_view text);

// Only the part before signature, predicate and format: for the tools that take a pattern.
Result<Probe> parse_location(std::string_view text);

// How the name of a USDT probe or of its provider is to be typed: in quotes where it needs them.
std::string written(std::string_view name);

// A location whose name is a regular expression, which may hold any character:
//     ["p:"] FILE ":" REGEX    "u:" [FILE] ":" REGEX    "t:" REGEX
// FILE has no ':' here. A USDT probe's name is looked at alone and as PROVIDER:PROBE, that of a
// tracepoint as CATEGORY:EVENT.
Result<Probe> parse_regex(std::string_view text);

}  // namespace uscope::spec
