// Keeps, for each process with TLS, whether its contents are seen, and its connections.
#include "http/unseen_tls.h"

#include <algorithm>
#include <cstring>

#include "http/tls_hooks.h"
#include "proc/maps.h"

namespace uscope::http {

namespace {

// Does the process have mapped a file with such a name?
bool has_file(pid_t pid, bool (*is_it)(std::string_view file_name))
{
    auto mappings = proc::read_maps(pid);
    return mappings &&
           std::any_of(mappings->begin(), mappings->end(), [&](const proc::Mapping &mapping) {
               return is_it(std::string_view(mapping.path).substr(mapping.path.rfind('/') + 1));
           });
}

bool is_nss(std::string_view file_name)
{
    return file_name.starts_with("libssl3.so");
}

}  // namespace

bool has_tls_library(pid_t pid)
{
    return has_file(pid, is_tls_library);
}

UnseenTls::Process *UnseenTls::find(uint32_t tgid)
{
    auto found = processes_.find(tgid);
    return found == processes_.end() ? nullptr : &found->second;
}

void UnseenTls::add(const http_transfer &event)
{
    if (event.kind == HTTP_TLS_UNSEEN) {
        if (Process *process = find(event.frame_bytes_missing))
            process->connections++;
        return;
    }
    bool is_tls = event.kind == HTTP_TLS;
    bool is_seen = (event.flags & (HTTP_BY_TLS | HTTP_STREAMS)) == HTTP_BY_TLS;
    if ((!is_tls && !is_seen) || processes_.size() >= max_processes)
        return;
    auto [process, is_new] = processes_.try_emplace(event.tgid);
    if (is_new) {
        process->second.comm.assign(event.comm, strnlen(event.comm, sizeof(event.comm)));
        process->second.has_traced_library = has_tls_library(pid_t(event.tgid));
        process->second.reason = has_file(pid_t(event.tgid), is_nss)
                                     ? "its TLS library is NSS, which is not traced"
                                     : why_(pid_t(event.tgid));
    }
    process->second.is_seen |= is_seen && !process->second.is_withdrawn;
}

void UnseenTls::add(const http_connection &connection)
{
    Process *process = connection.other ? nullptr : find(connection.other_tgid);
    if (process && connection.offset[HTTP_RECEIVED] && connection.offset[HTTP_SENT])
        process->connections++;
}

void UnseenTls::withdraw(pid_t pid)
{
    if (Process *process = find(pid)) {
        process->is_seen = false;
        process->is_withdrawn = true;
        process->reason = why_(pid);
    }
}

// A connection of a traced library is also unseen if it ends after the handshake. So such a process
// is only reported if a library that is not traced can explain it.
bool UnseenTls::is_reported(pid_t pid, const Process &process) const
{
    if (process.has_traced_library && !process.is_withdrawn)
        return has_untraced_(pid);
    return !process.is_seen;
}

std::map<UnseenTls::Connections, uint64_t> UnseenTls::counts() const
{
    std::map<Connections, uint64_t> counts;
    for (const auto &[tgid, process] : processes_) {
        if (process.connections && is_reported(pid_t(tgid), process))
            counts[{process.comm, process.reason}] += process.connections;
    }
    return counts;
}

}  // namespace uscope::http
