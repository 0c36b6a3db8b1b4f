// Checked expressions: names replaced by where their values are, every node with its C type.
//
// A value lives in a 64-bit register, sign- or zero-extended by its type; each operation keeps it
// so.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "expr/scope.h"

namespace uscope::expr {

struct Expr;
using ExprRef = std::shared_ptr<const Expr>;

enum class Op : uint8_t {
    Constant,        // number
    Context,         // `type` loaded from the program's context at byte `number`
    ContextAddress,  // the context's own address + number; only good for reading there
    Builtin,
    Load,         // target memory at children[0] + number; bit-fields too
    Saved,        // children[0] as it was at entry; children[1]: the same as written, before decay
    Text,         // a string: see TextSource
    TextEqual,    // children[0], a Text, equals (prefix: starts with) `text`
    Parts,        // a structure in registers: children[i] is what lies at byte offsets[i] of it
    Unsupported,  // no value, and `text` says why
    // one child
    Convert,
    Negate,
    Complement,
    Not,
    // two children of the same type, but for shifts
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    ShiftLeft,
    ShiftRight,
    And,
    Or,
    Xor,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    // conditions
    Both,
    Either,
    Choose,
};

enum class TextSource : uint8_t {
    CString,  // at children[0], to a NUL; at most `bound` bytes if that is not 0
    Counted,  // at children[0], children[1] bytes
    Comm,
    ContextArray,  // `bound` bytes in the context at byte `number`, to a NUL if there is one
    DataLoc,       // in the context; a 4-byte word at byte `number` says where
    Saved,         // children[0], a Text, as it was at entry
};

enum class Space : uint8_t { User, Kernel };

struct Expr {
    Op op;
    types::TypeRef type;
    size_t column = 0;  // in the user's text
    std::vector<ExprRef> children = {};
    uint64_t number = 0;  // constant, or offset
    std::vector<uint64_t> offsets = {};
    Builtin builtin = {};
    Space space = Space::User;             // where the value leads when it is a pointer
    uint8_t bit_offset = 0, bit_size = 0;  // Load: as in Member
    TextSource source = {};
    uint32_t bound = 0;
    bool is_bytes = false;  // Text: NULs mean nothing
    std::string text = {};
    bool is_prefix = false;
    bool calls = false;     // calls a helper when evaluated: registers r0-r5 are lost
    bool can_fail = false;  // may have no value: memory that cannot be read, a division by zero
};

bool same(const Expr &left, const Expr &right);  // the same value at one moment

// `value` cut to `size` bytes and extended to 64 bits.
uint64_t extend(uint64_t value, uint64_t size, bool is_signed);

// Every value of `from`, as it lies in a register, is also the right form of `to`.
bool keeps_form(const types::Type &from, const types::Type &to);

bool is_condition(Op op);  // yields 0 or 1

// Builders. They fold constants, and `calls` and `can_fail` are right in what they return.
ExprRef make(Expr expr);
ExprRef make_constant(uint64_t value, types::TypeRef type, size_t column);
ExprRef make_convert(ExprRef value, types::TypeRef type);
// Operands already converted.
ExprRef make_binary(Op op, ExprRef left, ExprRef right, types::TypeRef type, size_t column);
ExprRef make_unary(Op op, ExprRef value, types::TypeRef type, size_t column);
// Target memory at address + offset.
ExprRef make_load(ExprRef address, uint64_t offset, types::TypeRef type, size_t column);

}  // namespace uscope::expr
