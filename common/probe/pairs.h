// The times between two events (bpf/lib/pairs.h): options, probes, the table, and what had no pair.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <bpf/libbpf.h>

#include "base/fd.h"
#include "base/result.h"
#include "bpf/lib/pairs.h"
#include "kernel/map.h"
#include "probe/calls.h"
#include "probe/request.h"
#include "probe/set.h"
#include "run/tool.h"

namespace uscope::probe {

class Pairs {
  public:
    // Declares --from, --to, --key, --to-key and --across-processes.
    void declare(run::Tool &tool);
    // Takes "FROM,TO" from the patterns: 'u:demo:begin,u:demo:end'.
    Result<> take(std::vector<std::string> &patterns);
    // Errors: only one of the two events is there.
    Result<> check() const;

    bool any() const { return !from_.empty(); }
    // "c:f,r:c:g"
    std::string text() const { return from_ + "," + to_; }

    // The probes of both events. `from`, `to`: the C functions that call pair_start() and
    // pair_end().
    Result<std::vector<ProbeRequest>> parse(const std::string &from, const std::string &to);
    // May a start in one process have its end in another?
    bool across_processes(const ProbeSet &probes) const;
    // Sets the size of the map pair_starts: its keys, and up to `starts` entries. Call it before
    // the object is loaded.
    Result<> prepare(bpf_map *pair_starts, uint32_t starts) const;

    // Creates the table of the histogram's slots.
    Result<> open();
    int map() const { return table_.get(); }
    // Passes to `add` what was measured since the last call; the function of the key is text().
    Result<> take(const CallTable::Add &add);

    // Reports the starts and ends that had no pair. Call it when the probes are detached.
    Result<> note_unmatched(run::Tool &tool, int pair_starts, int pair_counts) const;

  private:
    Result<ProbeRequest> parse_one(const std::string &text, const std::string &key,
                                   const std::string &function);

    std::string from_, to_, key_, to_key_;
    bool across_ = false;
    size_t keys_ = 0;
    Fd table_;
    std::optional<kernel::TableReader> reader_;
};

}  // namespace uscope::probe
