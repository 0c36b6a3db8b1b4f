// The servers that mysqlqueries looks at, and the probes on them: those that were named, or all there
// are and each one that starts.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "probe/kernel_maps.h"
#include "probe/statements.h"
#include "proc/library.h"
#include "proc/maps.h"
#include "run/arrivals.h"

namespace uscope::probe {

class MysqlServers {
  public:
    struct Wanted {
        run::Processes processes;
        std::string path;     // of a program, for all processes that run it; "": see above
        bool nested = false;  // the statements of stored procedures, too
        bool user = false;    // the connection's user, too
    };
    // `wanted` and `maps` outlive it.
    MysqlServers(run::Tool &tool, const Wanted &wanted, const KernelMaps &maps,
                 StatementTemplates templates)
        : tool_(tool), wanted_(wanted), maps_(maps), templates_(std::move(templates))
    {
    }

    Result<> prepare() const;  // before the object is loaded
    // Errors: a server that was named cannot be traced, or none of those there are.
    Result<> attach(run::Session &session);
    void detach();

  private:
    struct Server {
        proc::FileId file;
        Fd constants;
        std::unique_ptr<Set> probes;
    };
    // `pid`: the only process, or 0.
    Result<> add(const proc::FoundFile &program, pid_t pid);
    Result<> add_process(pid_t pid);
    Result<> attach_all(run::Session &session);
    void note_limits(const db::MysqlServer &server, const std::string &path);

    run::Tool &tool_;
    const Wanted &wanted_;
    const KernelMaps &maps_;
    StatementTemplates templates_;
    std::map<pid_t, Server> servers_;
    size_t refused_ = 0;
    std::optional<run::Arrivals> arrivals_;
};

}  // namespace uscope::probe
