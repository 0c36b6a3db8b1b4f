// The Go programs whose HTTP requests gohttp traces, each file once, and their probes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "expr/program.h"
#include "probe/traced_files.h"
#include "resolve/resolve.h"
#include "wire/request.h"

namespace uscope::http {

class Programs {
  public:
    struct Wanted {
        wire::Side side = wire::Side::Client;
        uint64_t least_ns = 0;      // only calls that took at least this long
        uint32_t string_bytes = 0;  // most bytes of a string
        bool traceparent = false;   // also read this header
    };

    Programs(run::Tool &tool, const run::Processes &processes, Wanted wanted);

    // Adds a program that the user named: its probes go into its file. `pid`: a process whose mount
    // namespace the path belongs to. Errors: not a Go program with net/http, or one whose types
    // cannot be read.
    Result<> add(const std::string &program, std::optional<pid_t> pid = {});
    // Adds the program of a process that the user named, or its Go libraries if the program cannot
    // be traced. Errors: as add().
    Result<> add_named(pid_t pid);
    // Adds the process's program if it is a Go program with net/http, even if the process ends
    // meanwhile. A file that was rewritten since the last call counts as a new program. `mapped`:
    // its executable as the kernel reported it, for a process that has already ended. Errors: the
    // program's types cannot be read.
    Result<> add_process(pid_t pid, const proc::Mapping *mapped = nullptr);

    // Prints --dry-run and -v for the added programs. True: the tool has nothing else to do.
    bool print_plan(run::Tool &tool) const { return files_.print_plan(tool); }
    // Call before the object is loaded.
    Result<> prepare(const probe::KernelMaps &maps) const { return files_.prepare(maps); }
    // Call after the object is loaded: attaches the probes of the added programs. `maps` outlives
    // this object.
    Result<> attach(const probe::KernelMaps &maps, probe::ProgramBindings bindings)
    {
        return files_.start(maps, std::move(bindings));
    }
    // Traces all programs or, with -F, those that the traced processes start.
    Result<> listen(run::Loop &loop, const run::ForkFollower &follower);
    void detach() { files_.detach(); }

    // Returns nullopt if the record belongs to another program.
    std::optional<wire::Request> read(Bytes record);

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
        std::shared_ptr<const elf::Image> image;
        go::TypeNames types;
        wire::FunctionRange range;
        std::vector<expr::Program::Layout> layouts;  // of its records
    };
    Result<probe::ProbeRequest> probe(char kind, std::string_view function, std::string_view values,
                                      const std::string &program) const;
    Result<Function> find(const std::string &program, std::optional<pid_t> pid) const;
    bool has_function(const std::string &program) const;
    Result<> add(const Function &function, const std::string &program, const struct stat &file,
                 bool in_file);
    bool is_seen(const struct stat &file);
    void found(pid_t pid, const proc::Mapping *mapped);

    run::Tool &tool_;
    const run::Processes &processes_;
    Wanted wanted_;
    std::vector<Program> programs_;  // by event_header::probe
    std::map<proc::FileId, Version> seen_;
    std::vector<output::Value> values_;  // the last event's
    probe::TracedFiles files_;
};

}  // namespace uscope::http
