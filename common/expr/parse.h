// Parses the text of an expression into a tree.
//
// The language has C's integer expressions: literals (decimal, 0x, 0 octal, 'c', "text"), names,
// unary + - ! ~ * (cast), binary * / % + - << >> < <= > >= == != & ^ | && ||, ?:, pointer and array
// indexing a[i], member access with . and ->, sizeof(type), offsetof(type, member). It adds:
//   arg1 … argN, retval, names of parameters
//   args->field, args.field (fields of a tracepoint), ctx->ax (registers)
//   $pid $tgid (process) $tid $uid $gid $cpu $cgroup $comm $latency (ns) $retval $entry(expression)
//   string equality: expr == "text", expr != "text"
//   functions: check_functions.cpp
//   argN@user (kernel probes: a pointer to user memory)
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uscope::expr {

enum class NodeKind : uint8_t {
    Number,
    Text,
    Name,
    Unary,
    Binary,
    Conditional,
    Cast,
    Index,
    Member,
    Arrow,
    Call,
    SizeOf,
    OffsetOf,  // children: the member, a Name or the Member of one
};

struct Node {
    NodeKind kind;
    size_t column = 0;  // in the text given to parse(), for carets
    // The content of a Name or a Text (unescaped, may contain NULs); an operator; or the name of a
    // function, member or type.
    std::string text;
    uint64_t number = 0;
    bool is_unsigned = false, is_long = false;  // the type of a Number, by C's rules
    std::vector<std::unique_ptr<Node>> children = {};
};
using NodeRef = std::unique_ptr<Node>;

// Errors are fail_at() with the text and the column. Limits the depth, so that hostile input cannot
// exhaust the stack.
Result<NodeRef> parse(std::string_view text);
// "a, b, f(c, d)" -> three trees: commas within parentheses, brackets and quotes do not separate.
// Columns count from the start of the whole text. Errors: as parse().
Result<std::vector<NodeRef>> parse_list(std::string_view text);

}  // namespace uscope::expr
