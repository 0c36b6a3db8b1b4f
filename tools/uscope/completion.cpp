// completion: prints the script by which a shell completes the command lines of the tools.
#include "run/completion.h"

#include "base/format.h"
#include "base/text.h"
#include "run/tool.h"

namespace uscope::tools::completion {

Result<> tool_main(run::Tool &tool)
{
    std::vector<std::string> shells;
    for (const run::CompletionScript &script : run::completion_scripts)
        shells.emplace_back(script.shell);
    const std::string placeholder = join(shells, "|");

    std::string shell;
    tool.summary(run::Question::Programs, "prints the script for completion in bash, zsh or fish");
    tool.positional(shell, placeholder, "print the script of this shell");
    tool.example("completion bash", "complete in this shell, until it ends");
    tool.attaches_nothing();
    if (!TRY(tool.parse()))
        return {};
    for (const run::CompletionScript &script : run::completion_scripts) {
        if (script.shell != shell)
            continue;
        tool.out().buffer() +=
            run::completion_script(script, tool.name().substr(0, tool.name().find(' ')));
        return {};
    }
    return fail_usage("the script of which shell? {} {}", tool.name(), placeholder);
}

}  // namespace uscope::tools::completion
