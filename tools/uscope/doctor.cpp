// doctor: reports what the tools can do on this machine, or for one process. Its output is meant
// for reports of bugs.
#include "base/format.h"
#include "doctor/machine.h"
#include "doctor/tool_trials.h"
#include "kernel/features.h"
#include "output/clock.h"
#include "output/json.h"
#include "output/rows.h"
#include "run/tool.h"
#include "run/tools.h"

namespace uscope::tools::doctor {
namespace {

using uscope::doctor::Check;
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

void show_machine(run::Tool &tool, const std::vector<Check> &checks,
                  const std::vector<ToolState> &tools)
{
    std::vector<Line> lines;
    for (const Check &check : checks)
        lines.push_back({check.name, uscope::doctor::status_name(check.status), check.detail});
    for (const ToolState &state : tools)
        lines.push_back(line_of(state));
    begin_text(tool);
    show(tool, lines);
}

void write_machine(run::Tool &tool, const std::vector<Check> &checks,
                   const std::vector<ToolState> &tools)
{
    output::JsonObject object = begin_json(tool);
    output::append_json_array(object.member("checks"), checks,
                              [](std::string &out, const Check &check) {
                                  output::JsonObject(out)
                                      .add("name", check.name)
                                      .add("status", uscope::doctor::status_name(check.status))
                                      .add("detail", check.detail)
                                      .end();
                              });
    append_tools(object.member("tools"), tools);
    object.end_line();
}

Result<> examine_machine(run::Tool &tool)
{
    std::vector<Check> checks = uscope::doctor::check_settings();
    // The tools come first: this process has no probes of its own while it starts them.
    auto tools = uscope::doctor::try_tools(run::tool_entries);
    for (Check &check : uscope::doctor::try_features())
        checks.push_back(std::move(check));
    (tool.json() ? write_machine : show_machine)(tool, checks, tools);

    std::vector<std::string> missing;
    for (const Check &check : checks)
        if (check.status == Status::Missing)
            missing.push_back(fmt::format("{}: {}", check.name, check.detail));
    if (!missing.empty())
        return fail("no tool works here: {}", join(missing, "; "));
    return {};
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    bool json = false;
    tool.summary("reports what the tools can do on this machine, or for one process");
    tool.json_flag(json, "report");
    tool.example("doctor", "for a report of a bug: the kernel, privileges, which tools work");
    tool.attaches_nothing();
    if (!TRY(tool.parse()))
        return {};
    return examine_machine(tool);
}

}  // namespace uscope::tools::doctor
