#include "btf/types.h"

#include <gtest/gtest.h>

namespace uscope::btf {
namespace {

using types::Type;

// Builds BTF type information record by record. Types have consecutive numbers from 1, or `first`,
// on.
class Builder {
  public:
    explicit Builder(uint32_t first = 1, uint32_t first_string = 0)
        : number_(first - 1), first_string_(first_string)
    {
        if (first_string == 0)
            strings_.push_back('\0');
    }

    uint32_t add(Kind kind, const std::string &name, uint32_t type, std::vector<uint32_t> tail = {},
                 uint32_t members = 0, bool flag = false)
    {
        words({string(name), uint32_t(flag) << 31 | uint32_t(kind) << 24 | members, type});
        words(std::move(tail));
        return ++number_;
    }
    uint32_t integer(const std::string &name, uint32_t bytes, bool is_signed)
    {
        return add(Kind::Int, name, bytes, {uint32_t(is_signed) << 24 | bytes * 8});
    }
    struct Member {
        std::string name;
        uint32_t type, offset;  // the offset is in bits
        uint32_t bits = 0;
    };
    uint32_t structure(const std::string &name, uint32_t bytes, const std::vector<Member> &members,
                       Kind kind = Kind::Struct)
    {
        std::vector<uint32_t> tail;
        for (const Member &member : members) {
            for (uint32_t word :
                 {string(member.name), member.type, member.bits << 24 | member.offset})
                tail.push_back(word);
        }
        return add(kind, name, bytes, tail, members.size(), true);
    }
    struct Parameter {
        std::string name;
        uint32_t type;
    };
    void function(const std::string &name, uint32_t result,
                  const std::vector<Parameter> &parameters)
    {
        std::vector<uint32_t> tail;
        for (const Parameter &parameter : parameters) {
            tail.push_back(string(parameter.name));
            tail.push_back(parameter.type);
        }
        add(Kind::Function, name, add(Kind::Prototype, "", result, tail, parameters.size()));
    }

    std::string text() const
    {
        uint32_t header[] = {0x0001eb9f,
                             24,
                             0,
                             uint32_t(types_.size()),
                             uint32_t(types_.size()),
                             uint32_t(strings_.size())};
        return std::string(reinterpret_cast<const char *>(header), sizeof(header)) + types_ +
               strings_;
    }
    uint32_t next() const { return number_ + 1; }
    uint32_t next_string() const { return first_string_ + strings_.size(); }

  private:
    void words(std::vector<uint32_t> words)
    {
        types_.append(reinterpret_cast<const char *>(words.data()), words.size() * 4);
    }
    uint32_t string(const std::string &name)
    {
        if (name.empty())
            return 0;
        uint32_t offset = first_string_ + strings_.size();
        strings_.append(name).push_back('\0');
        return offset;
    }

    std::string types_, strings_;
    uint32_t number_, first_string_;
};

std::shared_ptr<const Types> types_of(const Builder &builder)
{
    return Types::read(File(builder.text()));
}

TEST(BtfTypes, Integers)
{
    Builder builder;
    builder.integer("int", 4, true);
    uint32_t character = builder.integer("unsigned char", 1, false);
    builder.add(Kind::Typedef, "u8", character);
    auto types = types_of(builder);
    auto found = types->find_type("int");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, Type::Kind::Integer);
    EXPECT_EQ(found->size, 4u);
    EXPECT_TRUE(found->is_signed);
    EXPECT_FALSE(found->is_char);
    EXPECT_EQ(types->find_type("u8")->name, "u8");
    EXPECT_FALSE(types->find_type("u8")->is_signed);
    EXPECT_TRUE(types->find_type("u8")->is_char);
}

TEST(BtfTypes, EnumerationsOfAllSizes)
{
    Builder builder;
    builder.add(Kind::Enum, "color", 4, {0, 0}, 1, true);
    builder.add(Kind::Enum64, "wide", 8, {0, 0, 0}, 1);
    auto types = types_of(builder);
    EXPECT_EQ(types->find_type("enum color")->size, 4u);
    EXPECT_TRUE(types->find_type("enum color")->is_signed);
    EXPECT_EQ(types->find_type("enum wide")->size, 8u);
    EXPECT_FALSE(types->find_type("struct color"));
}

TEST(BtfTypes, MembersThroughPointersAndQualifiers)
{
    Builder builder;
    uint32_t character = builder.integer("char", 1, true);
    uint32_t text = builder.add(Kind::Pointer, "", builder.add(Kind::Const, "", character));
    uint32_t node = builder.next() + 1;  // the structure points to itself
    uint32_t next = builder.add(Kind::Pointer, "", node);
    builder.structure("node", 16, {{"next", next, 0}, {"name", text, 64}});
    auto types = types_of(builder);
    auto type = types->find_type("struct node");
    ASSERT_TRUE(type);
    auto name = type->find_member("name");
    ASSERT_TRUE(name);
    EXPECT_EQ(name->offset, 8u);
    EXPECT_TRUE(name->type->is_string());
    auto again = type->find_member("next")->type->target->find_member("next");
    ASSERT_TRUE(again);
    EXPECT_EQ(again->type->name, "struct node *");
    EXPECT_FALSE(type->find_member("other"));
    EXPECT_EQ(type->member_names(), (std::vector<std::string>{"next", "name"}));
}

TEST(BtfTypes, MembersOfAnonymousStructures)
{
    Builder builder;
    uint32_t number = builder.integer("int", 4, true);
    uint32_t inner = builder.structure("", 8, {{"a", number, 0}, {"b", number, 32}}, Kind::Union);
    builder.structure("outer", 16, {{"first", number, 0}, {"", inner, 64}});
    auto found = types_of(builder)->find_type("struct outer")->find_member("b");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->offset, 12u);
}

TEST(BtfTypes, BitFields)
{
    Builder builder;
    uint32_t number = builder.integer("unsigned int", 4, false);
    builder.structure("flags", 8, {{"low", number, 35, 4}, {"wide", number, 30, 8}});
    auto type = types_of(builder)->find_type("struct flags");
    auto low = type->find_member("low");
    ASSERT_TRUE(low);
    EXPECT_EQ(low->offset, 4u);
    EXPECT_EQ(low->bit_offset, 3);
    EXPECT_EQ(low->bit_size, 4);
    EXPECT_FALSE(type->find_member("wide"));  // the bit-field extends over two units
}

TEST(BtfTypes, Arrays)
{
    Builder builder;
    uint32_t character = builder.integer("char", 1, true);
    uint32_t array = builder.add(Kind::Array, "", 0, {character, character, 16});
    builder.structure("task", 16, {{"comm", array, 0}});
    auto comm = types_of(builder)->find_type("struct task")->find_member("comm");
    EXPECT_EQ(comm->type->kind, Type::Kind::Array);
    EXPECT_EQ(comm->type->size, 16u);
    EXPECT_TRUE(comm->type->is_string());
}

TEST(BtfTypes, PointersIntoThePrograms)
{
    Builder builder;
    uint32_t character = builder.integer("char", 1, true);
    uint32_t tag = builder.add(Kind::TypeTag, "user", character);
    uint32_t user = builder.add(Kind::Pointer, "", tag);
    uint32_t other = builder.add(Kind::Pointer, "", character);
    builder.function("read", 0, {{"buf", user}, {"own", other}});
    auto info = types_of(builder)->find_function("read");
    ASSERT_TRUE(info);
    EXPECT_TRUE(info->parameters[0].type->is_user);
    EXPECT_FALSE(info->parameters[1].type->is_user);
}

TEST(BtfFunctionInfo, ParametersAndResult)
{
    Builder builder;
    uint32_t number = builder.integer("int", 4, true);
    uint32_t pointer = builder.add(Kind::Pointer, "", builder.structure("file", 8, {}));
    builder.function("open", number, {{"file", pointer}, {"flags", number}});
    builder.function("close", 0, {});
    auto types = types_of(builder);
    auto open = types->find_function("open");
    ASSERT_TRUE(open);
    ASSERT_EQ(open->parameters.size(), 2u);
    EXPECT_EQ(open->parameters[0].name, "file");
    EXPECT_EQ(open->parameters[0].type->name, "struct file *");
    EXPECT_EQ(open->parameters[1].slot, 2u);
    EXPECT_EQ(open->last_slot, 2u);
    EXPECT_EQ(open->return_type->name, "int");
    EXPECT_FALSE(types->find_function("close")->return_type);
    EXPECT_FALSE(types->find_function("int"));
    EXPECT_FALSE(types->find_function(""));
}

TEST(BtfFunctionInfo, StructuresByValueTakeRegistersOfTheirOwn)
{
    Builder builder;
    uint32_t number = builder.integer("int", 4, true);
    uint32_t small = builder.structure("small", 4, {}), pair = builder.structure("pair", 16, {});
    uint32_t large = builder.structure("large", 24, {});
    builder.function("f", 0, {{"a", small}, {"b", pair}, {"c", large}, {"d", number}});
    auto info = types_of(builder)->find_function("f");
    EXPECT_EQ(info->parameters[0].why, "a struct small passed by value, in arg1");
    EXPECT_EQ(info->parameters[1].why, "a struct pair passed by value, in arg2 and arg3");
    EXPECT_EQ(info->parameters[2].why, "a struct large passed by value, on the stack");
    EXPECT_EQ(info->parameters[3].slot, 4u);
}

TEST(BtfFunctionInfo, MoreMayFollowDots)
{
    Builder builder;
    uint32_t number = builder.integer("int", 4, true);
    builder.function("printk", number, {{"fmt", number}, {"", 0}});
    auto info = types_of(builder)->find_function("printk");
    ASSERT_TRUE(info);
    EXPECT_EQ(info->parameters.size(), 1u);
    EXPECT_FALSE(info->last_slot);
}

TEST(BtfTypes, AModuleGoesOnWhereTheKernelEnds)
{
    Builder kernel;
    kernel.integer("int", 4, true);
    kernel.structure("file", 8, {{"mode", 1, 32}});
    Builder module(kernel.next(), kernel.next_string());
    uint32_t pointer = module.add(Kind::Pointer, "", 2);
    module.function("hook", 1, {{"file", pointer}});
    auto base = types_of(kernel);
    auto types = Types::read(File(module.text()), base);
    ASSERT_TRUE(types);
    auto hook = types->find_function("hook");
    ASSERT_TRUE(hook);
    EXPECT_EQ(hook->return_type->name, "int");
    EXPECT_EQ(hook->parameters[0].name, "file");
    EXPECT_EQ(hook->parameters[0].type->target->find_member("mode")->offset, 4u);
    EXPECT_TRUE(types->find_type("struct file"));
    EXPECT_FALSE(base->find_function("hook"));
}

TEST(BtfTypes, TypesKeepWhatTheyAreFrom)
{
    Builder builder;
    builder.structure("s", 4, {{"m", builder.integer("int", 4, true), 0}});
    auto type = types_of(builder)->find_type("struct s");
    EXPECT_TRUE(type->find_member("m"));
}

TEST(BtfTypes, EveryTruncationIsSurvived)
{
    Builder builder;
    uint32_t number = builder.integer("int", 4, true);
    builder.function("f", number, {{"a", number}});
    std::string text = builder.text();
    for (size_t length = 0; length < text.size(); length++)
        EXPECT_FALSE(Types::read(File(text.substr(0, length))));
}

TEST(BtfTypes, CirclesAreSurvived)
{
    Builder builder;
    builder.add(Kind::Typedef, "a", 2);
    builder.add(Kind::Const, "", 1);
    builder.add(Kind::Pointer, "", 3);
    builder.add(Kind::Typedef, "p", 3);
    builder.structure("s", 4, {{"", 5, 0}});
    auto types = types_of(builder);
    EXPECT_EQ(types->find_type("a")->kind, Type::Kind::Void);
    EXPECT_EQ(types->find_type("p")->kind, Type::Kind::Pointer);
    EXPECT_FALSE(types->find_type("struct s")->find_member("m"));
}

TEST(BtfTypes, TheKernelsOwn)
{
    auto file = File::open("/sys/kernel/btf/vmlinux");
    if (!file)
        GTEST_SKIP() << file.error().text;
    auto types = Types::read(std::move(*file));
    ASSERT_TRUE(types);
    auto read = types->find_function("vfs_read");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->parameters[0].name, "file");
    auto path = read->parameters[0].type->target->find_member("f_path");
    ASSERT_TRUE(path);
    auto dentry = path->type->find_member("dentry");
    ASSERT_TRUE(dentry);
    EXPECT_TRUE(dentry->type->target->find_member("d_name")->type->find_member("name"));
    EXPECT_EQ(read->return_type->name, "ssize_t");
}

}  // namespace
}  // namespace uscope::btf
