// What the tools have in common that take patterns of functions and look at their calls, not at
// their arguments (funccount, funclatency): the options, the probes, and what was counted.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "attach/map.h"
#include "base/fd.h"
#include "lib/histogram.h"
#include "probe/counted_stacks.h"
#include "probe/set.h"
#include "probe/setup.h"
#include "run/processes.h"
#include "run/tool.h"

namespace uscope::probe {

// "c:str*", "c:mem*"
std::string quoted(const std::vector<std::string> &patterns);

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

    // The patterns as probes, whose generated programs call the C function `counts`, or
    // `counts`_keyed: with a key that begins with 8 bytes of its own (CallTable) when there is one; by
    // stacks `counts`_stacks, with stacks behind those bytes (lib/site_stacks.bpf.h).
    // `kind`: of what has no letter for it (Entry or Return).
    Result<std::vector<ProbeRequest>> parse(spec::ProbeKind kind, const std::string &counts) const;
};

// Builds them as few programs as can be. `no_match` begins the error of a pattern that matches
// nothing: "No functions matched by pattern {}: ".
Result<ProbeSet> build_calls(
    std::vector<ProbeRequest> probes, BuildOptions options,
    const std::function<std::string(const std::string &pattern)> &no_match);

// Whose calls. What was not asked for is empty, or 0.
struct CallKey {
    std::string function, comm;
    uint32_t pid = 0;
    output::NamedStack stack = {};  // of the callers
    auto operator<=>(const CallKey &) const = default;
};

// What one program has counted. Its table is a hash when there are keys: their first 8 bytes are
// the slot of the histogram (0 for counts) and the number of the site (0 when it is not asked
// for). Else it is an array, of the histogram's slots or of the sites' counts.
class CallTable {
  public:
    // `stacks`: that name those of the keys, when calls are counted by them.
    static Result<CallTable> create(const Program &program, const Calls &calls,
                                    CountedStacks *stacks);
    int map() const { return map_.get(); }

    // Hands over what was added since the last time; counts have no sum and no maximum.
    using Add = std::function<void(const CallKey &key, uint32_t slot, const histogram_slot &added)>;
    Result<> take(const Add &add);

  private:
    CallTable(const Program &program, const Calls &calls, CountedStacks *stacks)
        : program_(program), calls_(calls), stacks_(stacks)
    {
    }
    bool has_slots() const;
    CallKey key_of(Bytes key, uint64_t count) const;
    output::NamedStack stack_of(Bytes key, uint64_t count) const;

    const Program &program_;
    const Calls &calls_;
    CountedStacks *stacks_;
    Fd map_;
    std::optional<attach::TableReader> reader_;
};

// Those of all programs.
class CallTables {
  public:
    Result<> create(const ProbeSet &probes, const Calls &calls, CountedStacks *stacks = nullptr);
    int map(const Program &program) const { return tables_.at(&program).map(); }
    Result<> take(const CallTable::Add &add);

  private:
    std::map<const Program *, CallTable> tables_;
};

}  // namespace uscope::probe
