#include "expr/whole.h"

#include <gtest/gtest.h>

#include "support/expr_program.h"

namespace uscope::expr {
namespace {

using types::Member;
using types::Type;
using types::TypeRef;

TypeRef structure(const std::vector<Member> &members, uint64_t size)
{
    auto type = std::make_shared<Type>();
    type->kind = Type::Kind::Struct;
    type->name = "struct sample";
    type->size = size;
    type->find_member = [members](std::string_view name) -> std::optional<Member> {
        for (const Member &member : members)
            if (member.name == name)
                return member;
        return std::nullopt;
    };
    type->member_names = [members] {
        std::vector<std::string> names;
        for (const Member &member : members)
            names.push_back(member.name);
        return names;
    };
    return type;
}

TypeRef array_of(TypeRef element, uint64_t count)
{
    auto type = std::make_shared<Type>();
    type->kind = Type::Kind::Array;
    type->name = element->name + "[]";
    type->size = element->size * count;
    type->target = std::move(element);
    return type;
}

struct Shown {
    std::string text, json;
};

Shown show(const TypeRef &type, const std::string &bytes,
           const std::vector<output::Value> &texts = {})
{
    Shown shown;
    Whole(*type).append(shown.text, shown.json, Bytes(bytes), texts,
                        [](const Type &, int64_t) { return std::string_view(); });
    return shown;
}

const TypeRef int32 = types::integer_type(4, true), byte = types::integer_type(1, false);

TEST(Whole, ShowsMembersOfAllKinds)
{
    TypeRef point = structure({{"x", int32, 0}, {"y", int32, 4}}, 8);
    TypeRef type = structure({{"id", int32, 0},
                              {"low", int32, 4, 0, 3},
                              {"high", int32, 4, 3, 5},
                              {"at", point, 8},
                              {"list", array_of(int32, 2), 16},
                              {"name", types::char_pointer(), 24}},
                             32);
    std::string bytes(32, '\0');
    auto put = [&](size_t at, int32_t value) { memcpy(&bytes[at], &value, 4); };
    put(0, -7);
    put(4, 0b11110'101);
    put(8, 1);
    put(12, 2);
    put(16, 3);
    put(20, 4);
    output::Value name = {.kind = output::Value::Kind::Text, .text = "a\"b"};
    Shown shown = show(type, bytes, {name});
    EXPECT_EQ(shown.text, "{id=-7, low=-3, high=-2, at={x=1, y=2}, list=[3, 4], name=\"a\\\"b\"}");
    EXPECT_EQ(shown.json,
              "{\"id\":-7,\"low\":-3,\"high\":-2,\"at\":{\"x\":1,\"y\":2},"
              "\"list\":[3,4],\"name\":\"a\\\"b\"}");
}

TEST(Whole, IsBounded)
{
    TypeRef large = array_of(byte, 5000);
    Whole whole(*large);
    EXPECT_EQ(whole.bytes(), Whole::max_bytes);
    EXPECT_EQ(show(array_of(byte, 18), std::string(18, '\1')).text,
              "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ...]");
    // Members without bytes have no value; a structure without known members has dots.
    EXPECT_EQ(show(structure({{"a", int32, 0}, {"b", int32, 4}}, 8), std::string(4, '\0')).text,
              "{a=0, b=?}");
    EXPECT_EQ(show(structure({}, 8), std::string(8, '\0')).text, "{...}");
    EXPECT_EQ(show(structure({}, 0), "").json, "{}");
}

TEST(Whole, EndsInATypeThatContainsItself)
{
    auto type = std::make_shared<Type>(*structure({}, 8));
    type->member_names = [] { return std::vector<std::string>{"inner"}; };
    std::weak_ptr<Type> self = type;
    type->find_member = [self](std::string_view) {
        return std::optional<Member>({"inner", self.lock(), 0});
    };
    EXPECT_EQ(show(type, std::string(8, '\0')).text, "{inner={inner={inner={inner={inner=?}}}}}");
}

}  // namespace
}  // namespace uscope::expr
