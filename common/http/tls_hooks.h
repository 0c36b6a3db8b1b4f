// TLS libraries: which functions have what is encrypted in clear, and where in them probes go.
//
//     OpenSSL, BoringSSL   SSL_read(ssl, buffer, bytes), SSL_write(…): how much has moved is the result
//                          SSL_read_ex(ssl, buffer, bytes, &moved), SSL_write_ex(…): it is there
//                          SSL_write_ex2(ssl, buffer, bytes, flags, &moved), since OpenSSL 3.3
//     GnuTLS               gnutls_record_recv(session, buffer, bytes), gnutls_record_send(…)
//
//     Go                   crypto/tls.(*Conn).Read, Write, Close: arguments as Go passes them
//
// In a library, or in a program that has it inside and still has its symbols, as the official Node has. Go's
// are found by the table of its runtime, which stripped programs have, too.
//
// Compilers begin SSL_read and SSL_write with an instruction that the kernel executes step by step, as it does
// their `ret`: 16 us each, where a request takes 10. But all that OpenSSL's do is to call another
// function with the same arguments and the place for the length:
//
//     SSL_read:  sub  $0x18,%rsp
//                …
//                lea  0x8(%rsp),%rcx        or mov %rsp,%rcx; since OpenSSL 3.3 SSL_write has it in %r8
//                call ssl_read_internal     here %rdi, %rsi, %rdx, %rcx are the arguments
//                test %eax,%eax
//                jle  …                     here %eax says whether anything has moved
//
// Calls and jumps are emulated, without a step. So where a function looks like this, the probes
// go there, and else to its entry and its returns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "elf/image.h"
#include "probe/request.h"

namespace uscope::http {

// Offsets from a function's start: of the call that does its work, of the jump on whether it has.
struct InnerCall {
    uint64_t call = 0, jump = 0;
    unsigned length_argument = 0;  // by which the place for the length is passed, from 1 on
    uint32_t frame_bytes =
        0;  // by which the stack has grown since the function's first instruction
};
// Nothing: the function (its bytes) is built in another way. x86-64.
std::optional<InnerCall> find_inner_call(Bytes function);

// The probes on the TLS functions that the file has; none: it has none of them. `path`: for us.
// They call the functions of bpf/lib/http_tls.bpf.h.
Result<std::vector<probe::ProbeRequest>> tls_probes(const elf::Image &image,
                                                    const std::string &path);

// Does a library of this name have such functions? (libssl.so.3)
bool is_tls_library(std::string_view file_name);

}  // namespace uscope::http
