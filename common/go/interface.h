// Formats the value that a Go interface holds. When a probe fires, the BPF program does not know
// the value's type, so it reads everything that may matter: the first word, the strings at fixed
// offsets, and so on. These are the *parts* that expr/interface.h lists.
//
// The description of the type in the file (go/fields.h) decides which of the parts are valid. For
// example, an interface holds a *main.Missing {Code int; Text string}, the part Word is 404, and
// the part Text8 (the string at offset 8) is "no page". The result is
//
//     &main.Missing{Code:404, Text:"no page"}
//
// The form of the result depends on the type:
//
//     errors of Go's packages          the text of Error(), if known: `open /nowhere: no such …`
//     string, integers, bool, floats   the value: `text`, `-1`; for a named type `main.Level(3)`
//     a structure, a pointer to one    as above, with `...` for fields that no part contains
//     all other types                  the type's name: `*main.Server`, `func(int)`
//     a nil interface                  `<nil>`
#pragma once

#include <map>
#include <string>
#include <vector>

#include "go/fields.h"
#include "output/printf.h"

namespace uscope::go {

class Interfaces {
  public:
    // Must not outlive the image.
    explicit Interfaces(const elf::Image &image) : fields_(image) {}

    // `value`: the address of the type, in the traced process; `parts`: the values by the indexes
    // in expr/interface.h. Keys of tables contain only the first of them (up to KeyParts).
    std::string describe(const output::Value &value, const std::vector<output::Value> &parts);

  private:
    struct Member {
        std::string name;
        Kind kind;
        uint64_t offset;
    };
    struct Type {
        std::string name;  // "" if no type has this address
        Kind kind = Kind::None;
        std::string structure;  // the structure's name, also for a pointer to it
        std::vector<Member> members;
        size_t member_count = 0;  // of the structure; `members` has only the first few
    };
    const Type &type(uint64_t vaddr);
    Type read(uint64_t vaddr) const;
    std::string known_error(const Type &type, const std::vector<output::Value> &parts,
                            uint64_t base);
    std::string inner_error(const output::Value &address, const output::Value &word,
                            const output::Value &text, uint64_t base);

    Fields fields_;
    std::map<uint64_t, Type> types_;
};

}  // namespace uscope::go
