// Completes the words of one tool: finds out by the tool's own parser what the last word is.
#include "run/completion.h"

#include <algorithm>
#include <map>
#include <memory>

#include "base/format.h"
#include "base/text.h"
#include "proc/process.h"

namespace uscope::run {
namespace {

using resolve::Candidate;
using resolve::Candidates;

// What the parser makes of the words before the last one, and of a last one that is no option.
struct Context {
    const Option *option = nullptr;            // the last word is its value
    const Positional *positional = nullptr;    // the last word is one of these
    size_t index = 0;                          // how many of them there are before it
    bool is_in_command = false;                // the last word is after "--"
    std::map<std::string, std::string> given;  // values by each name of an option

    std::optional<pid_t> pid() const
    {
        auto text = given.find("--pid");
        auto number = text == given.end() ? std::nullopt : parse_number(text->second);
        return number && *number <= INT32_MAX ? std::optional(pid_t(*number)) : std::nullopt;
    }
    std::string file() const
    {
        auto text = given.find("--lib");
        return text == given.end() ? "" : text->second;
    }
};

// Parses with `typed` (a text that is no option) as the last word.
Context parse_context(const CommandLine &declared, std::vector<std::string> words)
{
    const std::string typed = "\1";
    words.back() = typed;
    Context context;
    CommandLine line = declared;
    for (size_t i = 0; i < line.options.size(); i++) {
        const Option &option = declared.options[i];
        line.options[i].only_one = false;
        line.options[i].set = [&context, &option, &typed](std::string_view text) {
            if (text == typed)
                context.option = &option;
            for (const std::string &name : option.names)
                context.given[name] = text;
            return Result<>();
        };
    }
    for (size_t i = 0; i < line.positionals.size(); i++) {
        auto count = std::make_shared<size_t>(0);
        const Positional &positional = declared.positionals[i];
        line.positionals[i].add = [&context, &positional, &typed, count](const std::string &word) {
            if (word == typed)
                context.positional = &positional;
            context.index = (*count)++;
        };
    }
    std::vector<std::string> command;
    line.command = declared.command ? &command : nullptr;
    std::vector<char *> pointers;
    for (std::string &word : words)
        pointers.push_back(word.data());
    (void)line.parse(pointers);  // errors are the user's: completion does not report them
    context.is_in_command = !command.empty();
    return context;
}

// "PID[,PID]" -> "PID", "PID [INTERVAL]" -> "PID"
std::string_view kind_of(std::string_view placeholder)
{
    return placeholder.substr(0, placeholder.find_first_of("[ |"));
}

Candidates processes(std::string_view typed)
{
    constexpr size_t max_command = 60;
    Candidates candidates;
    for (pid_t pid : proc::all_pids()) {
        std::string text = std::to_string(pid);
        std::string command = text.starts_with(typed) ? proc::command_line(pid) : "";
        if (command.empty())  // also kernel threads
            continue;
        std::replace(command.begin(), command.end(), '\0', ' ');
        candidates.push_back({std::move(text), command.substr(0, max_command)});
    }
    return candidates;
}

void keep_starting(Candidates &candidates, const std::vector<std::string> &values,
                   std::string_view typed)
{
    for (const std::string &value : values)
        if (value.starts_with(typed))
            candidates.push_back({value});
}

Completion complete_value(const std::vector<std::string> &values, std::string_view placeholder,
                          std::string_view typed, const Context &context)
{
    Completion completion;
    std::string_view kind = kind_of(placeholder);
    keep_starting(completion.candidates, values, typed);
    completion.has_files = kind == "FILE" || kind == "FILES" || kind == "COMMAND" ||
                           kind == "PROGRAM" || kind == "CONFIG" ||
                           (kind == "PATH" && values.empty());
    if (!values.empty())
        return completion;
    if (kind == "PID" || kind == "TID")
        completion.candidates = processes(typed);
    else if (placeholder == "PROBE" || placeholder == "SPECIFIER" ||
             (placeholder == "PATTERN" && context.positional))
        completion.candidates = resolve::probe_candidates(typed, context.pid());
    else if (placeholder == "PATTERN")
        completion.candidates = resolve::function_candidates(context.file(), typed, context.pid());
    else if (placeholder == "FILTER" && (context.pid() || !context.file().empty()))
        completion.candidates = resolve::usdt_candidates(context.file(), typed, context.pid());
    else if (placeholder == "FILTER")
        completion.candidates = resolve::tracepoint_candidates(typed);
    return completion;
}

// Completes the last of several texts that commas separate, if the option takes such a list.
Completion complete_list(const std::vector<std::string> &values, std::string_view placeholder,
                         std::string_view typed, const Context &context)
{
    bool is_list = placeholder.find("[,") != placeholder.npos;
    size_t start = is_list ? typed.rfind(',') + 1 : 0;  // npos + 1 is 0
    auto completion = complete_value(values, placeholder, typed.substr(start), context);
    for (Candidate &candidate : completion.candidates)
        candidate.text.insert(0, typed.substr(0, start));
    return completion;
}

std::vector<std::string> values_of(const Option &option)
{
    return option.values ? option.values() : std::vector<std::string>();
}

// "mysql|postgres" -> the two words; in capitals, as in "PATH|CMD", they are no values.
std::vector<std::string> values_of(const Positional &positional)
{
    std::vector<std::string> values;
    for (std::string_view word : split(positional.placeholder, '|'))
        if (lower_case(word) == word)
            values.emplace_back(word);
    return values;
}

// "--color=al", "-p18": completes the value after `name`, which is a part of the word.
Completion complete_joined(const CommandLine &line, std::string_view word, Context &context)
{
    size_t equals = word.find('='), start = 0;
    const Option *option = nullptr;
    if (word.starts_with("--")) {
        option = equals == word.npos ? nullptr : line.find(word.substr(0, equals));
        start = equals + 1;
    }
    for (size_t i = 1; !word.starts_with("--") && i + 1 < word.size(); i++) {
        option = line.find(std::string{'-', word[i]});
        start = i + 1;
        if (!option || !option->is_flag())
            break;
    }
    if (!option || option->is_flag())
        return {};
    context.option = option;
    Completion completion =
        complete_list(values_of(*option), option->placeholder, word.substr(start), context);
    for (Candidate &candidate : completion.candidates)
        candidate.text.insert(0, word.substr(0, start));
    return completion;
}

Completion complete_option(const CommandLine &line, std::string_view word, Context &context)
{
    Completion completion;
    for (const Option &option : line.options)
        for (const std::string &name : option.names)
            if (name.starts_with(word))
                completion.candidates.push_back({name, option.help});
    return completion.candidates.empty() ? complete_joined(line, word, context) : completion;
}

// The candidates' first `length` characters, each once, with how many candidates start so; the
// whole candidate if it is the only one.
Candidates cut_candidates(const Candidates &candidates, size_t length)
{
    std::map<std::string, std::vector<const Candidate *>> starts;
    for (const Candidate &candidate : candidates)
        starts[candidate.text.substr(0, length)].push_back(&candidate);
    Candidates cut;
    for (const auto &[text, with_it] : starts)
        cut.push_back(with_it.size() == 1
                          ? *with_it[0]
                          : Candidate{text, fmt::format("{} names", with_it.size()), false});
    return cut;
}

}  // namespace

Candidates shorten(Candidates candidates, size_t typed, size_t max)
{
    if (candidates.size() <= max)
        return candidates;
    // The texts may have more in common than was typed: cut them where they begin to differ.
    size_t length = typed + 1;
    Candidates cut = cut_candidates(candidates, length);
    for (Candidates longer = cut; longer.size() <= max;) {
        cut = std::move(longer);
        longer = cut_candidates(candidates, ++length);
    }
    return cut;
}

Completion complete_tool(const CommandLine &line, const std::vector<std::string> &words)
{
    Context context = parse_context(line, words);
    const std::string &typed = words.back();
    if (context.is_in_command)
        return {.has_files = true};
    if (const Option *option = context.option)
        return complete_list(values_of(*option), option->placeholder, typed, context);
    bool has_dashes = std::find(words.begin(), words.end() - 1, "--") != words.end() - 1;
    if (typed.starts_with('-') && !has_dashes)
        return complete_option(line, typed, context);
    const Positional *positional = context.positional;
    bool is_first_only = positional && positional->placeholder.find(" [") != std::string::npos;
    if (!positional || (is_first_only && context.index > 0))
        return {};
    return complete_list(values_of(*positional), positional->placeholder, typed, context);
}

}  // namespace uscope::run
