// The keys and values with which generated programs count.
#include <gtest/gtest.h>

#include "support/expr_machine.h"

using namespace uscope;
using namespace uscope::expr;
using namespace uscope::test;

namespace {

TEST(ProgramKey, GivesKeysWithNothingUndefinedInThem)
{
    for (size_t length : {0, 1, 7, 8, 20}) {
        TestRequest request;
        request.as_key().values = {{"path"}, {"i"}};
        request.header_bytes = 8;
        request.request.string_bytes = 20;
        request.measured = "arg1 + 1";
        Machine machine(request);
        machine.run.set_context(rdi, 41);
        machine.run.set_context(rsi, text_at);
        machine.run.add_user_memory(text_at, std::string(length, 'x') + '\0');
        std::string key = machine.record();
        EXPECT_EQ(machine.run.emitted[0].measured, 42u);
        EXPECT_EQ(machine.run.emitted[0].status, 0);
        EXPECT_EQ(machine.text(0),
                  (Machine::Text{int(length), uint32_t(length), std::string(length, 'x')}));
        // The interpreter fills the stack with 0xa5, so this byte would be an uninitialized one.
        EXPECT_EQ(key.find('\xa5'), key.npos);
    }
}

TEST(ProgramKey, CountsWithoutAKey)
{
    TestRequest request;
    request.as_key();
    request.header_bytes = 0;
    Machine machine(request);
    ASSERT_EQ(machine.fire().size(), 1u);
    EXPECT_FALSE(machine.run.emitted[0].record);
    EXPECT_EQ(machine.run.emitted[0].measured, 0u);
}

TEST(ProgramKey, HasRoomForWhatIsTheFunctionsOwn)
{
    TestRequest request;
    request.as_key();
    request.header_bytes = 32;
    Machine machine(request);
    EXPECT_EQ(machine.record(), std::string(32, '\0'));
}

TEST(ProgramKey, SaysThatWhatIsMeasuredWasUnreadable)
{
    TestRequest request;
    request.as_key().measured = "p->id";
    Machine machine(request);
    ASSERT_EQ(machine.fire().size(), 1u);
    EXPECT_EQ(machine.run.emitted[0].status, -EFAULT);
}

// Returns the expected bucket by a simple calculation: below, within or above the scale.
uint64_t bucket_of(__int128 value, const output::LinearScale &scale)
{
    if (value < scale.min)
        return 0;
    if (value >= scale.max)
        return scale.buckets() - 1;
    return uint64_t((value - scale.min) / __int128(scale.step)) + 1;
}

TEST(ProgramKey, FindsTheLinearBucketOfEveryValue)
{
    const output::LinearScale scales[] = {{0, 100, 10},
                                          {-100, 100, 7},
                                          {-20, -10, 3},
                                          {-10, 0, 10},
                                          {1, 2, 1},
                                          {INT64_MAX - 9, INT64_MAX, 4},
                                          {INT64_MIN, INT64_MIN + 9, 4},
                                          {5, 1000, 995},
                                          {INT64_MIN, INT64_MAX, uint64_t(1) << 62}};
    for (const output::LinearScale &scale : scales) {
        for (bool is_signed : {false, true}) {
            TestRequest request;
            request.as_key().measured = is_signed ? "(long)arg1" : "arg1";
            request.request.buckets = scale;
            Program program = test::must_compile(request);
            for (uint64_t near : {uint64_t(scale.min), uint64_t(scale.max), uint64_t(0),
                                  uint64_t(INT64_MAX), uint64_t(scale.min) + scale.step}) {
                for (uint64_t value = near - 3; value != near + 4; value++) {
                    BpfInterpreter run(program);
                    run.set_context(rdi, value);
                    ASSERT_TRUE(run.run().has_value());
                    __int128 number = is_signed ? __int128(int64_t(value)) : __int128(value);
                    ASSERT_EQ(run.emitted.at(0).measured, bucket_of(number, scale))
                        << value << (is_signed ? " signed " : " ") << scale.min << " " << scale.max
                        << "\n"
                        << listing(program);
                }
            }
        }
    }
}

TEST(ProgramKey, AKeyThatIsTooLargeForTheStackSaysTheWayOut)
{
    TestRequest request;
    request.as_key().values = {{"path"}, {"str(path, i)"}};
    request.request.string_bytes = 240;
    auto program = request.compile();
    ASSERT_FALSE(program);
    EXPECT_NE(program.error().text.find("-z"), std::string::npos);
}

}  // namespace
