// agent: keeps the tools of a file running, and answers scrapes of all their metrics.
#include "agent/agent.h"

#include "run/tool.h"

namespace uscope::tools::agent {

using namespace uscope::agent;

Result<> tool_main(run::Tool &tool)
{
    std::string path;
    bool is_check = false;
    tool.summary(run::Question::Programs, "keeps tools running, with one port for their metrics");
    tool.positional(path, "CONFIG", "the tools and their options, as YAML");
    tool.flag(0, "check", is_check, "check CONFIG and the tools' options, and exit");
    tool.example("agent /etc/uscope.yaml", "run the tools that this file lists");
    tool.example("agent --check /etc/uscope.yaml", "does the file have errors?");
    tool.explain("SIGHUP makes it read CONFIG again. docs/fleet.md describes the file.");
    tool.attaches_nothing();
    if (!TRY(tool.parse()))
        return {};
    if (path.empty())
        return fail_usage("give a CONFIG, such as /etc/uscope.yaml (see --help)");
    Loaded loaded = TRY(load(path));
    for (const Problem &problem : loaded.problems)
        tool.warn("{}:{}: {}", path, problem.line, problem.text);
    if (!loaded.problems.empty())
        return fail("{} has {} error{}", path, loaded.problems.size(),
                    loaded.problems.size() == 1 ? "" : "s");
    if (is_check)
        for (const Problem &warning : loaded.warnings)
            tool.warn("{}:{}: it cannot run now: {}", path, warning.line, warning.text);
    return is_check ? Result<>() : Agent(tool, path, std::move(loaded)).run();
}

}  // namespace uscope::tools::agent
