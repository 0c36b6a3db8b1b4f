// What every tool has: declares the shared options, parses, notes, and ends.
#include "run/tool.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "attach/execute.h"
#include "attach/left_behind.h"
#include "attach/record.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/progress.h"
#include "base/text.h"
#include "base/tool_name.h"
#include "kernel/stats.h"
#include "output/caret.h"
#include "output/escape.h"
#include "run/help.h"

namespace uscope::run {

Tool::Tool(std::string name, std::span<char *const> words)
    : words_(words), out_(STDOUT_FILENO), interactive_(isatty(STDOUT_FILENO))
{
    line_.tool = std::move(name);
    flag('h', "help", wants_help_, "show this help");
    flag('V', "version", wants_version_, "show the version");
}

Tool::Tool(Described) : Tool("", {})
{
    is_described_ = true;
}

void Tool::example(std::string_view command, std::string_view what)
{
    std::string_view tool = command.substr(0, command.find(' '));
    learn_tool_name(tool, name());
    line_.examples.push_back(
        {name() + std::string(command.substr(tool.size())), std::string(what)});
}

Option &Tool::add(const OptionText &option, bool only_one, Setter set)
{
    line_.options.push_back({.names = option_names(option.short_name, option.name),
                             .placeholder = std::string(option.placeholder),
                             .help = std::string(option.help),
                             .group = group_,
                             .only_one = only_one,
                             .set = std::move(set)});
    return line_.options.back();
}

void Tool::flag(char short_name, std::string_view name, bool &value, std::string_view help)
{
    add({short_name, name, "", help}, false, [&value](std::string_view) {
        value = true;
        return Result<>();
    });
}

void Tool::json_flag(bool &value, std::string_view what, Forms forms)
{
    json_ = &value;
    auto set = [&value](bool &given) {
        return [&value, &given](std::string_view) {
            value = given = true;
            return Result<>();
        };
    };
    add({0, "json", "", fmt::format("one JSON object per {}", what)}, false, set(output_.json));
    if (forms == Forms::JsonAndCsv)
        add({0, "csv", "", "the fields of --json as CSV, for spreadsheets"}, false,
            set(output_.csv));
}

void Tool::count(char short_name, std::string_view name, unsigned &value, std::string_view help)
{
    add({short_name, name, "", help}, false, [&value](std::string_view) {
        value++;
        return Result<>();
    });
}

void Tool::verbose_option(char short_name, std::string_view names, std::string_view help)
{
    verbose_option_ = {short_name, std::string(names), std::string(help)};
}

void Tool::positional(std::vector<std::string> &values, std::string_view placeholder,
                      std::string_view help)
{
    line_.positionals.push_back({std::string(placeholder), std::string(help), true,
                                 [&values](const std::string &word) { values.push_back(word); }});
}

void Tool::positional(std::string &value, std::string_view placeholder, std::string_view help)
{
    line_.positionals.push_back({std::string(placeholder), std::string(help), false,
                                 [&value](const std::string &word) { value = word; }});
}

Result<bool> Tool::parse()
{
    if (attaches_) {
        group("Working");
        flag(verbose_option_.short_name, verbose_option_.names, verbose_, verbose_option_.help);
        flag(0, "dry-run", dry_run_, "show what would be attached, and exit");
        flag(0, "stats", stats_, "at the end, show event counts and the cost of programs and tool");
    }
    bool has_o = std::any_of(line_.options.begin(), line_.options.end(),
                             [](const Option &option) { return option.names[0] == "-o"; });
    output_.declare(*this, has_o ? 0 : 'o');
    if (is_described_)
        return false;
    auto parsed = line_.parse(words_);
    if (wants_help_) {
        output::append(out_.buffer(),
                       help_text(line_, help_width(out_.columns(), getenv("COLUMNS"))));
        return false;
    }
    TRY(std::move(parsed));
    if (wants_version_) {
        out_.buffer().append(fmt::format("{} {}\n", name(), USCOPE_VERSION));
        return false;
    }
    if (output_.json && output_.csv)
        return fail_usage("--json and --csv exclude each other");
    TRY(open_output());
    if (stats_ && !dry_run_)
        measured_.programs = TRY(kernel::measure_programs());
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
    for (const auto &[name, cost] : kernel::program_stats())
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
    std::string line = fmt::format("{}: {}", name(), output::shortened(text));
    write_note(is_red ? fmt::format("\x1b[31m{}\x1b[0m\n", line) : line + "\n");
}

void Tool::write_note(std::string line)
{
    erase_progress();
    if (callbacks_.note)
        callbacks_.note(std::move(line));
    else
        fputs(line.c_str(), stderr);
}

void Tool::announce(std::string_view text)
{
    if (!quiet())
        write_note(fmt::format("{}\n", output::shortened(text)));
}

void Tool::note_nothing(std::string_view text)
{
    if (out_.ok() && !quiet())
        note_text(text);
}

void Tool::ready(std::string_view what)
{
    end_start();
    measured_.ready_ns = monotonic_ns();
    announce(fmt::format("Tracing {} … Press Ctrl-C to end.", what));
    if (int error = attach::Record::own().error(); error && geteuid() == 0)
        note(
            "cannot record the probes in /run/uscope ({}): if SIGKILL ends this tool, its probes "
            "stay in the traced programs until these end",
            strerror(error));
    out_.flush();  // the heading, right above its rows
    const char *number = getenv("USCOPE_READY_FD");
    if (!number)
        return;
    auto fd = parse_number(number);
    if (fd && *fd <= INT32_MAX && write(*fd, "ready\n", 6) == 6)
        close(*fd);
    unsetenv("USCOPE_READY_FD");
}

std::optional<double> Tool::seconds_traced() const
{
    return measured_.ready_ns ? std::optional(double(monotonic_ns() - measured_.ready_ns) * 1e-9)
                              : std::nullopt;
}

}  // namespace uscope::run
