// Reads the tables by which a function jumps to its own code: those of a switch, and those of the
// labels of a "computed goto".
//
//      lea    table(%rip),%rdx         table:  .long case0 - table
//      movslq (%rdx,%rdi,4),%rax               .long case1 - table
//      add    %rdx,%rax                labels: .quad label0, label1
//      jmp    *%rax
//
// The function's instructions contain a table's address, but not its length. JumpTables reads up to
// the first entry that cannot be valid, and may read too far: callers use only those entries with
// which the code agrees (resolve/body.h).
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

    // The addresses that the function's instructions contain. Each may be that of a table, so a
    // table ends before the next address.
    using Addresses = std::set<uint64_t>;
    using IsTarget = std::function<bool(uint64_t vaddr)>;

    // Returns the targets of the table at `table`, whose entries are distances from `table`
    // (int32), up to the first entry for which is_target() is false.
    std::vector<uint64_t> distances(uint64_t table, const Addresses &named,
                                    const IsTarget &is_target) const;
    // Like distances(), for a table of addresses (8 bytes, which the dynamic linker may have to
    // fill in).
    std::vector<uint64_t> addresses(uint64_t table, const Addresses &named,
                                    const IsTarget &is_target) const;

  private:
    const elf::Image &image_;
    mutable std::unique_ptr<elf::Pointers> pointers_;  // read at the first table of addresses
};

}  // namespace uscope::resolve
