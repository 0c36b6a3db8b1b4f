// What a program reads of a Go interface when a probe fires, so that user space can find out what
// the interface holds.
//
// The type that it holds is known only then, and decides where the value is: for a string, the
// interface points to it; an error is often a pointer to a structure that begins with its text. So
// the program reads everything that matters for some type; to print it, user space looks the type
// up in the file (go/interface.h) and picks the parts that belong to it.
//
//     err = {tab 0x4b8a40, data 0xc000012250}     tab + 8: the type, 0x491ba0 (*errors.errorString)
//     data -> {0xc000016090, 9}                   Text "not found"; Word 0xc000016090
#pragma once

#include "expr/tree.h"

namespace uscope::expr {

// The fields that follow the interface's own field. A key has only those before KeyParts.
namespace interface_part {
enum : size_t {
    Base,  // the load bias: addresses in memory minus addresses in the file
    Word,  // the first 8 bytes of what the interface holds; in a key 0 unless it is a number
    Text,  // the string at the start of what it holds, if there is one
    KeyParts,
    Text8 = KeyParts,  // the strings at offsets 8 and 16 of what it holds
    Text16,
    // The error after two strings, at offset 32 (io/fs.PathError):
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

// Whether the value is an interface with both words.
bool is_interface(const Expr &value);

// The address of the type that the interface `value` holds; 0 if it is nil.
ExprRef interface_type(const ExprRef &value);

// The interface's first word; 0 if it is nil.
ExprRef interface_word(const ExprRef &value);

// The parts listed above. `code`: as in Scope.
std::vector<ExprRef> interface_parts(const ExprRef &value, const std::vector<uint64_t> &code,
                                     abi::Machine machine, bool is_key);

}  // namespace uscope::expr
