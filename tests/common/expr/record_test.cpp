#include "expr/record.h"
#include "types/type.h"

#include <vector>

#include <gtest/gtest.h>

namespace uscope::expr {
namespace {

using output::Value;

Field field(Shape shape, uint32_t offset, uint8_t size = 8, bool is_signed = false)
{
    return {.shape = shape,
            .size = size,
            .is_signed = is_signed,
            .type = types::integer_type(8, is_signed),
            .offset = offset,
            .capacity = 16,
            .status_offset = 0};
}

template <class... Parts>
std::string record(const Parts &...parts)
{
    std::string bytes;
    (bytes.append(reinterpret_cast<const char *>(&parts), sizeof(parts)), ...);
    return bytes;
}

TEST(ReadField, ReadsIntegersBySign)
{
    std::string bytes = record(int64_t(-3));
    Value value = read_field(field(Shape::Integer, 0, 4, true), Bytes(bytes), 80);
    EXPECT_EQ(value.kind, Value::Kind::Integer);
    EXPECT_EQ(value.integer, -3);
    EXPECT_TRUE(value.is_signed);
    EXPECT_EQ(value.size, 4);
}

TEST(ReadField, ReadsFloatsOfBothSizes)
{
    std::string bytes = record(2.5, 1.25f, 0);
    EXPECT_EQ(read_field(field(Shape::Float, 0, 8), Bytes(bytes), 80).real, 2.5);
    EXPECT_EQ(read_field(field(Shape::Float, 8, 4), Bytes(bytes), 80).real, 1.25);
}

TEST(ReadField, SaysThatMemoryCouldNotBeRead)
{
    std::string bytes = record(uint64_t(0), int32_t(-EFAULT), 0);
    Field number = field(Shape::Integer, 0);
    number.status_offset = 8;
    Value value = read_field(number, Bytes(bytes), 80);
    EXPECT_EQ(value.kind, Value::Kind::Unreadable);
    EXPECT_EQ(value.error, EFAULT);
}

TEST(ReadField, ReadsAString)
{
    std::string bytes = record(StringSlot{4, 4}) + "octi, and more";
    Value value = read_field(field(Shape::String, 0), Bytes(bytes), 80);
    EXPECT_EQ(value.text, "octi");
    EXPECT_FALSE(value.truncated);
}

TEST(ReadField, MarksAStringThatIsLongerThanFits)
{
    std::string bytes = record(StringSlot{17, 17}) + "0123456789abcdef!";
    Value value = read_field(field(Shape::String, 0), Bytes(bytes), 16);
    EXPECT_EQ(value.text, "0123456789abcdef");
    EXPECT_TRUE(value.truncated);
    EXPECT_EQ(value.full_length, 0u);
}

TEST(ReadField, KnowsTheFullLengthOfAStringThatCameWithOne)
{
    std::string bytes = record(StringSlot{16, 1000}) + "0123456789abcdef";
    Value value = read_field(field(Shape::String, 0), Bytes(bytes), 16);
    EXPECT_TRUE(value.truncated);
    EXPECT_EQ(value.full_length, 1000u);
}

TEST(ReadField, SaysThatAStringCouldNotBeRead)
{
    std::string bytes = record(StringSlot{-EFAULT, 0});
    EXPECT_EQ(read_field(field(Shape::String, 0), Bytes(bytes), 80).error, EFAULT);
}

TEST(ReadField, KnowsNothingOfWhatIsOutsideTheRecord)
{
    std::string bytes = record(StringSlot{8, 8}) + "octi";
    EXPECT_EQ(read_field(field(Shape::String, 0), Bytes(bytes), 80).kind, Value::Kind::Unknown);
    EXPECT_EQ(read_field(field(Shape::Integer, 64), Bytes(bytes), 80).kind, Value::Kind::Unknown);
    EXPECT_EQ(read_field(field(Shape::Unknown, 0), Bytes(bytes), 80).kind, Value::Kind::Unknown);
}

}  // namespace
}  // namespace uscope::expr
