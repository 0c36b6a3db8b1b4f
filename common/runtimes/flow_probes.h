// The probes of a program's calls and returns, and which of them are wanted by name: for uflow.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "lang/runtime.h"
#include "output/printf.h"
#include "probe/request.h"
#include "run/tool.h"

namespace uscope::runtimes {

class FlowProbes {
  public:
    struct Wanted {
        std::string class_name, method;  // how they begin; empty: all
        bool unsafe = false;
        probe::EventOutput enter, leave;
    };
    explicit FlowProbes(Wanted wanted) : wanted_(std::move(wanted)) {}

    // The probes of one process. Notes say which calls will be missing. Fails when all would be.
    Result<> add(run::Tool &tool, const lang::Runtime &runtime);
    std::vector<probe::ProbeRequest> take() { return std::move(parsed_); }

    // Is the event wanted that the program of `probe` let through? `values`: as ProbeRequest::values.
    bool passes(const probe::ProbeRequest &probe, const std::vector<output::Value> &values) const;

  private:
    bool passes_by_namespace(const probe::ProbeRequest &probe,
                             const std::vector<output::Value> &values) const;
    Result<probe::ProbeRequest> parse(const lang::Runtime &runtime, const lang::Hook &hook);

    Wanted wanted_;
    std::vector<probe::ProbeRequest> parsed_;
    std::set<std::string> known_;  // files and sources
    std::set<std::string> noted_;
    // Labels: the program could not decide.
    std::set<std::string> has_namespaces_, with_classes_;
};

}  // namespace uscope::runtimes
