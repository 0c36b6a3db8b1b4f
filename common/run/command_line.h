// Declares the options and other words of a tool's command line, and parses it.
//
// The parser accepts what getopt_long() does: options and words in any order, "-p181" and "-p 181",
// "--pid=181" and "--pid 181", several flags in one word, "--" before words that start with '-'.
// Unlike getopt_long(), it accepts no abbreviations of options: a script that uses one would break
// when the tool gets another option that starts with the same letters.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "run/question.h"

namespace uscope::run {

using Setter = std::function<Result<>(std::string_view text)>;

// The group of options that only exist because BCC's tool has them, with letters that mean
// something else in other tools of uscope. --help shows this group last.
constexpr std::string_view bcc_spellings = "BCC's spellings";

struct Option {
    std::vector<std::string> names;  // "-p", "--pid"
    std::string placeholder;         // "PID"; empty: a flag, which takes no value
    std::string help, group;
    bool only_one = false;  // refuses a second, different value
    Setter set;             // stores the value; called with "" for a flag
    // Returns the words that the option takes, for completion; null if it takes others. Does not
    // use what belongs to the tool's run.
    std::function<std::vector<std::string>()> values = {};
    std::optional<std::string> given = {};  // the value on the command line

    bool is_flag() const { return placeholder.empty(); }
    std::string title() const;  // "-p,--pid"
};

// Words of the command line that are not options: one word, or any number of them (`is_several`).
struct Positional {
    std::string placeholder, help;
    bool is_several;
    std::function<void(const std::string &)> add;
    bool is_given = false;
};

struct Example {
    std::string command, what;
};

struct CommandLine {
    using Words = std::span<char *const>;

    std::string tool;  // what the user typed to start the tool
    struct Alias {
        std::string name;       // "uscope mysqld_qslower"; "": the user typed the tool's own name
        std::string arguments;  // "PID [MS]"; "": those of the tool
        std::string meaning;    // "dbslower mysql"
    } alias;
    std::string summary, explanation;
    Question question = Question::Programs;  // that the tool answers
    std::vector<Example> examples;
    std::vector<Option> options;
    std::vector<Positional> positionals;
    std::vector<std::string> *command = nullptr;  // takes the words after "--"

    // Sets the options and positionals from `words`. Continues after an error, so that --help also
    // works if the line contains errors. Returns the first error, which is a usage error.
    Result<> parse(Words words);

    const Option *find(std::string_view name) const;  // null: there is no such option

  private:
    Option *find(std::string_view name);
    Result<> parse_long(std::string_view word, Words &rest);
    Result<> parse_short(std::string_view word, Words &rest);
    Result<> set_from(Words &rest, Option &option, std::string_view name);
    Result<> set(Option &option, std::string_view text);
    Result<> add_word(const std::string &word);
    Failure<> unknown(std::string_view name) const;
    Failure<> refuse(std::string_view text) const;
};

// Returns an option's names as they are typed: "-p", "--pid", "-P" for the short name 'p' and the
// names "pid,P".
std::vector<std::string> option_names(char short_name, std::string_view names);

}  // namespace uscope::run
