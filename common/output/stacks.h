// Prints counted stacks with names as text and as JSON, and converts them for folded lines and
// flame graphs (output/flame_graph.h).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "output/frame.h"
#include "output/stack_count.h"

namespace uscope::output {

struct ProcessColumn;

struct NamedStack {
    int pid = 0;                      // 0: stacks of all processes are counted together
    std::string comm;                 // "": stacks of all programs are counted together
    std::vector<std::string> kernel;  // raw names, the leaf first, like `user`
    std::vector<Frame> user;
    std::string cut;  // why the user stack's outermost frames are missing; "": it is complete

    auto operator<=>(const NamedStack &) const = default;
};

// Appends BCC's form: one line per frame, [comm [pid],] the amount, such as the count, an empty
// line. `delimiter`: puts `    --` between kernel and user frames.
void append_text(std::string &out, const NamedStack &stack, std::string_view amount,
                 bool delimiter);

// {"time_ns":1700000000000000000,"count":3,"pid":7,"comm":"demo","user_stack":["main"],
//  "kernel_stack":[],"cut":null}; pid is null if stacks of all processes are counted together.
// `sum`: with values that were added up, also "sum":4096,"sum_unit":"bytes". `columns`:
// Writer::process_columns(), for members after "comm".
struct StackSum {
    __int128 total;
    std::string_view unit;  // "": null
};
void append_json(std::string &out, const NamedStack &stack, uint64_t count,
                 const std::optional<StackSum> &sum, uint64_t time_ns,
                 const std::vector<ProcessColumn> &columns);

// An array of the names of frames: ["write","main"].
void append_json_names(std::string &out, const std::vector<Frame> &frames);
// The value of the key "unnamed": where the code of frames without a symbol is, each once.
// [{"frame":"srv+0x349f","path":"/usr/bin/srv","address":13471,"offset":13471,"build_id":"2b7e…"}]
// build_id is null if the file has none. Returns "" if all frames have names.
std::string unnamed_frames(const std::vector<Frame> &frames);

// Returns frames from the root on: comm (or comm-pid), [cut], user frames, `-` if `delimiter`,
// kernel frames.
StackCount folded(const NamedStack &stack, uint64_t count, bool delimiter);

}  // namespace uscope::output
