// TLS libraries: which functions have the plain text, and where in them the probes go.
//
//     OpenSSL, BoringSSL   SSL_read(ssl, buffer, bytes), SSL_write(…): return the bytes moved
//                          SSL_read_ex(ssl, buffer, bytes, &moved), SSL_write_ex(…)
//                          SSL_write_ex2(ssl, buffer, bytes, flags, &moved), since OpenSSL 3.3
//     GnuTLS               gnutls_record_recv(session, buffer, bytes), gnutls_record_send(…)
//     mbedTLS              mbedtls_ssl_read(ssl, buffer, bytes), mbedtls_ssl_write(…)
//     wolfSSL              wolfSSL_read(ssl, buffer, bytes), wolfSSL_write(…), wolfSSL_recv, _send
//     s2n                  s2n_recv(connection, buffer, bytes, &blocked), s2n_send(…)
//
//     Go                   crypto/tls.(*Conn).Read, Write, Close: arguments as Go passes them
//
// These functions are in a shared library, or linked into a program that still has its symbols,
// such as the official Node. Go's functions are found in its pclntab, which stripped programs keep.
//
// The kernel has to single-step the first instruction of SSL_read and SSL_write, and their `ret`.
// That takes 16 us each, while a whole request takes 10. But OpenSSL's versions of these functions
// only call another function, with the same arguments and the address of the length:
//
//     SSL_read:  sub  $0x18,%rsp
//                …
//                lea  0x8(%rsp),%rcx        or mov %rsp,%rcx; since OpenSSL 3.3 SSL_write has it in %r8
//                call ssl_read_internal     here %rdi, %rsi, %rdx, %rcx are the arguments
//                test %eax,%eax
//                jle  …                     here %eax says whether anything has moved
//
// The kernel emulates calls and jumps without a single step. So the probes go on the call and the
// jump if a function looks like this, else on its entry and its returns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "elf/image.h"
#include "probe/request.h"

namespace uscope::http {

// Offsets from a function's start: of the call that does its work, and of the jump that follows and
// tests the call's result (0: none was found).
struct InnerCall {
    uint64_t call = 0, jump = 0;
    unsigned length_argument = 0;  // which argument points to the length, from 1; 0: none
    uint32_t frame_bytes = 0;      // how far the stack has grown since the first instruction
};
// `function`: its machine code (x86-64). Returns nullopt if the code has another form.
std::optional<InnerCall> find_inner_call(Bytes function);

// Returns the probes on the TLS functions that the file has; empty if it has none. `path`: where
// this process finds the file. The probes call the functions of bpf/http/http_tls.bpf.h and
// http_tls_go.bpf.h.
Result<std::vector<probe::ProbeRequest>> tls_probes(const elf::Image &image,
                                                    const std::string &path);

// A probe that calls a function of the kernel's program. `offset`: from the start of `function`.
probe::ProbeRequest function_probe(spec::ProbeKind kind, const std::string &file,
                                   const char *function, const char *calls, uint64_t offset = 0);

// Does `function` only call `other`? A compiler may have inlined `other` into it.
bool only_calls(const elf::Image &image, const elf::Symbol &function, const elf::Symbol &other);

// Does a file name such as libssl.so.3 belong to a TLS library?
bool is_tls_library(std::string_view file_name);
// Or a name such as libnghttp3.so.9 to a library of HTTP/3?
bool is_tls_or_http3_library(std::string_view file_name);

}  // namespace uscope::http
