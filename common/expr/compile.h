// A tree, what its names mean at one site -> the BPF instructions of one program.
//
// What is generated is the *main* of a program: it decides whether the event is wanted, reserves a
// record in the ring buffer, fills in the values, and calls a C function of the tool's precompiled
// object to complete and submit it:
//
//     filter by process, by the user's predicate     -> return 0
//     record = bpf_ringbuf_reserve(events, constant size)    NULL -> emit(ctx, NULL, EVENT_LOST)
//     record->fields… = values                       (reads of the target's memory included)
//     emit(ctx, record, tag)                         the C half: header, stacks, submit, count the lost
//     return 0
//
// Generated rather than compiled: no compiler at run time, and a rejected event costs what C
// compiled by clang costs. The instructions hold placeholders for maps and C functions;
// attach/link.h puts them in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "expr/process_filter.h"
#include "expr/session_calls.h"
#include "expr/wanted.h"
#include "output/histogram_text.h"

namespace uscope::expr {

struct Node;
struct Program;
struct Scope;

struct Output {
    const Node *node;
    Wanted wanted = Wanted::Natural;
};

// By what a call's entry and its return meet in MapSlot::Calls.
enum class CallIdentity : uint8_t {
    StackPointer,
    // The others: the return program runs at the ways out of the function, not at the kernel's
    // return probe. There are no session programs. Each call is remembered, whatever is wanted of it.
    Function,         // stack pointer and function, by the site's number (bpf/lib/site.h)
    Goroutine,        // of a Go function
    OnlyOfGoroutine,  // the same, which a goroutine is in once at most. The return program may run
                      // elsewhere in that goroutine, too.
};

struct ProgramRequest {
    const Scope *scope = nullptr;
    // Both may be null. `condition`: that this is the event at all, which `check_function` is called for.
    const Node *condition = nullptr;
    const Node *predicate = nullptr;
    std::vector<Output> outputs;
    ProcessFilter filter;
    uint32_t header_bytes = 0;  // of the record, before the fields; a multiple of 8
    uint32_t probe =
        0;  // low half of the tag given to the emit function; the high half is the layout
    uint32_t string_bytes = 80;  // most bytes of a string, up to 65536
    // A record with place for strings of so many bytes is tried first. Nothing: as it seems best.
    std::optional<uint32_t> small_string_bytes = {};
    // Of the values in MapSlot::Calls, when programs that save more share it: the most of their
    // call_bytes.
    uint32_t least_call_bytes = 0;
    bool sleepable = false;  // may call bpf_copy_from_user
    OutputKind output = OutputKind::Record;
    const Node *measured = nullptr;  // Key, or for check_function; may be null: 0 is passed
    // Key: instead of the measured value, its bucket of such a histogram.
    std::optional<output::LinearScale> buckets = {};
    // Key: at a call's entry `emit` is called with the status TABLE_AT_ENTRY (and no key); when it
    // returns not 0, the call is not wanted.
    bool checks_at_entry = false;
    // When the kernel has session programs: what needs one saved value at most gets one.
    std::optional<SessionCalls> session = {};
    CallIdentity call_key = CallIdentity::StackPointer;
    // Function: some of these ways out are also those of other functions. Whose call has ended there is
    // told by the address that it returns to, too: a call that was left otherwise may still be known
    // for that place on the stack.
    bool shares_exits = false;
    // By which number the program of the entry is known, when this one is attached to other ways out
    // of the same functions. Nothing: by `probe`.
    std::optional<uint32_t> call_number = {};
    // At these ways out nothing is known of the call but that it has ended: it is forgotten, and
    // counted as calls_tail_called.
    bool only_forgets = false;
    std::string emit = "emit";  // the C function's name
    // Of a second one, int check(void *ctx, __u64 measured, __s64 status), that is called for each event of the
    // processes that count, after the condition, and before the predicate is looked at: it sees what that rejects,
    // too. When it returns not 0, the event is not wanted. Empty: there is none. Not with $entry() and $latency.
    std::string check_function = {};
    std::string source = {};  // the text the nodes were parsed from, for carets
};

// The main program for a site. On return with $entry()/$latency it looks up, uses and deletes the
// call record; or is a session program, which runs at entry, too.
Result<Program> compile(const ProgramRequest &request);

// The program for the function's entry, when a return program's `request` uses $entry() or
// $latency: saves time and values in MapSlot::Calls under a key of 16 bytes that is the same at
// return: right for recursion, for threads, and for stacks that are switched (and moved, in Go).
// Nothing when the request needs none, or gets a session program.
Result<std::optional<Program>> compile_entry(const ProgramRequest &request);

}  // namespace uscope::expr
