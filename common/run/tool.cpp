// The command line, by CLI11: only this file includes it, as it is slow to compile.
#include "run/tool.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "attach/execute.h"
#include "attach/left_behind.h"
#include "attach/record.h"
#include "attach/stats.h"
#include "base/format.h"
#include "base/progress.h"
#include "base/text.h"
#include "base/tool_name.h"
#include "output/caret.h"
#include "output/escape.h"

namespace uscope::run {

// An empty value is hardly ever intended: usually a script's variable was not set.
Result<> parse_value(std::string_view text, std::string &value)
{
    if (text.empty())
        return fail_usage("the value is empty");
    value = text;
    return {};
}

Result<> parse_value(std::string_view text, uint64_t &value)
{
    auto number = parse_number(text);
    if (!number)
        return fail_usage("\"{}\" is not a number", text);
    value = *number;
    return {};
}

Result<> parse_value(std::string_view text, unsigned &value)
{
    auto number = parse_number(text);
    if (!number || *number > UINT32_MAX)
        return fail_usage("\"{}\" is not a number from 0 to {}", text, UINT32_MAX);
    value = *number;
    return {};
}

Result<> parse_value(std::string_view text, InRange range)
{
    auto number = parse_number(text);
    if (!number || *number < range.least || *number > range.most)
        return fail_usage("\"{}\" is not a number from {} to {}", text, range.least, range.most);
    range.value = *number;
    return {};
}

Result<> parse_value(std::string_view text, Duration duration)
{
    constexpr std::pair<std::string_view, double> units[] = {
        {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};  // the longer names first
    constexpr double longest_ns = 1e18;
    double unit_ns = duration.unit_ns, number = 0;
    std::string_view digits = text;
    for (const auto &[name, ns] : units) {
        if (text.ends_with(name)) {
            unit_ns = ns;
            digits.remove_suffix(name.size());
            break;
        }
    }
    if (!parse_value(digits, number) || number * unit_ns > longest_ns)
        return fail_usage("\"{}\" is not a time (250us, 1.5ms, 2s)", text);
    duration.ns = number * unit_ns;
    return {};
}

Result<> parse_value(std::string_view text, pid_t &value)
{
    auto number = parse_number(text);
    if (!number || *number == 0 || *number > INT32_MAX)
        return fail_usage("\"{}\" is not a process or thread id", text);
    value = *number;
    return {};
}

Result<> parse_value(std::string_view text, double &value)
{
    std::string copy(text);
    char *end = nullptr;
    value = strtod(copy.c_str(), &end);
    if (copy.empty() || *end || !(value >= 0) || value > 1e15)
        return fail_usage("\"{}\" is not a number", text);
    return {};
}

Result<> parse_value(std::string_view text, ByteSize &value)
{
    static const std::string_view units = "KMG";
    std::string_view digits = text;
    unsigned shift = 0;
    if (!digits.empty() && units.find(digits.back()) != units.npos) {
        shift = 10 * (units.find(digits.back()) + 1);
        digits.remove_suffix(1);
    }
    auto number = parse_number(digits);
    if (!number || *number > UINT64_MAX >> shift)
        return fail_usage("\"{}\" is not a size (65536, 512K, 4M)", text);
    value.bytes = *number << shift;
    return {};
}

Result<uint64_t> parse_time(std::string_view option, const std::string &text, uint64_t unit_ns)
{
    uint64_t ns = 0;
    if (text.empty())
        return ns;
    if (auto parsed = parse_value(text, Duration{ns, unit_ns}); !parsed)
        return fail_usage("{}: {}", option, parsed.error().text);
    return ns;
}

// A line of --help, in the order of declaration.
struct HelpLine {
    std::string group;  // empty: a positional argument
    std::string left, right;
};

struct Tool::Parser {
    CLI::App app;
    std::string summary, usage;
    std::vector<HelpLine> help;
    std::string group = "Options";
    std::string examples, explanation;
    bool wants_version = false;
    std::vector<std::string> arguments;  // without the program's name
    std::vector<std::string> *command = nullptr;
    std::vector<std::string> after_dashes;
    bool has_dashes = false;
    std::optional<Error> error;  // from parse_value(): more precise than CLI11's errors

    void add_help(std::string left, std::string_view right)
    {
        help.push_back({group, std::move(left), std::string(right)});
    }
};

Tool::Tool(std::string name, std::span<char *const> words)
    : name_(std::move(name)),
      parser_(std::make_unique<Parser>()),
      out_(STDOUT_FILENO),
      interactive_(isatty(STDOUT_FILENO))
{
    for (const char *word : words) {
        if (!parser_->has_dashes && std::string_view(word) == "--")
            parser_->has_dashes = true;
        else
            (parser_->has_dashes ? parser_->after_dashes : parser_->arguments).push_back(word);
    }
    parser_->app.name(name_);
    parser_->app.set_help_flag("-h,--help");
    parser_->add_help("-h,--help", "show this help");
    flag(0, "version", parser_->wants_version, "show the version");
}

Tool::Tool(Described) : Tool("", {})
{
    is_described_ = true;
}

Tool::~Tool() = default;

const std::string &Tool::summary() const
{
    return parser_->summary;
}

void Tool::summary(std::string_view text)
{
    parser_->summary = text;
}

void Tool::example(std::string_view command, std::string_view what)
{
    std::string_view tool = command.substr(0, command.find(' '));
    learn_tool_name(tool, name_);
    parser_->examples +=
        fmt::format("  {}{}\n      {}\n", name_, command.substr(tool.size()), what);
}

void Tool::explain(std::string_view text)
{
    parser_->explanation.append(text).push_back('\n');
}

void Tool::group(std::string_view title)
{
    parser_->group = title;
}

namespace {

std::string flags(char short_name, std::string_view name)
{
    std::string text;
    if (short_name)
        text = fmt::format("-{}", short_name);
    for (std::string_view part : split(name, ',')) {
        if (!part.empty())
            text +=
                fmt::format("{}{}{}", text.empty() ? "" : ",", part.size() > 1 ? "--" : "-", part);
    }
    return text;
}

// "  -p,--pid PID                which process", or two lines if the left part is long.
void append_help_line(std::string &out, const HelpLine &line)
{
    constexpr size_t indent = 2, column = 30;
    std::string left = std::string(indent, ' ') + line.left;
    if (left.size() >= column)
        left += "\n" + std::string(column, ' ');
    left.resize(std::max(left.size(), column), ' ');
    output::append(out, left);
    for (char c : line.right) {
        out.push_back(c);
        if (c == '\n')
            output::append(out, std::string(column, ' '));
    }
    out.push_back('\n');
}

// Puts the lines of each group together, and orders the groups by their first lines.
void append_help_groups(std::string &out, const std::vector<HelpLine> &lines)
{
    std::vector<std::string> groups;
    for (const HelpLine &line : lines)
        if (std::find(groups.begin(), groups.end(), line.group) == groups.end())
            groups.push_back(line.group);
    std::stable_partition(groups.begin(), groups.end(), [](auto &group) { return group.empty(); });
    for (const std::string &group : groups) {
        bool is_last = group == groups.back();
        output::append(out, fmt::format("\n{}:\n", group.empty() ? "Positionals" : group));
        for (const HelpLine &line : lines)
            if (line.group == group)
                append_help_line(out, line);
        if (!group.empty() && !is_last)
            out.push_back('\n');
    }
}

}  // namespace

void Tool::flag(char short_name, std::string_view name, bool &value, std::string_view help)
{
    std::string names = flags(short_name, name);
    parser_->app.add_flag(names, value);
    parser_->add_help(std::move(names), help);
}

void Tool::json_flag(bool &value, std::string_view what)
{
    json_ = &value;
    flag(0, "json", value, fmt::format("one JSON object per {}", what));
}

void Tool::count(char short_name, std::string_view name, unsigned &value, std::string_view help)
{
    std::string names = flags(short_name, name);
    parser_->app.add_flag(names, value);
    parser_->add_help(std::move(names), help);
}

void Tool::add_option(const OptionText &option, std::function<Result<>(std::string_view)> set)
{
    std::string names = flags(option.short_name, option.name);
    Parser *parser = parser_.get();
    auto apply = [parser, names, set = std::move(set)](const std::vector<std::string> &texts) {
        for (const std::string &text : texts) {
            auto result = set(text);
            if (!result && !parser->error) {
                parser->error = result.error();
                parser->error->text = fmt::format("{}: {}", names, parser->error->text);
            }
        }
    };
    parser_->app.add_option_function<std::vector<std::string>>(names, apply)
        ->type_name(std::string(option.placeholder))
        ->type_size(1)
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    parser_->add_help(fmt::format("{} {}", names, option.placeholder), option.help);
}

void Tool::add_option(const OptionText &option, Result<> set(std::string_view text, void *to),
                      void *to)
{
    add_option(option, [set, to](std::string_view text) { return set(text, to); });
}

void Tool::option(char short_name, std::string_view name, InRange range,
                  std::string_view placeholder, std::string_view help)
{
    add_option({short_name, name, placeholder, help},
               [range](std::string_view text) { return parse_value(text, range); });
}

void Tool::option(char short_name, std::string_view name, Duration duration,
                  std::string_view placeholder, std::string_view help)
{
    add_option({short_name, name, placeholder, help},
               [duration](std::string_view text) { return parse_value(text, duration); });
}

void Tool::verbose_option(char short_name, std::string_view names, std::string_view help)
{
    verbose_short_ = short_name;
    verbose_names_ = names;
    verbose_help_ = help;
}

// Passes CLI11 a made-up name, as since version 2.4 it does not accept "PID [INTERVAL]".
void Tool::positional(std::vector<std::string> &values, std::string_view placeholder,
                      std::string_view help)
{
    parser_->app.add_option(fmt::format("words{}", parser_->help.size()), values);
    parser_->usage += fmt::format(" [{}...]", placeholder);
    parser_->help.push_back({"", fmt::format("{} ...", placeholder), std::string(help)});
}

void Tool::positional(std::string &value, std::string_view placeholder, std::string_view help)
{
    parser_->app.add_option(fmt::format("word{}", parser_->help.size()), value);
    parser_->usage += fmt::format(" [{}]", placeholder);
    parser_->help.push_back({"", std::string(placeholder), std::string(help)});
}

void Tool::command(std::vector<std::string> &words)
{
    parser_->command = &words;
}

// Formats the help itself, as CLI11's help differs from version to version.
void Tool::append_help()
{
    Parser &parser = *parser_;
    std::string &out = out_.buffer();
    output::append(out,
                   fmt::format("{}\nUsage: {} [OPTIONS]{}\n", parser.summary, name_, parser.usage));
    append_help_groups(out, parser.help);
    out.push_back('\n');
    if (!parser.explanation.empty())
        output::append(out, fmt::format("\n{}", parser.explanation));
    if (!parser.examples.empty())
        output::append(out, fmt::format("\nExamples:\n{}", parser.examples));
    if (!parser.explanation.empty() || !parser.examples.empty())
        out.push_back('\n');
}

Result<bool> Tool::parse()
{
    if (is_described_)
        return false;
    Parser &parser = *parser_;
    if (attaches_) {
        group("Working");
        flag(verbose_short_, verbose_names_, verbose_, verbose_help_);
        flag(0, "dry-run", dry_run_, "show what would be attached, and exit");
        flag(0, "stats", stats_, "at the end, show event counts and the cost of programs and tool");
    }
    bool has_o = std::any_of(parser.help.begin(), parser.help.end(),
                             [](const HelpLine &line) { return line.left.starts_with("-o"); });
    output_.declare(*this, has_o ? 0 : 'o');
    if (parser.command)
        *parser.command = parser.after_dashes;
    else
        for (std::string &word : parser.after_dashes)
            parser.arguments.push_back(word);

    try {
        std::vector<std::string> reversed(parser.arguments.rbegin(), parser.arguments.rend());
        parser.app.parse(reversed);
    } catch (const CLI::CallForHelp &) {
        append_help();
        return false;
    } catch (const CLI::ParseError &error) {
        return fail_usage("{} (see {} --help)", error.what(), name_);
    }
    if (parser.error)
        return Failure(std::move(*parser.error));
    if (parser.wants_version) {
        out_.buffer().append(fmt::format("{} {}\n", name_, USCOPE_VERSION));
        return false;
    }
    TRY(open_output());
    if (stats_ && !dry_run_)
        measuring_ = TRY(attach::measure_programs());
    attach::remove_left_behind([this](const std::string &text) { note_text(text); });
    return true;
}

bool Tool::print_plan(const std::function<std::string()> &planned,
                      const std::function<std::string()> &attached)
{
    if (dry_run_)
        output::append(out_.buffer(), planned());
    else if (verbose_)
        fputs(attached().c_str(), stderr);
    return dry_run_;
}

void Tool::report_stats(std::string_view counts)
{
    if (!stats_)
        return;
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    auto milliseconds = [](const timeval &time) { return time.tv_sec * 1e3 + time.tv_usec / 1e3; };
    note("{}{:.1f} ms of CPU in this process", counts,
         milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime));
    if (attach::attached_instructions().any())
        note("{}", attach::describe(attach::attached_instructions()));
    for (const auto &[name, cost] : attach::program_stats())
        note("{}: {} runs, {} ns each (without the trap)", name, cost.runs,
             cost.time_ns / cost.runs);
}

void Tool::note_formatted(fmt::string_view format, fmt::format_args args, Tone tone)
{
    note_text(fmt::vformat(format, args), tone);
}

void Tool::note_text(std::string_view text, Tone tone)
{
    bool is_red = tone == Tone::Warning && output_.colours(STDERR_FILENO);
    erase_progress();
    std::string line = fmt::format("{}: {}", name_, output::shortened(text));
    fputs((is_red ? fmt::format("\x1b[31m{}\x1b[0m\n", line) : line + "\n").c_str(), stderr);
}

void Tool::announce(std::string_view text)
{
    erase_progress();
    if (!quiet())
        fputs(fmt::format("{}\n", output::shortened(text)).c_str(), stderr);
}

void Tool::note_nothing(std::string_view text)
{
    if (out_.ok() && !quiet())
        note_text(text);
}

void Tool::ready(std::string_view what)
{
    end_start();
    out_.flush();
    announce(fmt::format("Tracing {} … Ctrl-C ends.", what));
    if (int error = attach::Record::own().error(); error && geteuid() == 0)
        note(
            "cannot record the probes in /run/uscope ({}): if SIGKILL ends this tool, its probes "
            "stay in the traced programs until these end",
            strerror(error));
    const char *number = getenv("USCOPE_READY_FD");
    if (!number)
        return;
    auto fd = parse_number(number);
    if (fd && *fd <= INT32_MAX && write(*fd, "ready\n", 6) == 6)
        close(*fd);
    unsetenv("USCOPE_READY_FD");
}

}  // namespace uscope::run
