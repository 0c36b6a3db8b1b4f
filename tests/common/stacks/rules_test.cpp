#include "stacks/rules.h"

#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"

namespace uscope::stacks {
namespace {

// The rules are written to a file instead of the map unwind_rules, and there are no processes.
class RulesTest : public testing::Test {
  protected:
    RulesTest() : file_(memfd_create("rules", MFD_CLOEXEC))
    {
        EXPECT_EQ(ftruncate(file_.get(), Rules::bytes), 0);
        slots_ = static_cast<unwind_slot *>(
            mmap(nullptr, Rules::bytes, PROT_READ, MAP_SHARED, file_.get(), 0));
        EXPECT_NE(slots_, MAP_FAILED);
    }
    ~RulesTest() override { munmap(slots_, Rules::bytes); }

    // Returns the rule that unwind_rule_of() of the kernel side would find; -1: none.
    int found(uint64_t key) const
    {
        for (uint32_t at : {UNWIND_FIRST_SLOT(key), UNWIND_OTHER_SLOT(key)})
            if ((slots_[at].words[0] ^ slots_[at].words[1] ^ slots_[at].check) == key)
                return slots_[at].rule.cfa_offset;
        return -1;
    }

    Fd file_;
    Rules rules_ = Rules::open(file_.get(), -1).value();
    unwind_slot *slots_ = nullptr;
};

unwind_rule rule(int cfa_offset)
{
    unwind_rule rule = {};
    rule.cfa_offset = cfa_offset;
    return rule;
}

constexpr uint64_t layout_2 = 2ULL << UNWIND_LAYOUT_SHIFT;

TEST_F(RulesTest, AreFoundByAddressLayoutAndKind)
{
    rules_.learn(2, 0x1000, false, rule(8));
    rules_.learn(2, 0x1000, true, rule(16));
    rules_.learn(3, 0x1000, false, rule(24));
    EXPECT_EQ(found(layout_2 | 0x1000), 8);
    EXPECT_EQ(found(layout_2 | UNWIND_EXACT | 0x1000), 16);
    EXPECT_EQ(found((3ULL << UNWIND_LAYOUT_SHIFT) | 0x1000), 24);
    EXPECT_EQ(found(layout_2 | 0x1001), -1);
    rules_.learn(2, 0x1000, false, rule(32));
    EXPECT_EQ(found(layout_2 | 0x1000), 32);
}

TEST_F(RulesTest, StayUntilHalfOfTheSlotsAreUsed)
{
    constexpr uint64_t max = UNWIND_SLOTS / 2;
    for (uint64_t i = 0; i < max; i++)
        rules_.learn(2, 0x1000 + i, false, rule(int(i)));
    uint64_t kept = 0;
    for (uint64_t i = 0; i < max; i++)
        kept += found(layout_2 | (0x1000 + i)) == int(i);
    EXPECT_GT(kept, max * 99 / 100);
    // A rule of layout 2, which no process has.
    rules_.learn(2, 0x10, false, rule(8));
    EXPECT_EQ(found(layout_2 | 0x1000), -1);
    EXPECT_EQ(found(layout_2 | 0x10), 8);
}

}  // namespace
}  // namespace uscope::stacks
