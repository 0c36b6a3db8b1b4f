// A counted stack with its names: as text, as JSON, and as what folded lines and flame graphs are
// made of (output/flame_graph.h).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "output/flame_graph.h"

namespace uscope::output {

struct NamedStack {
    int pid = 0;                            // 0: of every process
    std::string comm;                       // "": of every program
    std::vector<std::string> kernel, user;  // raw names, the leaf first
    std::string cut;  // why the user stack lacks its beginning; "": it is whole

    auto operator<=>(const NamedStack &) const = default;
};

// BCC's form: a line a frame, [comm [pid],] the count, an empty line. `delimiter`: `    --` between
// kernel and user frames.
void append_text(std::string &out, const NamedStack &stack, uint64_t count, bool delimiter);

// {"time_ns":1700000000000000000,"count":3,"pid":7,"comm":"demo","user_stack":["main"],"kernel_stack":[],
// "cut":null}; pid is null for every process.
void append_json(std::string &out, const NamedStack &stack, uint64_t count, uint64_t time_ns);

// The root first: comm (or comm-pid), [cut], user frames, `-` if there is to be a delimiter,
// kernel frames.
StackCount folded(const NamedStack &stack, uint64_t count, bool delimiter);

}  // namespace uscope::output
