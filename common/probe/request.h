// A probe that was parsed from an argument of trace, argdist or another tool.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "expr/compile.h"
#include "expr/parse.h"
#include "output/histogram_text.h"
#include "output/printf.h"
#include "resolve/files.h"
#include "spec/probe.h"

namespace uscope::probe {

// How to find a probe's sites, in addition to what `spec` says.
struct Lookup {
    // Finds the file as this process sees it: another process may have another file at the same
    // path. nullopt: uses the files of all processes in BuildOptions::lookup.
    std::optional<pid_t> owner = {};
    // If set, this probe only exists to keep the semaphore of that USDT probe raised.
    std::optional<spec::Probe> kept_up_semaphore = {};
    // For return probes of a Go function in which a goroutine can be only once: when the goroutine
    // enters one of these other functions, that also ends the call. Functions that the file lacks
    // are skipped.
    std::vector<spec::Probe> other_ends = {};
    // For functions: their file, if it is already open. All probes in the file then use what the
    // first lookup has found in it, such as Go's function table.
    std::optional<resolve::OpenedFile> file = {};
};

// A value that the record or key contains.
struct Value {
    expr::NodeRef node;
    expr::ValueForm form = expr::ValueForm::Natural;
    std::string name = {};  // as typed, or the tool's name for it; for titles and JSON keys
    char conversion = 0;    // d, s, x … in ProbeRequest::message; 0: it is not in the message
};

// An expression whose values are added up.
struct Addend {
    expr::NodeRef node;
    std::string text;  // as typed
};

struct ProbeRequest {
    ProbeRequest();
    ProbeRequest(ProbeRequest &&) noexcept;
    ProbeRequest &operator=(ProbeRequest &&) noexcept;
    ~ProbeRequest();

    // Adds the value of an expression. Errors: those of expr::parse().
    Result<> add_value(std::string_view expression, std::string name = {},
                       expr::ValueForm form = expr::ValueForm::Natural);

    spec::Probe spec;
    expr::NodeRef condition;  // as in expr::ProgramRequest; may be null
    expr::NodeRef predicate;  // as in expr::ProgramRequest; may be null
    std::vector<Value> values;
    expr::NodeRef measured;  // the value that a histogram measures; may be null
    std::optional<output::LinearScale> buckets;
    std::vector<Addend> addends = {};
    expr::EventOutput event_output;
    bool shows_all = false;      // without values: records the parameters or the result
    bool numbers_sites = false;  // its C function calls site_number() (bpf/lib/site.bpf.h)
    // At a return, its C function reads no memory and does not call site_result().
    bool ignores_result = false;
    // The C function that is called instead where a function exits by a jump to another function;
    // "": the same.
    std::string tail_call_function = {};
    // Probes with the same merge_key share one program, which handles a site only once even if
    // several of them contain it. The tool gives probes the same key if they have the same values,
    // typed the same way, and no conditions. "": the probe has its own program (unless
    // BuildOptions::joined is set).
    std::string merge_key = {};
    Lookup lookup = {};
    // In Go functions, the record gets the goroutine's number as an additional last value.
    bool shows_goroutine = false;

    output::Format message = {};  // trace: formats the values as one text; empty if there is none
    std::string label = {};       // argdist's title, or another name that the tool gives the probe
    std::string measured_text = {};  // `measured` as typed
};

// Parses a probe of trace: `c:open "%s", arg1`. `binary_compare`: the text in a STRCMP is a C
// initializer for bytes, "{0x6c, 0x00}" (BCC's -B). Errors contain the column. It is also an error
// if the format and the values do not match in number.
Result<ProbeRequest> parse_event(std::string_view text, bool binary_compare = false);

// Parses a specifier of argdist (spec/specifier.h). A histogram measures the last expression, and
// the expressions before it are its keys. A count uses all expressions as keys. Without
// expressions, a return probe measures the result, or counts by it.
enum class Gather : uint8_t { Count, Histogram };
Result<ProbeRequest> parse_specifier(std::string_view text, Gather gather);

// Restricts the probe's predicate to events on the CPU with number `cpu`. Errors: no such CPU.
Result<> only_on(unsigned cpu, ProbeRequest &probe);

}  // namespace uscope::probe
