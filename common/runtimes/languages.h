// What the tools have in common that look at programs in high-level languages: PID [INTERVAL] as
// BCC has it, -l, --unsafe, the filters by process, and the runtimes that these mean.
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
    // Of the tool. `None`: it also has something to show without a language. `C`: also for the C
    // library, which is meant where there is no other language that tells of the tool's event.
    enum class Else : uint8_t { Nothing, None, C };

    enum class Words : uint8_t { Pids, PidAndInterval };
    struct Style {
        Else otherwise = Else::Nothing;
        Words words = Words::Pids;
        char tid_name = 't', forks_name = 'F';
        bool none_is_c = false;  // -l none is -l c
    };

    void declare(run::Tool &tool, const Style &style);
    // Takes PID and INTERVAL over. Errors: no process is named; there is no such language; a filter
    // is wrong.
    Result<> check(run::Intervals *intervals = nullptr);

    bool is_none() const { return name_ == "none"; }
    // Of the processes that were asked for, those with the same file once; none only with -l none,
    // and, where there may be none, with processes without any. All of one language.
    Result<std::vector<lang::Runtime>> find(lang::Event event, bool may_be_none = false) const;
    // The runtimes of all processes, in all languages.
    Result<std::vector<lang::Runtime>> find_all(lang::Event event, bool may_be_none = false) const;
    // "process 181 (language: java)"
    std::string traced(const std::vector<lang::Runtime> &runtimes) const;

    run::Processes processes;
    bool unsafe = false;

  private:
    Result<lang::Runtime> find(pid_t pid, lang::Event event) const;
    Result<std::vector<lang::Runtime>> find_followed(pid_t pid, lang::Event event) const;

    Style style_;
    std::string name_;
    const lang::Language *wanted_ = nullptr;
    std::vector<std::string> words_;
};

}  // namespace uscope::runtimes
