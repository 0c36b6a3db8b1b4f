// Formats the value in a Go interface, from the parts of it that the programs read
// (expr/interface.h).
//
// The type's description in the file (go/fields.h) says which of these parts mean something. If an
// interface holds a *main.Missing {Code int; Text string}, and Word is 404 and Text8 is "no page",
// the text is `&main.Missing{Code:404, Text:"no page"}`.
//
//     errors of Go's packages          that of Error(), if known: `open /nowhere: no such file …`
//     string, integers, bool, floats   the value: `text`, `-1`; of a named type: `main.Level(3)`
//     a structure, a pointer to one    as above; `...` instead of fields that were not read
//     everything else                  the type: `*main.Server`, `func(int)`
//     nothing                          `<nil>`
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

    // `value`: the interface's type; `parts`: the values that follow it, all of them or those in a
    // key.
    std::string describe(const output::Value &value, const std::vector<output::Value> &parts);

  private:
    struct Member {
        std::string name;
        Kind kind;
        uint64_t offset;
    };
    struct Type {
        std::string name;  // "" if there is no such type
        Kind kind = Kind::None;
        std::string structure;  // for a structure or a pointer to one: the structure's name
        std::vector<Member> members;
        size_t member_count = 0;  // of all members; `members` are the first ones
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
