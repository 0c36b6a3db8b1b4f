// What every tool has: its command line, its output, its notes and its end.
//
// A tool defines tool_main() in a namespace of its own (run/tools.h), and never main().
// run/main.cpp has the only main(): it prints the error that tool_main() returns and chooses the
// exit status: 0 success (also after Ctrl-C), 1 failure, 2 wrong usage.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "output/writer.h"
#include "run/command_line.h"
#include "run/output_options.h"
#include "run/value.h"

namespace uscope::run {

class Tool {
    static constexpr const char *verbose_help = "show what is attached, with the programs";

  public:
    // `name`: what the user typed to start the tool ("trace", "uscope trace"); `words`: the words
    // after it.
    Tool(std::string name, std::span<char *const> words);
    // For callers that only need line(): parse() declares the shared options, returns false and
    // prints nothing. Do not parse with that line: its options refer to the tool's variables.
    struct Described {};
    explicit Tool(Described);
    Tool(const Tool &) = delete;  // options refer to members

    const std::string &name() const { return line_.tool; }
    const std::string &summary() const { return line_.summary; }
    const CommandLine &line() const { return line_; }

    // --- the command line, declared before parse() ----------------------------------------------
    // `uscope` lists the tool with this text under the question that it answers; the text has at
    // most 62 columns.
    void summary(Question question, std::string_view text)
    {
        line_.question = question;
        line_.summary = text;
    }
    // `command` starts with the tool's name in the source tree; help shows the name as installed.
    void example(std::string_view command, std::string_view what);
    // A paragraph under the options (a grammar, a table of columns).
    void explain(std::string_view text) { line_.explanation.append(text).push_back('\n'); }
    // Sets the title of the options declared next; returns the former one.
    std::string group(std::string_view title) { return std::exchange(group_, title); }
    // `short_name` may be 0, and `name` may be empty. "a,b" declares two long names, "D,b" another
    // short one. Set Option::values of the result if only some words are allowed.
    void flag(char short_name, std::string_view name, bool &value, std::string_view help);
    // --json: one JSON object per `what` ("row") instead of text. For rows that are written as
    // output::Table does, also --csv, which sets the same `value`.
    enum class Forms : uint8_t { Json, JsonAndCsv };
    void json_flag(bool &value, std::string_view what, Forms forms = Forms::Json);
    // A flag that may be repeated (-v, -vv).
    void count(char short_name, std::string_view name, unsigned &value, std::string_view help);
    template <class T>
    requires(!RefersToValue<T>) Option &option(char short_name, std::string_view name, T &value,
                                               std::string_view placeholder, std::string_view help)
    {
        return add({short_name, name, placeholder, help}, false,
                   [&value](std::string_view text) { return parse_value(text, value); });
    }
    template <RefersToValue T>
    Option &option(char short_name, std::string_view name, T value, std::string_view placeholder,
                   std::string_view help)
    {
        return add({short_name, name, placeholder, help}, is_only_one<T>,
                   [value](std::string_view text) { return parse_value(text, value); });
    }
    void positional(std::vector<std::string> &values, std::string_view placeholder,
                    std::string_view help);
    void positional(std::string &value, std::string_view placeholder, std::string_view help);
    // Takes the words after `--` as a command with its arguments; empty if there are none.
    void command(std::vector<std::string> &words) { line_.command = &words; }

    // For --help: the tool was called by an alias (run/tools.h).
    void set_alias(CommandLine::Alias alias) { line_.alias = std::move(alias); }

    // Gives -v other names, for users who know these from another tool.
    void verbose_option(char short_name, std::string_view names,
                        std::string_view help = verbose_help);
    // Every tool that attaches probes has -v, --dry-run and --stats, which parse() declares in the
    // group "Working". A tool that attaches none calls this before.
    void attaches_nothing() { attaches_ = false; }

    // Returns false if it has printed the text of --help or --version. Errors are usage errors.
    Result<bool> parse();

    // Does the output have JSON objects (not CSV)?
    bool json() const { return json_ && *json_ && !output_.csv; }
    // "--csv" or "--json": the one that is given, for messages.
    std::string_view json_name() const { return output_.csv ? "--csv" : "--json"; }
    bool writes_objects() const { return json_ && *json_; }     // JSON or CSV
    bool writes_file() const { return !output_.file.empty(); }  // --output
    bool verbose() const { return verbose_; }
    bool dry_run() const { return dry_run_; }
    // --dry-run prints what would be attached, -v what is attached. Returns true for --dry-run: the
    // tool is done.
    bool print_plan(const std::function<std::string()> &planned,
                    const std::function<std::string()> &attached);
    bool print_plan(const std::function<std::string()> &plan) { return print_plan(plan, plan); }

    // --- output -----------------------------------------------------------------------------
    output::Writer &out() { return out_; }
    const output::Writer &out() const { return out_; }
    // Is standard output a terminal? Then each row is written at once.
    bool interactive() const { return interactive_; }
    // The descriptor that a command that the tool starts gets as its standard output, so that its
    // output is not mixed with the results: standard error, unless -o or a terminal takes the
    // results.
    int command_output() const;
    // --quiet: no headings, and no notes on what the tool does.
    bool quiet() const { return output_.quiet; }
    // A line on standard error that says what the tool does ("Tracing 4 functions ..."); nothing
    // with --quiet.
    void announce(std::string_view text);
    // "tool: text" on standard error.
    template <class... Args>
    void note(fmt::format_string<Args...> format, Args &&...args)
    {
        note_formatted(format, fmt::make_format_args(args...));
    }
    // The same for losses and errors: in red on a terminal with colours.
    template <class... Args>
    void warn(fmt::format_string<Args...> format, Args &&...args)
    {
        note_formatted(format, fmt::make_format_args(args...), Tone::Warning);
    }
    enum class Tone : uint8_t { Note, Warning };
    void note_text(std::string_view text, Tone tone = Tone::Note);
    // Until `reader` is {}, it gets the lines of notes and announcements instead of standard error.
    void set_note_reader(std::function<void(std::string)> reader)
    {
        callbacks_.note = std::move(reader);
    }
    // Notes at the end that there were no events. Says nothing with --quiet or if the output cannot
    // be written, as that ends a run early.
    void note_nothing(std::string_view text);

    // Replaces the file by `text`, which has `count` "samples" (`what`). Without any, an old file
    // stays unchanged. At the end, a note names the file and what was written. The path "-" means
    // the standard output, which gets the last such text at the end.
    Result<> write_file(const std::string &path, std::string_view text, uint64_t count,
                        std::string_view what);
    // The note alone, for a file that the caller writes.
    void note_file(const std::string &path, uint64_t count, std::string_view what);

    // end() calls `action`: for notes that are only possible when the tool is done.
    void at_end(std::function<void()> action) { callbacks_.end.push_back(std::move(action)); }
    void end();

    // With --stats: reports the programs' cost that the kernel has measured since parse(), and the
    // CPU time of this process. Call it at the end, while the programs are still loaded.
    void report_stats(std::string_view counts = {});  // "6 events, 6 shown, 0 lost; "

    // What the metrics say about the tool itself. events(): nullopt for a tool that counts in the
    // kernel.
    void count_events(uint64_t count) { measured_.events = measured_.events.value_or(0) + count; }
    const std::optional<uint64_t> &events() const { return measured_.events; }
    void count_loss(uint64_t count, std::string_view what, std::string_view reason)
    {
        measured_.losses[{std::string(what), std::string(reason)}] += count;
    }
    using LossCounts = std::map<std::pair<std::string, std::string>, uint64_t>;
    const LossCounts &losses() const { return measured_.losses; }  // by what and reason

    // Call when everything is attached: announces "Tracing WHAT … Press Ctrl-C to end.", and writes
    // "ready" to the descriptor in $USCOPE_READY_FD. `what`: "2 functions for "c:str*"".
    void ready(std::string_view what);
    // Returns for how many seconds everything has been attached; nullopt: it is not.
    std::optional<double> seconds_traced() const;

  private:
    void note_formatted(fmt::string_view format, fmt::format_args args, Tone tone = Tone::Note);
    void write_note(std::string line);
    Result<> open_output();
    struct OptionText {
        char short_name;
        std::string_view name, placeholder, help;
    };
    Option &add(const OptionText &option, bool only_one, Setter set);

    CommandLine line_;
    CommandLine::Words words_;
    std::string group_ = "Options";
    bool wants_help_ = false, wants_version_ = false;
    bool is_described_ = false;
    output::Writer out_;
    bool interactive_;
    const bool *json_ = nullptr;
    struct VerboseOption {
        char short_name = 'v';
        std::string names = "verbose", help = verbose_help;
    } verbose_option_;
    bool attaches_ = true, verbose_ = false, dry_run_ = false, stats_ = false;
    OutputOptions output_;
    struct Written {
        uint64_t count = 0;
        std::string what;
        bool is_ours = false;  // written by this run
    };
    struct WrittenFiles {
        std::map<std::string, Written> by_path;
        std::string last_output;  // of write_file("-")
    } written_;
    struct Measured {
        Fd programs;            // with --stats
        uint64_t ready_ns = 0;  // when everything was attached; 0: not yet
        std::optional<uint64_t> events = {};
        LossCounts losses = {};
    } measured_;
    struct Callbacks {
        std::vector<std::function<void()>> end;
        std::function<void(std::string)> note;  // set_note_reader()
    } callbacks_;
};

}  // namespace uscope::run
