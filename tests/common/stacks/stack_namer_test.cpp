#include "stacks/stack_namer.h"
#include "bpf/unwind/unwind.h"
#include "stacks/unwinder.h"

#include <gtest/gtest.h>

namespace uscope::stacks {
namespace {

constexpr int no_map = -1;
const std::string not_kept = "[not kept: increase --stacks]";

stack_key key(uint64_t user_id, int32_t kernel_id)
{
    stack_key key = {};
    key.tgid = 181;
    key.user_id = user_id;
    key.kernel_id = kernel_id;
    return key;
}

TEST(StackNamer, TellsStacksThatFoundNoPlaceFromThoseThatThereAreNot)
{
    Unwinder unwinder;
    StackNamer namer({}, unwinder, no_map, no_map);
    using MissingReason = StackNamer::MissingReason;
    EXPECT_EQ(namer.missing_reason(key(UNWIND_NONE, STACK_KEY_NONE)), MissingReason::Nothing);
    EXPECT_EQ(namer.missing_reason(key(UNWIND_FULL, 7)), MissingReason::Full);
    EXPECT_EQ(namer.missing_reason(key(UNWIND_LOST, 7)), MissingReason::NotWalked);
    EXPECT_EQ(namer.missing_reason(key(UNWIND_MISSED | 7, 7)), MissingReason::NotKept);
    EXPECT_EQ(namer.missing_reason(key(UNWIND_NONE, -ENOMEM)), MissingReason::Full);
    auto named = namer.name(key(UNWIND_FULL, STACK_KEY_NONE));
    EXPECT_EQ(named.user, std::vector<output::Frame>{not_kept});
    EXPECT_TRUE(named.kernel.empty());
    named = namer.name(key(UNWIND_LOST, STACK_KEY_NONE));
    EXPECT_EQ(named.user, std::vector<output::Frame>{"[not walked: too many at once]"});
    named = namer.name(key(UNWIND_NONE, -ENOMEM));
    EXPECT_TRUE(named.user.empty());
    EXPECT_EQ(named.kernel, std::vector<std::string>{not_kept});
}

TEST(StackNamer, NamesTheProcessWhenStacksAreApart)
{
    StackNamer::Style apart;
    apart.per_process = true;
    stack_key none = key(UNWIND_NONE, STACK_KEY_NONE);
    Unwinder unwinder;
    EXPECT_EQ(StackNamer(apart, unwinder, no_map, no_map).name(none).pid, 181);
    EXPECT_EQ(StackNamer({}, unwinder, no_map, no_map).name(none).pid, 0);
}

}  // namespace
}  // namespace uscope::stacks
