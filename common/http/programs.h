// The Go programs whose HTTP requests gohttp looks at, each file once, and the probes on them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "http/request.h"
#include "probe/build_options.h"
#include "probe/kernel_maps.h"
#include "probe/set.h"
#include "proc/maps.h"
#include "resolve/resolve.h"

namespace uscope::http {

class Programs {
  public:
    struct Wanted {
        Side side = Side::Client;
        uint64_t least_ns = 0;      // only calls that took so long
        uint32_t string_bytes = 0;  // most of a string
        std::string emit;           // the C function that the programs call
    };

    // `build`: as of the processes that are looked at.
    Programs(Wanted wanted, const probe::BuildOptions &build);

    // `pid`: of a process that runs it, in whose files it is looked for. Errors: it is no Go
    // program with net/http, or one that is not understood.
    Result<> add(const std::string &program, std::optional<pid_t> pid = {});
    // What the process runs, if it is a Go program with net/http; also when it ends meanwhile. A file
    // that was rewritten since is another one. `mapped`: its executable as the kernel reported it, for when
    // the process has ended already. Errors: it is not understood.
    Result<> add_process(pid_t pid, const proc::Mapping *mapped = nullptr);

    // --dry-run and -v, of those that were added. True: that was all.
    bool shows_plan(run::Tool &tool) const;
    // Those that were added since the last time.
    Result<> attach_new(const std::function<Result<>(probe::ProbeSet &)> &attach);
    // The probes on what the process runs; null: none.
    probe::ProbeSet *probes_of(pid_t pid) const;
    void detach();

    // Nothing for a record that is none of theirs.
    std::optional<Request> read(Bytes record);

    // The most that a program saves of a call: the time, pointers that are arguments, an address;
    // of a server three strings.
    static constexpr uint32_t call_bytes(Side side) { return side == Side::Client ? 64 : 144; }

  private:
    struct Function {
        resolve::OpenedFile file;
        uint64_t bytes;  // of its code
    };
    struct Version {  // of a file's content
        int64_t changed_s = 0, changed_ns = 0, bytes = 0;
        auto operator<=>(const Version &) const = default;
    };
    struct Program {
        std::optional<proc::FileId> file;
        Fd executable;  // by which it is attached to
        std::shared_ptr<const elf::Image> image;
        Code code;
        std::optional<go::TypeNames> types;
        std::optional<probe::ProbeSet> probes;
    };
    Result<probe::ProbeRequest> probe(char kind, std::string_view function, std::string_view values,
                                      const std::string &program) const;
    Result<Function> find(const std::string &program, std::optional<pid_t> pid) const;
    bool has_function(const std::string &program) const;
    Result<> add(const Function &function, const std::string &program);
    bool is_seen(const struct stat &file);

    Wanted wanted_;
    probe::BuildOptions build_;
    std::vector<std::unique_ptr<Program>> programs_;  // by the numbers of their events
    size_t attached_ = 0;
    std::map<proc::FileId, Version> seen_;
    std::vector<output::Value> values_;  // of the last event
};

}  // namespace uscope::http
