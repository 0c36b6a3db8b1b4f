// Compiles parsed expressions to one BPF program, given what their names mean at its sites (Scope).
//
// The result is the *main* of a program: it decides whether the event is wanted, reserves a record
// in the ring buffer, fills in the values, and calls a C function of the tool's precompiled object
// to complete and submit the record:
//
//     filter by process and by the user's predicate          rejected -> return 0
//     record = bpf_ringbuf_reserve(events, constant size)    NULL -> emit(ctx, NULL, EVENT_LOST)
//     record->fields… = values                               this may read the target's memory
//     emit(ctx, record, tag)                                 C: header, stacks, submit, count losses
//     return 0
//
// Generating instructions directly needs no compiler at run time, and a rejected event costs as
// little as in C compiled by clang. The instructions have placeholders for maps and C functions;
// kernel/templates.h fills them in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "expr/process_filter.h"
#include "expr/session_calls.h"
#include "expr/value_form.h"
#include "output/histogram_text.h"

namespace uscope::expr {

struct Node;
struct Program;
struct Scope;

// What the generated program passes to the tool's C function (EventOutput::function), here `emit`.
enum class OutputKind : uint8_t {
    // A record of the ring buffer:
    //     int emit(void *ctx, void *record, __u64 tag)
    // For a lost event, `record` is NULL and the tag is EVENT_LOST or EVENT_LOST_CALL. The C
    // function has to test the tag and not `record`: in each call of the function, older verifiers
    // (Linux 6.1) know the value of a constant tag, but not whether `record` is NULL.
    Record,
    // A key on the stack, whose padding is zero, and one measured value:
    //     int emit(void *ctx, void *table, void *key, __u64 measured, __s64 status)
    // `table` is the map of MapSlot::Table. `key` is NULL if the request has no outputs and no
    // addends. With addends, `measured` is their number, and they precede the key: a struct
    // sums_addend for each, the first one nearest to the key (bpf/lib/sums.h). `status`:
    //     0               `measured` is valid
    //     -errno          `measured` could not be read or calculated: as at Field::status_offset
    //     -ENOSPC         the record of the call was lost; `key` is NULL
    //     TABLE_AT_ENTRY  the function is entered (EventOutput::checks_at_entry); `key` is NULL
    Key,
};

// How a program reports an event.
struct EventOutput {
    OutputKind kind = OutputKind::Record;
    std::string function;       // the C function of the tool's object that the program calls
    uint32_t header_bytes = 0;  // size of the header before the values; a multiple of 8
    // OutputKind::Key: also call the C function at the entry of the traced function, with the
    // status TABLE_AT_ENTRY and without a key. If it then returns non-zero, the program ignores
    // this call of the traced function.
    bool checks_at_entry = false;
    // The name of a second C function, int check(void *ctx, __u64 measured, __s64 status); empty:
    // none. The program calls it for each event that passes the process filter and the condition,
    // before it checks the predicate, so `check` also sees the events that the predicate rejects.
    // If `check` returns non-zero, the event is ignored. It cannot be combined with $entry() and
    // $latency.
    std::string check_function = {};
};

struct Output {  // an expression whose value the event contains
    const Node *node;
    ValueForm form = ValueForm::Natural;
};

// What identifies a call in the map Calls (MapSlot::Calls), so that the program at its return finds
// what the program at its entry has saved.
enum class CallIdentity : uint8_t {
    // The stack pointer; for the kernel's return probe and for session programs.
    StackPointer,

    // The others are for return programs that run at the function's exits, such as its return
    // instructions.

    // The stack pointer and the function, by its number (bpf/lib/site.h). The entry program saves
    // every call, even if the return program needs no values from it.
    Function,
    // For Go functions: the goroutine and the depth of its stack.
    Goroutine,
    // For Go functions of which a goroutine executes at most one call at a time: the goroutine
    // alone. The return program may also run elsewhere in that goroutine, not only at the
    // function's exits.
    OnlyOfGoroutine,
};

// How the program of a return finds what the program of the entry saved.
struct SavedCalls {
    CallIdentity key = CallIdentity::StackPointer;
    // The minimum value size of MapSlot::Calls: the largest call_bytes of the programs that share
    // it.
    uint32_t least_bytes = 0;
    // Set if the kernel has session programs: a request that saves at most one value is compiled to
    // a session program.
    std::optional<SessionCalls> session = {};
    // CallIdentity::Function: some of these exits also belong to other functions. The program then
    // also compares return addresses to find out whose call has ended, because the map may still
    // have an abandoned call with the same stack pointer.
    bool shares_exits = false;
    // CallIdentity::Function: some of these exits are branches (bpf/lib/site.h, SITE_BY_BRANCH).
    bool at_branches = false;
    // Set for a second return program, at other exits of the same functions (their tail calls): the
    // number of the entry program, which the map's keys contain. nullopt: `probe`.
    std::optional<uint32_t> number = {};
    // At these exits only the end of the call can be seen, no values: the program deletes its
    // record and counts it as calls_tail_called.
    bool only_deletes_record = false;
};

// Which events are chosen, of those that pass the predicate. At most one is set.
struct SampledEvents {
    uint32_t every = 0;   // one of this many on each CPU, counted for each program; 0: all
    uint32_t chance = 0;  // of 2^32, for each event; 0: all
};

// An expression whose values are added up. `source`: the text that was parsed, for errors.
struct Addend {
    const Node *node;
    std::string source;
};

struct ProgramRequest {
    const Scope *scope = nullptr;
    // Either may be null. `condition`: is this an event at all? It is checked before check_function
    // is called. `predicate`: the user's filter; it is checked after check_function.
    const Node *condition = nullptr;
    const Node *predicate = nullptr;
    std::vector<Output> outputs;
    ProcessFilter filter;
    // The number of the probe: the low half of the tag that the emit function gets. The high half
    // is the index of the record's layout.
    uint32_t probe = 0;
    uint32_t string_bytes = 80;  // the maximum size of a string; at most 65536
    // Try a record with space for strings of this many bytes first. nullopt: choose a size.
    std::optional<uint32_t> small_string_bytes = {};
    bool sleepable = false;  // may call bpf_copy_from_user
    EventOutput event_output;
    // The value passed to check_function and, with OutputKind::Key, to the C function. If null,
    // both get 0.
    const Node *measured = nullptr;
    // OutputKind::Key: instead of the measured value, pass the number of its bucket in this
    // histogram.
    std::optional<output::LinearScale> buckets = {};
    std::vector<Addend> addends = {};  // OutputKind::Key, without `measured`
    SampledEvents sampled = {};
    SavedCalls calls = {};
    std::string source = {};  // the text that was parsed, for the caret in errors
};

// Returns the main program for a site. At a return with $entry() or $latency, this program looks
// up, uses and deletes the call record; or it is a session program, which also runs at the entry.
Result<Program> compile(const ProgramRequest &request);

// Returns the program for the function's entry, which saves the time and the values of $entry() in
// MapSlot::Calls. The 16-byte key of a call is the same at its entry and its return, also with
// recursion, with threads, and with stacks that are switched or (in Go) moved. Returns nullopt if
// the request needs no entry program or is compiled to a session program.
Result<std::optional<Program>> compile_entry(const ProgramRequest &request);

}  // namespace uscope::expr
