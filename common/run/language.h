// What the tools have in common that look at programs in high-level languages: PID [INTERVAL] as
// BCC has it, -l, --unsafe, and the runtimes that these mean.
#pragma once

#include <string>
#include <vector>

#include "lang/runtime.h"
#include "run/interval.h"
#include "run/processes.h"
#include "run/tool.h"

namespace uscope::run {

class Languages {
  public:
    // Of the tool. `None`: it has something to show without a language, too. `C`: also for the C
    // library, which is meant where there is no other language that tells of the tool's event.
    enum class Else : uint8_t { Nothing, None, C };

    void declare(Tool &tool, Else otherwise, bool takes_interval);
    // Takes PID and INTERVAL over. Errors: no process is named; there is no such language.
    Result<> check(Processes &processes, Intervals *intervals);

    bool is_none() const { return name_ == "none"; }
    // Of the processes that were asked for, those with the same file once; none only with -l none,
    // and, where there may be none, with processes without any. All of one language.
    Result<std::vector<lang::Runtime>> find(const Processes &processes, lang::Event event,
                                            bool may_be_none = false) const;

    bool unsafe = false;

  private:
    Result<lang::Runtime> find(pid_t pid, lang::Event event) const;

    Else otherwise_ = Else::Nothing;
    bool takes_interval_ = false;
    std::string name_;
    const lang::Language *wanted_ = nullptr;
    std::vector<std::string> words_;
};

// "process 181 (language: java)"
std::string traced(const Processes &processes, const std::vector<lang::Runtime> &runtimes);

}  // namespace uscope::run
