// Finds TLS libraries that are linked into a program without names: where the functions are through
// which plaintext passes. Knows BoringSSL (tls/boringssl.cpp) and rustls 0.23 (tls/rustls.cpp) on
// x86-64.
//
// A function is taken only if it is *proven*: its signs (constants that it loads, texts that it
// refers to, what it calls and what calls it) are together in exactly one function of the file, and
// execution from the function's start leads to them. If there are several such functions, or none,
// then none is taken, and the result says so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "elf/image.h"
#include "tls/code_index.h"

namespace uscope::tls {

enum class Role : uint8_t {
    BoringRead,      // SSL_read(SSL *, void *, int)
    BoringWrite,     // SSL_write(SSL *, const void *, int)
    RustlsRead,      // take_received_plaintext(CommonState *, Payload *)
    RustlsHandle,    // handle(result *, state, Context *, Message *), which contains the former
    RustlsFragment,  // send_single_fragment(CommonState *, message *)
    RustlsSend,      // send_appdata_encrypt(CommonState *, OutboundChunks *), returns what it took
};

struct Place {
    Role role;
    Code code;
    bool operator==(const Place &) const = default;
};

struct Finding {
    std::string library = {};  // "BoringSSL", "rustls 0.23.40"; "": none that is known
    // Where the library reads and where it writes; empty if one of them is not proven.
    std::vector<Place> places = {};
    std::string missing = {};  // why `places` is empty: "2 functions may be the one that reads"
    bool operator==(const Finding &) const = default;
};

// Reads all of the file's bytes, twice if they contain one of the libraries.
Finding find_library(const elf::Image &image);

// Returns a text of one of these functions for messages: "SSL_read", "take_received_plaintext".
std::string_view name_of(Role role);

// The parts of find_library().

// The functions that may have a role, and the role for texts: "reads".
struct Candidates {
    Role role;
    std::string_view verb;
    std::vector<Code> functions = {};
};
// Adds the places to the finding if there is one candidate for each, else says what is missing.
void add_proven(const std::vector<Candidates> &candidates, Finding &finding);

// These return a finding without a library if the file has none of its texts.
Finding find_boringssl(CodeIndex &index);
Finding find_rustls(CodeIndex &index);

}  // namespace uscope::tls
