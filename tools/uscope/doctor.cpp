// doctor: reports what the tools can do on this machine, or for one process. Its output is meant
// for reports of bugs.
#include "base/format.h"
#include "doctor/machine.h"
#include "doctor/process.h"
#include "doctor/tool_trials.h"
#include "output/clock.h"
#include "output/escape.h"
#include "output/json.h"
#include "output/rows.h"
#include "run/settings.h"
#include "run/tool.h"
#include "run/tools.h"

namespace uscope::tools::doctor {
namespace {

using uscope::doctor::Check;
using uscope::doctor::ProcessFile;
using uscope::doctor::Status;
using uscope::doctor::ToolState;

// A line of the text form.
struct Line {
    std::string name, state, detail;
};

void show(run::Tool &tool, const std::vector<Line> &lines)
{
    output::Rows<Line> rows(tool.out(),
                            {{"WHAT", 26, "", &Line::name},
                             {"STATE", 9, "", &Line::state},
                             {"DETAIL", output::rest, "", output::if_any(&Line::detail)}},
                            false);
    for (const Line &line : lines)
        rows.add(line);
}

Line line_of(const ToolState &state)
{
    using Kind = ToolState::Kind;
    std::string detail = state.reason;
    if (state.kind == Kind::Refuses)
        detail = "does not work: " + detail;
    if (state.kind == Kind::NotTried)
        detail = "not tried: " + detail;
    if (!state.notes.empty())
        detail = join(state.notes, "; ");
    return {state.tool,
            state.kind == Kind::Works     ? "ok"
            : state.kind == Kind::Refuses ? "no"
                                          : "-",
            detail};
}

void append_tools(std::string &out, const std::vector<ToolState> &tools)
{
    output::append_json_array(out, tools, [](std::string &out, const ToolState &tool) {
        output::JsonObject object(out);
        object.add("tool", tool.tool)
            .add("state", uscope::doctor::state_name(tool.kind))
            .add("reason", output::Cell::when(!tool.reason.empty(), tool.reason));
        output::append_json_strings(object.member("notes"), tool.notes);
        object.end();
    });
}

// The members that begin each object.
output::JsonObject begin_json(run::Tool &tool)
{
    output::JsonObject object(tool.out().buffer());
    object.add("time_ns", output::Clock::now_unix_ns())
        .add("version", USCOPE_VERSION)
        .add("system", uscope::doctor::describe_kernel());
    return object;
}

void begin_text(run::Tool &tool)
{
    append_format(tool.out().buffer(), "uscope {}, {}\n", USCOPE_VERSION,
                  uscope::doctor::describe_kernel());
}

void show_report(run::Tool &tool, const std::vector<Check> &checks,
                 const std::vector<ToolState> &tools)
{
    std::vector<Line> lines;
    for (const Check &check : checks)
        lines.push_back({check.name, uscope::doctor::status_name(check.status), check.detail});
    for (const ToolState &state : tools)
        lines.push_back(line_of(state));
    show(tool, lines);
}

void append_checks(std::string &out, const std::vector<Check> &checks)
{
    output::append_json_array(out, checks, [](std::string &out, const Check &check) {
        output::JsonObject(out)
            .add("name", check.name)
            .add("status", uscope::doctor::status_name(check.status))
            .add("detail", check.detail)
            .end();
    });
}

void append_file(std::string &out, const ProcessFile &file)
{
    output::JsonObject object(out);
    object.add("path", file.path)
        .add("deleted", output::Cell::when(file.deleted, true))
        .add("error", output::Cell::when(!file.error.empty(), file.error))
        .add("build_id", output::Cell::when(!file.build_id.empty(), file.build_id))
        .add("symbols", output::Cell::when(!file.symbols.empty(), file.symbols))
        .add("functions", file.functions)
        .add("has_debug_info", file.has_debug_info)
        .add("unwinding", output::Cell::when(!file.unwinding.empty(), file.unwinding))
        .add("has_tls_functions", file.has_tls_functions);
    output::append_json_array(
        object.member("debug_files"), file.debug_files, [](std::string &out, const auto &attempt) {
            output::JsonObject(out)
                .add("path", attempt.path)
                .add("refusal", output::Cell::when(!attempt.refusal.empty(), attempt.refusal))
                .end();
        });
    output::JsonObject probes(object.member("probes"));
    for (const auto &[provider, count] : file.probes)
        probes.add(provider, count);
    probes.end();
    object.end();
}

Result<> examine_machine(run::Tool &tool)
{
    std::vector<Check> checks = uscope::doctor::check_settings();
    // The tools come first: this process has no probes of its own while it starts them.
    auto tools = uscope::doctor::try_tools(run::tool_entries);
    for (Check &check : uscope::doctor::try_features())
        checks.push_back(std::move(check));
    if (tool.json()) {
        output::JsonObject object = begin_json(tool);
        append_checks(object.member("checks"), checks);
        append_tools(object.member("tools"), tools);
        object.end_line();
    } else {
        begin_text(tool);
        show_report(tool, checks, tools);
    }

    std::vector<std::string> missing;
    for (const Check &check : checks)
        if (check.status == Status::Missing)
            missing.push_back(fmt::format("{}: {}", check.name, check.detail));
    if (!missing.empty())
        return fail("no tool works here: {}", join(missing, "; "));
    return {};
}

// A function that can be probed by its name: of the program, or else of a library.
uscope::doctor::AskedFunction any_function(const std::vector<ProcessFile> &files)
{
    for (const ProcessFile &file : files)
        if (!file.a_function.empty())
            return {file.path, file.a_function};
    return {files.front().path, "main"};
}

Result<> examine_process(run::Tool &tool, pid_t pid)
{
    run::end_by_signals();
    auto process = TRY(uscope::doctor::examine_process(pid));
    auto tools = uscope::doctor::ask_tools(run::tool_entries, pid, any_function(process.files));
    if (!tool.json()) {
        begin_text(tool);
        append_format(tool.out().buffer(), "process {} ({})\n", pid, output::escaped(process.comm));
        show_report(tool, process.checks, tools);
        return {};
    }
    output::JsonObject object = begin_json(tool);
    object.add("pid", pid).add("comm", process.comm).add("program", process.program);
    append_checks(object.member("checks"), process.checks);
    output::append_json_array(object.member("files"), process.files, append_file);
    append_tools(object.member("tools"), tools);
    object.end_line();
    return {};
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    bool json = false;
    std::string word;
    tool.summary(run::Question::Programs, "reports what works on this machine, or in one process");
    tool.positional(word, "PID", "report what can be traced in this process");
    tool.json_flag(json, "report");
    tool.example("doctor", "for a report of a bug: the kernel, privileges, which tools work");
    tool.example("doctor 181", "runtimes, probes, symbols and debug files of process 181");
    tool.attaches_nothing();
    if (!TRY(tool.parse()))
        return {};
    if (word.empty())
        return examine_machine(tool);
    pid_t pid = 0;
    TRY(run::parse_value(word, pid));
    return examine_process(tool, pid);
}

}  // namespace uscope::tools::doctor
