// A probe of the command line, parsed: what trace, argdist and the others make of their arguments.
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
    std::string function;             // of the tool's object, that is called
    uint32_t header_bytes = 0;        // of the record or key, before the values
    bool checks_at_entry = false;     // as in expr::ProgramRequest
    std::string check_function = {};  // the same
    bool numbers_sites = false;       // the function calls site_number() (bpf/lib/site.bpf.h)
};

// Where a probe's sites are looked for, beyond what its specification says.
struct Lookup {
    // Whose file is meant: another process may have another one at the same path. Nobody: all that
    // are looked up.
    std::optional<pid_t> owner = {};
    // The probe is only there to hold the semaphore of this one up.
    std::optional<spec::Probe> kept_up_semaphore = {};
    // Return probes of a Go function that a goroutine is in once at most: its call has ended, too,
    // when that goroutine comes to the entry of one of these. Those that the file does not have are
    // left out.
    std::vector<spec::Probe> other_ends = {};
    // Of functions: their file, if it is open already. The probes of one file then share what is found in it, such
    // as Go's table of functions.
    std::optional<resolve::OpenedFile> file = {};
};

// How the values of an event are shown as one text.
struct Message {
    output::Format format = {};          // empty without a message
    std::vector<char> conversions = {};  // of each value: d s x …
};

struct ProbeRequest {
    ProbeRequest();
    ProbeRequest(ProbeRequest &&) noexcept;
    ProbeRequest &operator=(ProbeRequest &&) noexcept;
    ~ProbeRequest();

    spec::Probe spec;
    expr::NodeRef condition;            // may be null, as
    expr::NodeRef predicate;            // in expr::ProgramRequest
    std::vector<expr::NodeRef> values;  // of the record, or the key
    std::vector<expr::Wanted> wanted;   // the same
    expr::NodeRef measured;             // beside a key; may be null
    std::optional<output::LinearScale> buckets;
    EventOutput event_output;
    // Probes of one shape ask for the same in the same words, and have no conditions of their own: they
    // get one program, each place once. "": it has its own (but for BuildOptions::joined).
    std::string merge_key = {};
    Lookup lookup = {};
    // Of Go's functions the goroutine's number is one value more, the last.
    bool shows_goroutine = false;

    Message message = {};    // trace
    std::string label = {};  // argdist's title, or whatever the tool knows the probe by
    std::vector<std::string> value_texts = {};  // of each value, as typed: titles and JSON keys
    std::string measured_text = {};             // the same
};

// trace's: `c:open "%s", arg1`. `binary_compare`: a literal of STRCMP is a C initializer,
// "{0x6c, 0x00}" (BCC's -B). Errors are fail_at(): also a format and values that do not go together.
Result<ProbeRequest> parse_event(std::string_view text, bool binary_compare = false);

// argdist's (spec/specifier.h). Of a histogram, the last expression is measured and those before it
// are its keys; all expressions of a count are keys. At a return without any, it is the result.
enum class Gather : uint8_t { Count, Histogram };
Result<ProbeRequest> parse_specifier(std::string_view text, Gather gather);

// Adds to the probe's condition that the event is on processor `cpu`. Errors: there is none.
Result<> only_on(unsigned cpu, ProbeRequest &probe);

}  // namespace uscope::probe
