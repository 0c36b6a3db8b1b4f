// The Go programs whose HTTP requests gohttp traces, each file once, and their probes.
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
        uint64_t least_ns = 0;      // only calls that took at least this long
        uint32_t string_bytes = 0;  // most bytes of a string
        std::string emit;           // the C function that the probes' programs call
    };

    // `build`: the options for the traced processes.
    Programs(Wanted wanted, const probe::BuildOptions &build);

    // `pid`: a process whose mount namespace the path belongs to. Errors: not a Go program with
    // net/http, or one whose types cannot be read.
    Result<> add(const std::string &program, std::optional<pid_t> pid = {});
    // Adds the process's program if it is a Go program with net/http, even if the process ends
    // meanwhile. A file that was rewritten since the last call counts as a new program. `mapped`:
    // its executable as the kernel reported it, for a process that has already ended. Errors: the
    // program's types cannot be read.
    Result<> add_process(pid_t pid, const proc::Mapping *mapped = nullptr);

    // Prints --dry-run and -v for the added programs. True: the tool has nothing else to do.
    bool print_plan(run::Tool &tool) const;
    // Calls `attach` for each program added since the last call.
    Result<> attach_new(const std::function<Result<>(probe::ProbeSet &)> &attach);
    // The probes on the program that the process runs; null if it has none.
    probe::ProbeSet *probes_of(pid_t pid) const;
    void detach();

    // Returns nullopt if the record belongs to another program.
    std::optional<Request> read(Bytes record);

    // The most bytes that a probe saves for a call: the time, the pointers passed as arguments, an
    // address; for a server also three strings.
    static constexpr uint32_t call_bytes(Side side) { return side == Side::Client ? 64 : 144; }

  private:
    struct Function {
        resolve::OpenedFile file;
        uint64_t bytes;  // size of its code
    };
    struct Version {  // identifies a file's content
        int64_t changed_s = 0, changed_ns = 0, bytes = 0;
        auto operator<=>(const Version &) const = default;
    };
    struct Program {
        std::optional<proc::FileId> file;
        Fd executable;  // probes are attached through it
        std::shared_ptr<const elf::Image> image;
        FunctionRange range;
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
    std::vector<std::unique_ptr<Program>> programs_;  // by event_header::probe
    size_t attached_ = 0;
    std::map<proc::FileId, Version> seen_;
    std::vector<output::Value> values_;  // the last event's
};

}  // namespace uscope::http
