// --digest of the tools that show statements or commands: prints a table at the end, or every -i
// seconds, when a terminal shows the last one only (run/live.h).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "db/digests.h"
#include "run/live.h"
#include "run/loop.h"
#include "run/tool.h"

namespace uscope::servers {

struct DigestOptions {
    bool digest = false;
    std::optional<std::string> order_name = {};
    std::optional<uint64_t> top = {};
    std::optional<double> interval = {};
    std::optional<std::string> tag = {};
    std::unique_ptr<run::Live> live = std::make_unique<run::Live>();

    void declare(run::Tool &tool, const std::string &help);
    void declare_tag(run::Tool &tool);  // for tools that show SQL
    Result<> check() const;
    db::DigestOrder order() const;  // after check()
};

class DigestReport {
  public:
    // `options` outlives this object. `what`: the plural of what is counted, "statements".
    DigestReport(run::Tool &tool, const DigestOptions &options, db::DigestStyle style,
                 std::string what);

    void add(const std::string &digest, uint64_t latency, bool is_error,
             const std::string &tag = {})
    {
        digests_.add(digest, latency, is_error, tag);
    }
    Result<> show_every_interval(run::Loop &loop);
    // Prints what was added since the last call, or with --live without -i, everything.
    void show();

  private:
    void refresh();
    void write(bool has_time);

    run::Tool &tool_;
    const DigestOptions &options_;
    db::DigestStyle style_;
    std::string what_;
    db::Digests digests_;
};

}  // namespace uscope::servers
