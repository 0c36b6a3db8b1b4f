// All probes of a command line: from texts to attached programs.
//
//   build()   text -> spec -> sites -> generated programs      (reads files; no privileges, no kernel)
//   load()    programs into the kernel, with the C half of the tool's object
//   attach()  programs to their sites
//
// Each group of sites with the same argument places gets a program of its own; its index in
// programs() is the `probe` number of its records.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attach/attach.h"
#include "attach/close.h"
#include "attach/link.h"
#include "expr/program.h"
#include "output/printf.h"
#include "resolve/names.h"
#include "resolve/resolve.h"
#include "spec/probe.h"

namespace uscope::probe {

// One probe of the command line, parsed.
struct Parsed {
    spec::Probe spec;
    output::Format format;              // empty without a message
    expr::NodeRef predicate;            // may be null
    std::vector<expr::NodeRef> values;  // one for each value that the format consumes
    std::vector<expr::Wanted> wanted;   // the same: how the format shows it
    std::vector<char> conversions;      // the same: d s x …
    std::vector<bool> sized;            // the same: the specifier gives a size (%ld, %hx)
};
// `binary_compare`: a literal of STRCMP is a C initializer, "{0x6c, 0x00}" (BCC's -B).
// Errors are fail_at(): also a format and values that do not go together.
Result<Parsed> parse(std::string_view text, bool binary_compare = false);

struct Program {
    const Parsed *probe = nullptr;
    resolve::Group group;
    std::unique_ptr<resolve::Names> names;
    expr::Program main;
    std::optional<expr::Program> entry;   // for $entry() and $latency
    std::vector<std::string> site_names;  // by cookie: 1 … n; [0] when there is one
    Fd main_fd, entry_fd;

    const std::string &site_name(uint32_t cookie) const;
};

struct BuildOptions {
    std::vector<pid_t> lookup;  // processes whose files are meant
    expr::ProcessFilter filter;
    uint32_t header_bytes = 0;
    uint32_t string_bytes = 80;
    bool binary_compare = false;  // -B: literals of STRCMP are C initializers
    bool sleepable = false;       // the kernel has sleepable uprobes
    std::string emit;             // the C function of the tool's object
};

class Set {
  public:
    Set(Set &&) = default;
    Set &operator=(Set &&) = delete;
    ~Set() { detach(); }

    static Result<Set> build(const std::vector<std::string> &texts, const BuildOptions &options);

    const std::vector<std::unique_ptr<Program>> &programs() const { return programs_; }
    bool any_message() const;                    // does any probe have a format?
    bool any_conversion(char conversion) const;  // does one show a value so? ('U': user symbol)
    bool any_sites_by_cookie() const;            // does any program serve several names?
    size_t site_count() const;
    bool any_may_unwind() const;      // see resolve::Group
    size_t refused_count() const;     // sites left out, because no probe can be there
    uint32_t largest_record() const;  // bytes
    // For the calls map: bytes of a value; 0: not needed.
    uint32_t call_bytes() const;

    Result<> load(const attach::Template &half, const std::map<expr::MapSlot, int> &maps);
    // `pid`: the only process, or 0.
    Result<> attach(pid_t pid);
    // Returns when the last event has happened. `on_slow`: see attach::close_links().
    void detach(const std::function<void(size_t)> &on_slow = {})
    {
        attach::close_links(std::exchange(links_, {}), on_slow);
    }

  private:
    Set() = default;

    std::vector<std::unique_ptr<Parsed>> probes_;
    std::vector<std::unique_ptr<Program>> programs_;
    bool sleepable_ = false;
    attach::Links links_;  // last: detached before the programs go
};

}  // namespace uscope::probe
