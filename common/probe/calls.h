// Options, probes and counts for the tools that take function patterns and look at calls but not at
// their arguments (funccount, funclatency).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "bpf/lib/histogram.h"
#include "kernel/map.h"
#include "probe/describe.h"
#include "probe/set.h"
#include "probe/setup.h"
#include "run/processes.h"
#include "run/tool.h"
#include "stacks/counted_stacks.h"

namespace uscope::probe {

// The patterns and options that such a tool was started with.
struct Calls {
    std::vector<std::string> patterns;
    bool is_regex = false;     // -r
    bool by_function = false;  // set by the tool
    bool by_process = false;   // -P
    bool by_comm = false;      // --by-comm
    bool by_stacks = false;    // set by the tool
    uint32_t keys = 65536;     // --keys
    SkipMissing missing;

    void declare_patterns(run::Tool &tool);
    // `one_for_each`: the start of the options' help texts, such as "a row for each".
    void declare_keys(run::Tool &tool, const std::string &one_for_each);
    Result<> check() const;

    bool may_match_several() const;  // functions
    bool is_keyed() const { return by_process || by_comm || by_stacks; }
    std::string quoted() const { return probe::quoted(patterns); }

    // Parses each pattern into a probe. `counts` names the C function that the generated programs
    // call: `counts` itself without keys, `counts`_keyed with keys, or `counts`_stacks with keys
    // that contain stacks. The C function fills the first 8 bytes of a key (see CallTable), and the
    // stacks that follow them (bpf/unwind/site_stacks.bpf.h). `kind` (Entry or Return) applies to
    // patterns without a kind letter.
    Result<std::vector<ProbeRequest>> parse(spec::ProbeKind kind, const std::string &counts) const;
};

// Builds as few programs as possible for these probes. `no_match` returns the start of the error
// for a pattern that matches nothing: "No functions matched by pattern {}: ".
Result<ProbeSet> build_calls(
    std::vector<ProbeRequest> probes, BuildOptions options,
    const std::function<std::string(const std::string &pattern)> &no_match);

// Calls with the same key are counted together. A member is empty or 0 if the user does not count
// by it.
struct CallKey {
    std::string function, comm;
    uint32_t pid = 0;
    output::NamedStack stack = {};  // of the callers
    auto operator<=>(const CallKey &) const = default;
    // The stack with the function itself as its innermost frame.
    output::NamedStack stack_of_function() const;
};

// The table in which one program counts. With keys (Calls::is_keyed()), it is a hash: a key starts
// with the histogram's slot (4 bytes; 0 for counts) and the site's number (4 bytes; 0 unless calls
// are counted by function). Without keys, it is an array, either of the histogram's slots or of one
// count for each site.
class CallTable {
  public:
    // `stacks` names the stacks in the keys; required if calls are counted by stack.
    static Result<CallTable> create(const Program &program, const Calls &calls,
                                    stacks::CountedStacks *stacks);
    int map() const { return map_.get(); }

    // Passes to `add` what was counted since the last call of take(). For counts, `sum` and `max`
    // are 0.
    using Add = std::function<void(const CallKey &key, uint32_t slot, const histogram_slot &added)>;
    Result<> take(const Add &add);

  private:
    CallTable(const Program &program, const Calls &calls, stacks::CountedStacks *stacks)
        : program_(program), calls_(calls), stacks_(stacks)
    {
    }
    bool has_slots() const;
    CallKey key_of(Bytes key, uint64_t count) const;
    output::NamedStack stack_of(Bytes key, uint64_t count) const;

    const Program &program_;
    const Calls &calls_;
    stacks::CountedStacks *stacks_;
    Fd map_;
    std::optional<kernel::TableReader> reader_;
};

// The tables of all programs of a probe set.
class CallTables {
  public:
    Result<> create(const ProbeSet &probes, const Calls &calls,
                    stacks::CountedStacks *stacks = nullptr);
    int map(const Program &program) const { return tables_.at(&program).map(); }
    Result<> take(const CallTable::Add &add);

  private:
    std::map<const Program *, CallTable> tables_;
};

}  // namespace uscope::probe
