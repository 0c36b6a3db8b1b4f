// Shared code of the tools that take function patterns and look at calls but not at arguments
// (funccount, funclatency): options, probes and counts.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "attach/map.h"
#include "base/fd.h"
#include "bpf/lib/histogram.h"
#include "probe/describe.h"
#include "probe/set.h"
#include "probe/setup.h"
#include "run/processes.h"
#include "run/tool.h"
#include "stacks/counted_stacks.h"

namespace uscope::probe {

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
    void declare_keys(run::Tool &tool, const std::string &one_for_each);
    Result<> check() const;

    bool is_keyed() const { return by_process || by_comm || by_stacks; }
    std::string quoted() const { return probe::quoted(patterns); }

    // Makes a probe of each pattern. The generated programs call a C function: `counts` without a
    // key, `counts`_keyed with a key that starts with 8 bytes of the C code (CallTable), or
    // `counts`_stacks, where stacks follow those bytes (bpf/unwind/site_stacks.bpf.h).
    // `kind` (Entry or Return) applies to patterns without a kind letter.
    Result<std::vector<ProbeRequest>> parse(spec::ProbeKind kind, const std::string &counts) const;
};

// Builds as few programs as possible for these probes. `no_match` returns the start of the error
// for a pattern that matches nothing: "No functions matched by pattern {}: ".
Result<ProbeSet> build_calls(
    std::vector<ProbeRequest> probes, BuildOptions options,
    const std::function<std::string(const std::string &pattern)> &no_match);

// What calls are counted by. Parts that the user did not ask for are empty or 0.
struct CallKey {
    std::string function, comm;
    uint32_t pid = 0;
    output::NamedStack stack = {};  // of the callers
    auto operator<=>(const CallKey &) const = default;
};

// The counts of one program. With keys, the table is a hash: the first 8 bytes of a key are the
// histogram's slot (0 for counts) and the site's number (0 unless calls are counted by function).
// Without keys, it is an array of the histogram's slots or of the sites' counts.
class CallTable {
  public:
    // `stacks` names the stacks in the keys; required if calls are counted by stack.
    static Result<CallTable> create(const Program &program, const Calls &calls,
                                    stacks::CountedStacks *stacks);
    int map() const { return map_.get(); }

    // Passes to `add` what was counted since the last call; counts have no sum and no maximum.
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
    std::optional<attach::TableReader> reader_;
};

// The tables of all programs.
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
