// What a Go interface holds, from what the programs have read of it (expr/interface.h), as text.
//
// Which of that means something, the type says, by its description in the file (go/fields.h).
//
// With Word 404 and Text8 "no page" of an interface that holds a *main.Missing {Code int; Text
// string}, it is `&main.Missing{Code:404, Text:"no page"}`.
//
//     of Go's own errors, if known     what their Error() says: `open /nowhere: no such file …`
//     string, integers, bool, floats   the value: `text`, `-1`; of a type with a name `main.Level(3)`
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

    // `value`: of the interface's own field; `parts`: of those behind it, all or those of a key.
    std::string describe(const output::Value &value, const std::vector<output::Value> &parts);

  private:
    struct Member {
        std::string name;
        Kind kind;
        uint64_t offset;
    };
    struct Type {
        std::string name;  // "" when it is no type
        Kind kind = Kind::None;
        std::string structure;  // of one, or a pointer to one: the structure's name
        std::vector<Member> members;
        size_t member_count = 0;  // of which `members` are the first
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
