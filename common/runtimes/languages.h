// Common options of the tools for high-level languages: PID [INTERVAL] as in BCC, -l, --unsafe, the
// filters by process; and the runtimes that these select.
#pragma once

#include <string>
#include <vector>

#include "lang/runtime.h"
#include "run/interval.h"
#include "run/processes.h"
#include "run/tool.h"

namespace uscope::runtimes {

class Languages {
  public:
    // What the tool does without a language. Required: it fails. Optional: it has other things to
    // show (-l none). LibC: it uses the C library if no other language reports the tool's event.
    enum class Fallback : uint8_t { Required, Optional, LibC };

    enum class Words : uint8_t { Pids, PidAndInterval };
    struct Style {
        Fallback fallback = Fallback::Required;
        Words words = Words::Pids;
        char tid_name = 't', forks_name = 'F';
        bool none_is_c = false;  // -l none means -l c
    };

    void declare(run::Tool &tool, const Style &style);
    // Checks the options and applies PID and INTERVAL. Errors: no process is named; unknown
    // language; a wrong filter.
    Result<> check(run::Intervals *intervals = nullptr);

    bool is_none() const { return name_ == "none"; }
    // Returns the runtimes of the selected processes, one per file, all of one language. Empty only
    // with -l none or, if `may_be_none`, for processes without a runtime.
    Result<std::vector<lang::Runtime>> find(lang::Event event, bool may_be_none = false) const;
    // Returns the runtimes of all selected processes, in all languages.
    Result<std::vector<lang::Runtime>> find_all(lang::Event event, bool may_be_none = false) const;
    // "process 181 (language: java)"
    std::string traced(const std::vector<lang::Runtime> &runtimes) const;

    bool unsafe() const { return processes.returns.unsafe; }

    run::Processes processes;

  private:
    Result<lang::Runtime> find(pid_t pid, lang::Event event) const;
    Result<std::vector<lang::Runtime>> find_followed(pid_t pid, lang::Event event) const;

    Style style_;
    std::string name_;
    const lang::Language *wanted_ = nullptr;
    std::vector<std::string> words_;
};

}  // namespace uscope::runtimes
