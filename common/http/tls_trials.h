// The programs whose TLS library has no names, and the trials of the functions found in them.
//
// The first connections of such a program are on trial: the kernel's programs submit what its
// sockets move and how much plaintext the functions move (bpf/http/http.bpf.h), and tls/trial.h
// compares their lengths. When one connection agrees in both directions, the functions are proven.
// If several connections disagree before, the functions are refuted. (One does not suffice: the
// other side may add padding to its records.)
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/bytes.h"
#include "bpf/http/http.h"
#include "proc/maps.h"
#include "tls/finder.h"
#include "tls/trial.h"

namespace uscope::http {

class TlsTrials {
  public:
    // Adds a file without functions that have names; returns what was found in it.
    const tls::Finding &add(proc::FileId file, tls::Finding finding);
    const tls::Finding &finding(proc::FileId file) const;
    // Remembers that the process runs this file, if the file was added.
    void note(pid_t pid, proc::FileId file);
    std::set<pid_t> processes(proc::FileId file) const;
    // Returns why the TLS of the process's program may be unseen (http/nameless_tls.h), also after
    // the process has ended.
    std::string why_unseen(pid_t pid) const;

    // Is a library known in the process's program, but not (or not yet) proven?
    bool has_untraced(pid_t pid) const;

    // From now on, connections are tried. `map`: the descriptor of http_tried.
    void start(int map);
    // Call for each event. `payload`: what follows it.
    void add(const http_transfer &event, Bytes payload);
    // Returns the files whose functions were proven or refuted since the last call. The finding of
    // the latter has no places any more.
    std::vector<proc::FileId> take_decided() { return std::exchange(decided_, {}); }

  private:
    using Key = std::pair<uint64_t, uint32_t>;  // of http_key
    struct Program {
        tls::Finding finding;
        unsigned disagreed = 0;  // connections
        bool is_decided = false;
    };
    struct Socket {
        std::array<tls::RecordLengths, 2> records;
        unsigned calls = 0;
    };
    struct Connection {     // of the TLS library
        uint32_t tgid = 0;  // in our PID namespace; that of the key is the initial one's
        std::array<tls::Lengths, 2> lengths = {};
        uint64_t socket = 0;
        unsigned calls = 0;
        bool is_judged = false;
    };
    bool is_tried(uint32_t tgid) const;
    void try_process(pid_t pid, bool is_tried) const;
    void add_plaintext(const http_transfer &event);
    void judge(Connection &connection, bool is_cut);
    void decide(proc::FileId file, tls::Verdict verdict);

    int map_ = -1;
    std::map<proc::FileId, Program> programs_;
    std::map<pid_t, proc::FileId> processes_;
    std::map<uint64_t, Socket> sockets_;
    std::map<Key, Connection> connections_;
    std::vector<proc::FileId> decided_;
};

}  // namespace uscope::http
