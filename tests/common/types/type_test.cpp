#include "types/type.h"

#include <gtest/gtest.h>

using namespace uscope::types;

namespace {

// Parses a C type; returns its size, signedness and name, such as "4s int".
std::string described(std::string_view text)
{
    TypeRef type = parse_type(text);
    if (!type)
        return "none";
    return std::to_string(type->size) + (type->is_signed ? "s " : "u ") + type->name;
}

TEST(Type, ReadsIntegersInAnyOrderOfWords)
{
    EXPECT_EQ(described("int"), "4s int");
    EXPECT_EQ(described("unsigned"), "4u unsigned int");
    EXPECT_EQ(described("long unsigned int"), "8u unsigned long");
    EXPECT_EQ(described("long int long"), "8s long long");
    EXPECT_EQ(described("short"), "2s short");
    EXPECT_EQ(described("const unsigned char"), "1u unsigned char");
    EXPECT_EQ(described("signed char"), "1s signed char");
    EXPECT_EQ(described("double"), "8s double");
    EXPECT_EQ(described("float"), "4s float");
}

TEST(Type, ReadsTypedefs)
{
    EXPECT_EQ(described("uint32_t"), "4u uint32_t");
    EXPECT_EQ(described("s64"), "8s s64");
    EXPECT_EQ(described("size_t"), "8u size_t");
    EXPECT_EQ(described("bool"), "1u bool");
}

TEST(Type, RefusesWhatIsNoType)
{
    for (const char *text :
         {"", "*", "foo", "unsigned float", "short long", "int int", "long long long",
          "signed unsigned", "int * x", "struct", "struct a b", "int[4]", "a b"})
        EXPECT_EQ(parse_type(text), nullptr) << text;
    EXPECT_EQ(parse_type(std::string(1000, '*')), nullptr);
}

TEST(Type, ReadsPointers)
{
    TypeRef type = parse_type("const char **");
    ASSERT_TRUE(type);
    EXPECT_EQ(type->kind, Type::Kind::Pointer);
    EXPECT_FALSE(type->is_string());
    EXPECT_TRUE(type->target->is_string());
    EXPECT_EQ(type->name, "char **");
    EXPECT_EQ(parse_type("void *")->target, nullptr);
    EXPECT_FALSE(parse_type("uint8_t *")->is_string());
    EXPECT_TRUE(parse_type("unsigned char*")->is_string());
}

TEST(Type, AsksForWhatItDoesNotKnow)
{
    auto find = [](std::string_view name) -> TypeRef {
        return name == "struct client" ? integer_type(4, false) : nullptr;
    };
    EXPECT_EQ(parse_type("struct client", find), integer_type(4, false));
    EXPECT_EQ(parse_type("const struct client *", find)->target, integer_type(4, false));
    EXPECT_EQ(parse_type("client", find), nullptr);
}

TEST(Type, AnUnknownStructureCanBePointedTo)
{
    EXPECT_EQ(parse_type("struct file"), nullptr);
    TypeRef type = parse_type("struct file *");
    ASSERT_TRUE(type);
    EXPECT_EQ(type->name, "struct file *");
    EXPECT_EQ(type->target->kind, Type::Kind::Struct);
    EXPECT_EQ(type->target->size, 0u);
}

TEST(Type, KnowsWhosePointersTheyAre)
{
    EXPECT_TRUE(parse_type("const char __user *")->is_user);
    EXPECT_TRUE(parse_type("char __user * __user *")->target->is_user);
    EXPECT_FALSE(parse_type("char *")->is_user);
    EXPECT_EQ(parse_type("char __user *")->name, "char *");
}

}  // namespace
