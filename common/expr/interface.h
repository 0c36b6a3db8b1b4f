// Lists what a generated program reads from a Go interface when a probe fires, so that the tool can
// find out later which value the interface holds.
//
// The type of the held value is known only when the probe fires, and decides where the data is: for
// a string, the interface points to it; an error is often a pointer to a structure that begins with
// its text. So the program reads everything that matters for any of these types. To print the
// interface, the tool looks up the type in the file (go/interface.h) and uses the values that this
// type has.
//
//     err = {tab 0x4b8a40, data 0xc000012250}     tab + 8: the type, 0x491ba0 (*errors.errorString)
//     data -> {0xc000016090, 9}                   Text "not found"; Word 0xc000016090
#pragma once

#include "expr/tree.h"

namespace uscope::expr {

// The parts of an interface: the fields that follow the interface's own field, which is the type of
// the held value. A key has only the parts before KeyParts.
namespace interface_part {
enum : size_t {
    Base,  // the load bias: addresses in memory minus addresses in the file
    Word,  // the first 8 bytes of the held value; in a key, 0 unless the value is a number
    Text,  // the string at the start of the held value, if there is one
    KeyParts,
    Text8 = KeyParts,  // the strings at offsets 8 and 16 of the held value
    Text16,
    // The error at offset 32 of the held value, after two strings (io/fs.PathError):
    InnerType,
    InnerWord,
    InnerText,
    // The error at offset 64 (net.OpError), and the errno within it:
    FarType,
    FarText,
    FarNumber,
    Parts,
};
}

// Is the value an interface whose two words are both available?
bool is_interface(const Expr &value);

// Returns the address of the held value's type; 0 if the interface `value` is nil.
ExprRef interface_type(const ExprRef &value);

// Returns the interface's first word; 0 if the interface is nil.
ExprRef interface_word(const ExprRef &value);

// Returns the parts listed above. `code`: Scope::code.
std::vector<ExprRef> interface_parts(const ExprRef &value, const std::vector<uint64_t> &code,
                                     abi::Machine machine, bool is_key);

// Returns the load bias of the file with the running instruction: its address in memory minus that
// in the file. `code`: Scope::code.
ExprRef load_bias(const std::vector<uint64_t> &code, abi::Machine machine, size_t column);

}  // namespace uscope::expr
