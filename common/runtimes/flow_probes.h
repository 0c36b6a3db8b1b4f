// Makes probes for the calls and returns of a program, and filters them by name: for uflow.
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
        std::string class_name, method;  // prefixes; empty: all
        bool unsafe = false;
        expr::EventOutput enter, leave;
    };
    explicit FlowProbes(Wanted wanted) : wanted_(std::move(wanted)) {}

    // Adds the probes of one process. Notes say which calls will be missing. Errors: all would be
    // missing.
    Result<> add(run::Tool &tool, const lang::Runtime &runtime);
    std::vector<probe::ProbeRequest> take() { return std::move(parsed_); }

    // Does an event from the program of `probe` pass the filters that the program could not apply?
    // `values`: see ProbeRequest::values.
    bool passes(const probe::ProbeRequest &probe, const std::vector<output::Value> &values) const;

  private:
    bool passes_by_namespace(const probe::ProbeRequest &probe,
                             const std::vector<output::Value> &values) const;
    Result<probe::ProbeRequest> parse(const lang::Runtime &runtime, const lang::Hook &hook);

    Wanted wanted_;
    std::vector<probe::ProbeRequest> parsed_;
    std::set<std::string> known_;  // file and source of each probe
    std::set<std::string> noted_;
    // Labels of probes whose programs cannot apply the filter.
    std::set<std::string> has_namespaces_, with_classes_;
};

}  // namespace uscope::runtimes
