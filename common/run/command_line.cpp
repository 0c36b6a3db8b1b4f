// Parses a command line by the options that a tool has declared.
#include "run/command_line.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/format.h"
#include "base/text.h"

namespace uscope::run {

std::vector<std::string> option_names(char short_name, std::string_view names)
{
    std::vector<std::string> spelled;
    if (short_name)
        spelled.push_back({'-', short_name});
    for (std::string_view name : split(names, ','))
        if (!name.empty())
            spelled.push_back((name.size() > 1 ? "--" : "-") + std::string(name));
    return spelled;
}

std::string Option::title() const
{
    return join(names, ",");
}

const Option *CommandLine::find(std::string_view name) const
{
    for (const Option &option : options)
        if (std::find(option.names.begin(), option.names.end(), name) != option.names.end())
            return &option;
    return nullptr;
}

Option *CommandLine::find(std::string_view name)
{
    return const_cast<Option *>(std::as_const(*this).find(name));
}

Failure<> CommandLine::refuse(std::string_view text) const
{
    return fail_usage("{} (see {} --help)", text, tool);
}

Failure<> CommandLine::unknown(std::string_view name) const
{
    std::vector<std::string> known;
    for (const Option &option : options)
        for (const std::string &other : option.names)
            if (other.size() > 2)
                known.push_back(other.substr(2));
    auto near = name.size() > 2 ? near_names(name.substr(2), known, 1) : std::vector<std::string>();
    return refuse(fmt::format("unknown option {}{}", name,
                              near.empty() ? "" : "; did you mean --" + near[0] + "?"));
}

// Sets the option to a value, in addition to the former one or instead of it.
Result<> CommandLine::set(Option &option, std::string_view text)
{
    if (option.only_one && option.given && *option.given != text)
        return fail_usage("{}: given twice, as \"{}\" and \"{}\"", option.title(), *option.given,
                          text);
    option.given = text;
    auto result = option.set(text);
    if (!result)
        result.error().text = fmt::format("{}: {}", option.title(), result.error().text);
    return result;
}

// Sets a flag, or takes the next word as the option's value.
Result<> CommandLine::set_from(Words &rest, Option &option, std::string_view name)
{
    if (option.is_flag())
        return option.set({});
    if (rest.empty())
        return refuse(fmt::format("{} needs a value, {}", name, option.placeholder));
    std::string_view text = rest.front();
    rest = rest.subspan(1);
    return set(option, text);
}

Result<> CommandLine::parse_long(std::string_view word, Words &rest)
{
    size_t equals = word.find('=');
    std::string_view name = word.substr(0, equals);
    Option *option = find(name);
    if (!option)
        return unknown(name);
    if (equals == word.npos)
        return set_from(rest, *option, name);
    if (option->is_flag())
        return refuse(fmt::format("{} takes no value", name));
    return set(*option, word.substr(equals + 1));
}

Result<> CommandLine::parse_short(std::string_view word, Words &rest)
{
    for (size_t i = 1; i < word.size(); i++) {
        std::string name = {'-', word[i]};
        Option *option = find(name);
        if (!option)
            return unknown(name);
        if (!option->is_flag() && i + 1 < word.size())
            return set(*option, word.substr(i + 1));
        TRY(set_from(rest, *option, name));
    }
    return {};
}

Result<> CommandLine::add_word(const std::string &word)
{
    for (Positional &positional : positionals)
        if (positional.is_several || !std::exchange(positional.is_given, true))
            return positional.add(word), Result<>();
    return refuse(fmt::format("unexpected argument \"{}\"", word));
}

Result<> CommandLine::parse(Words words)
{
    Result<> first;
    auto keep = [&](Result<> result) {
        if (first)
            first = std::move(result);
    };
    bool has_dashes = false;
    while (!words.empty()) {
        std::string word = words.front();
        words = words.subspan(1);
        bool is_number = word.size() > 1 && isdigit(word[1]) && !find(word.substr(0, 2));
        if (has_dashes && command)
            command->push_back(word);
        else if (has_dashes || word[0] != '-' || word == "-" || is_number)
            keep(add_word(word));
        else if (word == "--")
            has_dashes = true;
        else
            keep(word[1] == '-' ? parse_long(word, words) : parse_short(word, words));
    }
    return first;
}

}  // namespace uscope::run
