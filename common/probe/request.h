// A parsed probe of the command line: the result of parsing an argument of trace, argdist or
// another tool.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "expr/parse.h"
#include "expr/wanted.h"
#include "output/histogram_text.h"
#include "output/printf.h"
#include "resolve/files.h"
#include "spec/probe.h"

namespace uscope::probe {

// What the generated programs do with an event.
struct EventOutput {
    expr::OutputKind kind = expr::OutputKind::Record;
    std::string function;             // C function of the tool's object that they call
    uint32_t header_bytes = 0;        // of the record or key, before the values
    bool checks_at_entry = false;     // as in expr::ProgramRequest
    std::string check_function = {};  // as in expr::ProgramRequest
    bool numbers_sites = false;       // the function calls site_number() (bpf/lib/site.bpf.h)
    // Instead of `function`, at exits by a jump to another function; "": the same.
    std::string tail_call_function = {};
};

// How to find a probe's sites, beyond its specification.
struct Lookup {
    // The process whose file to use: another process may have another file at the same path.
    // nullopt: the files of all processes in BuildOptions::lookup.
    std::optional<pid_t> owner = {};
    // If set, this probe only exists to keep up the semaphore of that USDT probe.
    std::optional<spec::Probe> kept_up_semaphore = {};
    // For return probes of a Go function that a goroutine can be in only once: reaching the entry
    // of one of these functions also ends its call. Functions that the file lacks are skipped.
    std::vector<spec::Probe> other_ends = {};
    // For functions: their file, if it is open already. Probes of one file then share what lookups
    // find in it, such as Go's function table.
    std::optional<resolve::OpenedFile> file = {};
};

// How to format the values of an event as one text.
struct Message {
    output::Format format = {};          // empty if the probe has no message
    std::vector<char> conversions = {};  // d, s, x … for each value
};

struct ProbeRequest {
    ProbeRequest();
    ProbeRequest(ProbeRequest &&) noexcept;
    ProbeRequest &operator=(ProbeRequest &&) noexcept;
    ~ProbeRequest();

    spec::Probe spec;
    expr::NodeRef condition;            // as in expr::ProgramRequest; may be null
    expr::NodeRef predicate;            // as in expr::ProgramRequest; may be null
    std::vector<expr::NodeRef> values;  // of the record or key
    std::vector<expr::Wanted> wanted;   // for each value
    expr::NodeRef measured;             // the value of a histogram, in addition to its key; or null
    std::optional<output::LinearScale> buckets;
    EventOutput event_output;
    // Probes with the same merge_key ask for the same values in the same words and have no
    // conditions of their own: they share one program, and each site occurs once. "": the probe
    // does not share (unless BuildOptions::joined is set).
    std::string merge_key = {};
    Lookup lookup = {};
    // In Go functions, append the goroutine's number as the last value.
    bool shows_goroutine = false;

    Message message = {};    // trace
    std::string label = {};  // argdist's title, or another name that the tool gives the probe
    std::vector<std::string> value_texts = {};  // each value as typed, for titles and JSON keys
    std::string measured_text = {};             // `measured` as typed
};

// Parses a probe of trace: `c:open "%s", arg1`. `binary_compare`: a literal of STRCMP is a C
// initializer, "{0x6c, 0x00}" (BCC's -B). Errors are fail_at(); values that do not match the format
// are an error as well.
Result<ProbeRequest> parse_event(std::string_view text, bool binary_compare = false);

// Parses a specifier of argdist (spec/specifier.h). A histogram measures the last expression, and
// those before it are its keys; all expressions of a count are keys. Without expressions, a return
// probe counts or measures the result.
enum class Gather : uint8_t { Count, Histogram };
Result<ProbeRequest> parse_specifier(std::string_view text, Gather gather);

// Adds to the probe's condition that the event is on CPU `cpu`. Errors: no such CPU.
Result<> only_on(unsigned cpu, ProbeRequest &probe);

}  // namespace uscope::probe
