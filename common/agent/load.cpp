// Makes the tools' command lines, and runs them with --dry-run.
#include "agent/load.h"

#include <algorithm>
#include <list>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "base/format.h"
#include "base/text.h"
#include "output/escape.h"
#include "run/tool.h"
#include "run/tool_process.h"
#include "run/tools.h"

namespace uscope::agent {
namespace {

std::vector<std::string> names_of_tools()
{
    std::vector<std::string> names;
    for (const run::ToolEntry &entry : run::tool_entries)
        if (!entry.is_command)
            names.emplace_back(entry.name);
    return names;
}

bool has_option(const std::string &name, std::string_view option)
{
    for (const run::ToolEntry &entry : run::tool_entries) {
        run::Tool tool{run::Tool::Described()};
        if (entry.name == name && entry.main(tool))
            return tool.line().find(option) != nullptr;
    }
    return false;
}

// Options of the agent come first: the file's may end with the words of a command.
Words command_of(const Config &config, const ToolConfig &tool)
{
    Words words = {tool.tool, "--quiet"};
    bool has_own_otlp = std::any_of(tool.options.begin(), tool.options.end(), [](const auto &word) {
        return word == "--otlp" || word.starts_with("--otlp=");
    });
    if (!config.metrics.empty() && has_option(tool.tool, "--prometheus"))
        words.insert(words.end(), {"--prometheus", socket_of(tool.name)});
    if (!config.otlp.empty() && !has_own_otlp && has_option(tool.tool, "--otlp"))
        words.insert(words.end(), {"--otlp", config.otlp});
    words.insert(words.end(), tool.options.begin(), tool.options.end());
    return words;
}

// A tool that runs with --dry-run.
struct Trial {
    const ToolConfig *tool;
    Fd errors;
    run::ToolProcess process;
};

// It writes no file: -o of the file may be one that the tool writes now.
Result<Trial> start_trial(const ToolConfig &tool, Words words)
{
    auto end = std::find(words.begin(), words.end(), "--");
    words.insert(end, {"--dry-run", "--output", "/dev/null"});
    Trial trial = {&tool, Fd(memfd_create("uscope_agent", MFD_CLOEXEC)), {}};
    Fd null(open("/dev/null", O_WRONLY | O_CLOEXEC));
    trial.process = TRY(run::ToolProcess::start(words, null.get(), trial.errors.get()));
    return trial;
}

// Returns the last line that a tool said, without its name, and as it was before it was escaped.
std::string refusal_of(const Trial &trial)
{
    auto path = fmt::format("/proc/self/fd/{}", trial.errors.get());
    std::string said = read_file(path).value_or("");
    std::string prefix = fmt::format("{}: ", trial.tool->tool), refusal;
    for (std::string_view line : split(said, '\n'))
        if (line.starts_with(prefix))
            refusal = line.substr(prefix.size());
    return output::unescaped(refusal);
}

Result<std::string> read_config(const std::string &path)
{
    constexpr off_t longest = 64 * 1024;
    struct stat status;
    if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
        return fail("{} is not a regular file", path);
    if (stat(path.c_str(), &status) == 0 && status.st_size > longest)
        return fail("{} is longer than {} bytes", path, longest);
    return read_file(path);
}

}  // namespace

std::string socket_of(const std::string &name)
{
    return fmt::format("@uscope-agent-{}-{}", getpid(), name);
}

Result<Loaded> load(const std::string &path, const std::map<std::string, Words> &known)
{
    Loaded loaded;
    std::string text = TRY(read_config(path));
    loaded.config = parse_config(text, names_of_tools(), loaded.problems);
    std::list<Trial> trials;
    for (const ToolConfig &tool : loaded.config.tools) {
        Words words = command_of(loaded.config, tool);
        auto before = known.find(tool.name);
        if (before == known.end() || before->second != words)
            trials.push_back(TRY(start_trial(tool, words)));
        loaded.commands[tool.name] = std::move(words);
    }
    for (Trial &trial : trials) {
        int status = trial.process.await_end(-1)->status;
        bool is_refused = WIFEXITED(status) && WEXITSTATUS(status) == 2;
        if (status != 0)
            (is_refused ? loaded.problems : loaded.warnings)
                .push_back(
                    {trial.tool->line, fmt::format("{}: {}", trial.tool->name, refusal_of(trial))});
    }
    return loaded;
}

}  // namespace uscope::agent
