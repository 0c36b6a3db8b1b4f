// What is read of a Go interface when a probe fires, so that user space can find out what it holds.
//
// Which type that is, is known only then, and what follows depends on it: a string lies where the
// interface points to, an error often is a pointer to a structure that begins with its text. So the
// program reads what may matter of any type, and whoever shows it looks the type up in the file
// (go/interface.h) and takes what suits it.
//
//     err = {tab 0x4b8a40, data 0xc000012250}     tab + 8: the type, 0x491ba0 (*errors.errorString)
//     data -> {0xc000016090, 9}                   Text "not found"; Word 0xc000016090
#pragma once

#include "expr/tree.h"

namespace uscope::expr {

// The fields behind that of the interface itself. In a key there are only those up to KeyParts.
namespace interface_part {
enum : size_t {
    Base,  // what the program was loaded from, as the file has it, is that much lower
    Word,  // 8 bytes of what is held; in a key 0 but of numbers
    Text,  // of the string at its start, if there is one
    KeyParts,
    Text8 = KeyParts,  // of the strings at 8 and 16 bytes
    Text16,
    // Of the error that a structure has behind two strings (io/fs.PathError)
    InnerType,
    InnerWord,
    InnerText,
    // and at 64 bytes (net.OpError); the number of the system's error within that.
    FarType,
    FarText,
    FarNumber,
    Parts,
};
}

// Is it one, with both words?
bool is_interface(const Expr &value);

// The type of what `value`, an interface, holds: an address; 0 when it is nil.
ExprRef interface_type(const ExprRef &value);

// The word that is 0 in a nil.
ExprRef interface_word(const ExprRef &value);

// As listed above. `code`: as in Scope.
std::vector<ExprRef> interface_parts(const ExprRef &value, const std::vector<uint64_t> &code,
                                     abi::Machine machine, bool is_key);

}  // namespace uscope::expr
