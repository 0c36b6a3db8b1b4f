// The tables by which a function jumps to places of its own: those of a switch, and of the labels of
// a "computed goto".
//
//      lea    table(%rip),%rdx         table:  .long case0 - table
//      movslq (%rdx,%rdi,4),%rax               .long case1 - table
//      add    %rdx,%rax                labels: .quad label0, label1
//      jmp    *%rax
//
// The function names a table's address; but not its length. It is read up to the first
// entry that cannot be one, and may have been read too far: what it says is only believed where the
// code agrees (resolve/body.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "elf/image.h"
#include "elf/pointers.h"

namespace uscope::resolve {

class JumpTables {
  public:
    explicit JumpTables(const elf::Image &image) : image_(image) {}

    // What the function names: each may be a table, and ends the one before it.
    using Addresses = std::set<uint64_t>;
    using IsPlace = std::function<bool(uint64_t vaddr)>;

    // Where the table of distances (int32) at `table` leads, up to the first entry that leads nowhere.
    std::vector<uint64_t> distances(uint64_t table, const Addresses &named,
                                    const IsPlace &is_place) const;
    // The same of addresses (8 bytes, which the dynamic linker may have to fill in).
    std::vector<uint64_t> addresses(uint64_t table, const Addresses &named,
                                    const IsPlace &is_place) const;

  private:
    const elf::Image &image_;
    mutable std::unique_ptr<elf::Pointers> pointers_;  // read when the first table asks
};

}  // namespace uscope::resolve
