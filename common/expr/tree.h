// Checked expressions: names are replaced by the sources of their values, and every node has its C
// type.
//
// A value is in a 64-bit register, sign- or zero-extended by its type, and the result of each
// operation is extended again.
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
    Context,         // `type`, loaded from the program's context at byte `number`
    ContextAddress,  // the context's address + number; only for reads from there
    Builtin,
    Load,  // the memory at children[0] + number, or a bit-field there
    // children[0] as it was at entry; children[1]: the same, before an array became a pointer
    Saved,
    Text,         // a string: see TextSource
    TextEqual,    // children[0], a Text, is `text`, or has it as `match` says
    Parts,        // a structure in registers: children[i] is the word at byte offsets[i]
    Unsupported,  // there is no value; `text` is the reason
    // one child
    Convert,
    Negate,
    Complement,
    Not,
    SwapBytes,
    // two children, of the same type except in shifts
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
    CString,  // at address children[0], to a NUL; if bound != 0, at most `bound` bytes
    Counted,  // at address children[0], children[1] bytes
    Comm,
    ContextArray,  // `bound` bytes in the context at byte `number`, to a NUL if there is one
    DataLoc,       // in the context; the 4-byte word at byte `number` has its offset and length
    Saved,         // children[0], a Text, as it was at entry
    Wide,          // at address children[0], to a character 0; of `bit_size` bits each
    Fixed,         // Expr::text, known when the program is made
};

enum class TextMatch : uint8_t { Whole, Start, End, Inside };

enum class Space : uint8_t { User, Kernel };

struct Expr {
    Op op;
    types::TypeRef type;
    size_t column = 0;  // in the user's text
    std::vector<ExprRef> children = {};
    uint64_t number = 0;  // a constant or an offset
    std::vector<uint64_t> offsets = {};
    Builtin builtin = {};
    Space space = Space::User;  // which memory the value points to, if it is a pointer
    // Load: as in types::Member. Text: the bits of a character, 16 or 32; 0: UTF-8, or bytes.
    uint8_t bit_offset = 0, bit_size = 0;
    TextSource source = {};
    uint32_t bound = 0;       // see TextSource
    bool is_bytes = false;    // Text: NULs do not end it
    bool is_address = false;  // of the network: the bytes of a Text or of Parts (output/address.h)
    std::string text = {};
    TextMatch match = TextMatch::Whole;
    bool calls = false;     // evaluating it calls a helper, which clobbers r0-r5
    bool can_fail = false;  // may have no value: unreadable memory, division by zero
};

// The bytes of a character of a text: 2 for UTF-16, 4 for UTF-32; 0: UTF-8, or bytes.
inline unsigned wide_bytes_of(const Expr &text)
{
    return text.op == Op::Text ? text.bit_size / 8 : 0;
}

// Do both have the same value when they are evaluated at the same moment?
bool same(const Expr &left, const Expr &right);

// Returns the low `size` bytes of `value`, extended to 64 bits.
uint64_t extend(uint64_t value, uint64_t size, bool is_signed);

// Can a register that holds a value of type `from` be used as type `to` without an instruction?
bool keeps_form(const types::Type &from, const types::Type &to);

bool is_condition(Op op);  // its value is 0 or 1

// These build expressions. They fold constants, and set `calls` and `can_fail`.
ExprRef make(Expr expr);
ExprRef make_constant(uint64_t value, types::TypeRef type, size_t column);
ExprRef make_convert(ExprRef value, types::TypeRef type);
// The operands must already be converted to the types that the operation needs.
ExprRef make_binary(Op op, ExprRef left, ExprRef right, types::TypeRef type, size_t column);
ExprRef make_unary(Op op, ExprRef value, types::TypeRef type, size_t column);
// Returns the address of a value in memory, an Op::Load; its type is a pointer.
ExprRef address_of(const Expr &load);
// Returns the first bytes of a structure or an array in memory, an Op::Load, as a Text of its type.
ExprRef bytes_of(const Expr &load, uint64_t bytes);
// Is it a whole structure as it was at entry?
inline bool is_saved_whole(const Expr &value)
{
    return value.op == Op::Text && value.source == TextSource::Saved && value.is_bytes &&
           value.type->kind == types::Type::Kind::Struct && !value.type->text;
}
// A value of this type in memory at address + offset.
ExprRef make_load(ExprRef address, uint64_t offset, types::TypeRef type, size_t column);

}  // namespace uscope::expr
