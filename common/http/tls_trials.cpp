// Collects the lengths of connections on trial, and decides by the verdicts.
#include "http/tls_trials.h"

#include <bpf/bpf.h>

#include "http/nameless_tls.h"

namespace uscope::http {
namespace {

constexpr size_t max_connections = 4096;

}  // namespace

const tls::Finding &TlsTrials::add(proc::FileId file, tls::Finding finding)
{
    Program &program = programs_[file];
    program.is_decided = finding.places.empty();
    return program.finding = std::move(finding);
}

const tls::Finding &TlsTrials::finding(proc::FileId file) const
{
    static const tls::Finding nothing;
    auto program = programs_.find(file);
    return program == programs_.end() ? nothing : program->second.finding;
}

void TlsTrials::note(pid_t pid, proc::FileId file)
{
    constexpr size_t most = 16384;
    if (!programs_.contains(file))
        return;
    if (processes_.size() >= most)
        processes_.erase(processes_.begin());
    processes_.insert_or_assign(pid, file);
    if (is_tried(pid))
        try_process(pid, true);
}

std::set<pid_t> TlsTrials::processes(proc::FileId file) const
{
    std::set<pid_t> pids;
    for (const auto &[pid, program] : processes_)
        if (program == file)
            pids.insert(pid);
    return pids;
}

std::string TlsTrials::why_unseen(pid_t pid) const
{
    auto process = processes_.find(pid);
    return http::why_unseen(process == processes_.end() ? tls::Finding()
                                                        : finding(process->second));
}

bool TlsTrials::has_untraced(pid_t pid) const
{
    auto process = processes_.find(pid);
    if (process == processes_.end())
        return false;
    const Program &program = programs_.at(process->second);
    bool is_proven = program.is_decided && !program.finding.places.empty();
    return !program.finding.library.empty() && !is_proven;
}

bool TlsTrials::is_tried(uint32_t tgid) const
{
    auto process = processes_.find(pid_t(tgid));
    return process != processes_.end() && !programs_.at(process->second).is_decided;
}

// Tells the kernel's programs whether new connections of the process are on trial.
void TlsTrials::try_process(pid_t pid, bool is_tried) const
{
    uint32_t tgid = uint32_t(pid);
    uint8_t value = 1;
    if (map_ < 0)
        return;
    if (is_tried)
        bpf_map_update_elem(map_, &tgid, &value, BPF_ANY);
    else
        bpf_map_delete_elem(map_, &tgid);
}

void TlsTrials::start(int map)
{
    map_ = map;
    for (const auto &[pid, file] : processes_)
        if (is_tried(uint32_t(pid)))
            try_process(pid, true);
}

void TlsTrials::add(const http_transfer &event, Bytes payload)
{
    switch (event.kind) {
    case HTTP_TLS:
        if (is_tried(event.tgid) && sockets_.size() < max_connections)
            sockets_[event.key.object] = {};
        break;
    case HTTP_TLS_RECORDS:
        if (auto found = sockets_.find(event.key.object); found != sockets_.end()) {
            Socket &socket = found->second;
            socket.records[event.direction & 1].add(
                payload.slice(0, event.captured).value_or(Bytes()), event.bytes);
            socket.calls++;
        }
        break;
    case HTTP_TLS_PLAINTEXT:
        add_plaintext(event);
        break;
    case HTTP_TLS_UNSEEN:
        sockets_.erase(event.key.object);
        break;
    case HTTP_CLOSED:
        if (auto found = connections_.find({event.key.object, event.key.tgid});
            found != connections_.end()) {
            judge(found->second, false);
            sockets_.erase(found->second.socket);
            connections_.erase(found);
        }
        break;
    }
}

void TlsTrials::add_plaintext(const http_transfer &event)
{
    Key key = {event.key.object, event.key.tgid};
    auto found = connections_.find(key);
    bool is_first = !event.offset[0] && !event.offset[1];
    if (is_first && connections_.size() < max_connections)
        found = connections_.insert_or_assign(key, Connection{.tgid = event.tgid}).first;
    if (found == connections_.end())
        return;
    Connection &connection = found->second;
    if (event.begin_ns)
        connection.socket = event.begin_ns;
    auto socket = sockets_.find(connection.socket);
    for (size_t direction = 0; is_first && socket != sockets_.end() && direction < 2; direction++)
        connection.lengths[direction].early_records =
            socket->second.records[direction].lengths().size();
    connection.lengths[event.direction & 1].plaintexts.push_back(event.bytes);
    connection.calls++;
    bool is_at_end = socket != sockets_.end() && socket->second.calls >= HTTP_TRIES;
    if (connection.calls >= HTTP_TRIES || is_at_end)
        judge(connection, true);
}

// `is_cut`: the connection goes on, but no more of it is submitted.
void TlsTrials::judge(Connection &connection, bool is_cut)
{
    auto socket = sockets_.find(connection.socket);
    auto process = processes_.find(pid_t(connection.tgid));
    if (connection.is_judged || socket == sockets_.end() || process == processes_.end())
        return;
    connection.is_judged = true;
    for (size_t direction = 0; direction < 2; direction++) {
        const tls::RecordLengths &records = socket->second.records[direction];
        tls::Lengths &lengths = connection.lengths[direction];
        lengths.records = records.lengths();
        lengths.is_written = direction == HTTP_SENT;
        lengths.is_cut = is_cut || records.is_cut();
    }
    decide(process->second, tls::judge(connection.lengths));
}

void TlsTrials::decide(proc::FileId file, tls::Verdict verdict)
{
    constexpr unsigned most_disagreements = 3;
    Program &program = programs_.at(file);
    program.disagreed += verdict == tls::Verdict::Disagrees;
    if (program.is_decided ||
        (verdict != tls::Verdict::Agrees && program.disagreed < most_disagreements))
        return;
    program.is_decided = true;
    for (pid_t pid : processes(file))
        try_process(pid, false);
    decided_.push_back(file);
    if (verdict == tls::Verdict::Agrees)
        return;
    program.finding.places.clear();
    program.finding.missing = "what the functions found in it move is not what its records contain";
}

}  // namespace uscope::http
