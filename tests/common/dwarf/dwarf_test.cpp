#include "dwarf/dwarf.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/format.h"
#include "elf/image.h"
#include "support/files.h"

using namespace uscope;
using types::Type;
using types::TypeRef;

namespace {

using tests::target;

struct Program {
    elf::Image image;
    dwarf::Debug debug;

    static Program open(const std::string &path)
    {
        auto image = elf::Image::open(path);
        EXPECT_TRUE(image) << image.error().text;
        auto debug = dwarf::Debug::open(*image, path);
        EXPECT_TRUE(debug) << debug.error().text;
        EXPECT_TRUE(*debug) << path << " has no DWARF";
        return {std::move(*image), std::move(**debug)};
    }

    dwarf::FunctionInfo function(std::string_view name) const
    {
        auto found = elf::find_functions(image, name);
        EXPECT_TRUE(found) << (found ? "" : found.error().text);
        if (!found || found->empty())
            return {};
        auto info = debug.function_at(found->front().vaddr);
        EXPECT_TRUE(info) << name;
        return info.value_or(dwarf::FunctionInfo());
    }
};

// Returns "name:slot, ..." of a function's parameters: the number of the argument's register or
// stack word; for a parameter that has none, the reason.
std::string slots(const dwarf::FunctionInfo &info)
{
    std::string text;
    for (const dwarf::Parameter &parameter : info.parameters) {
        text += (text.empty() ? "" : ", ") + parameter.name + ":";
        text += parameter.slot ? std::to_string(parameter.slot) : parameter.why;
    }
    return text;
}

// Describes a type: "struct Node * 8 signed".
std::string describe(const TypeRef &type)
{
    if (!type)
        return "nothing";
    const char *kinds[] = {"void", "integer", "float", "pointer", "array", "struct"};
    std::string text =
        fmt::format("{} {} {}", kinds[static_cast<int>(type->kind)], type->size, type->name);
    if (type->kind == Type::Kind::Integer)
        text += type->is_signed ? " signed" : " unsigned";
    return text + (type->is_char ? " char" : "");
}

// Describes a member of a type: "offset: type", and its bits if it is a bit-field.
std::string member(const TypeRef &type, std::string_view name)
{
    auto found = type && type->find_member ? type->find_member(name) : std::nullopt;
    if (!found)
        return "none";
    std::string text = fmt::format("{}: {}", found->offset, describe(found->type));
    if (found->bit_size)
        text += fmt::format(" bits {}+{}", found->bit_offset, found->bit_size);
    return text;
}

// Tests run for the same program with DWARF 5, and with DWARF 4 in compressed sections and type
// units.
class Dwarf : public testing::TestWithParam<const char *> {
  protected:
    Program program = Program::open(target(GetParam()));
    const dwarf::Debug &debug = program.debug;
};

INSTANTIATE_TEST_SUITE_P(Versions, Dwarf,
                         testing::Values("dwarf_types", "dwarf_v4", "dwarf_split",
                                         "dwarf_split_v4"),
                         [](const auto &info) { return std::string(info.param); });

}  // namespace

TEST_P(Dwarf, MethodsBeginWithThis)
{
    auto info = program.function("app::Thing::method");
    EXPECT_EQ(slots(info), "this:1, a:2, b:3");
    EXPECT_EQ(describe(info.return_type), "integer 4 int signed");
    EXPECT_EQ(info.parameters[0].type->target->name, "struct Thing");
    EXPECT_TRUE(info.parameters[2].type->is_string());
    EXPECT_EQ(slots(program.function("app::Thing::without_this")), "a:1");
}

TEST_P(Dwarf, StructuresByValueTakeRegistersTheStackOrNothing)
{
    EXPECT_EQ(slots(program.function("app::by_small")),
              "s:a structure in registers: its parts are arg1 and arg2, after:3");
    EXPECT_EQ(slots(program.function("app::by_half")),
              "s:a structure in a register: it is arg1, after:2");
    EXPECT_EQ(slots(program.function("app::by_mixed")),
              "s:a structure in registers: its integer part is arg1, after:2");
    EXPECT_EQ(slots(program.function("app::by_floats")),
              "s:a structure in vector registers, after:1");
    EXPECT_EQ(slots(program.function("app::by_large")), "s:a structure on the stack, after:1");
    EXPECT_EQ(slots(program.function("app::by_packed")), "s:a structure on the stack, after:1");
    EXPECT_EQ(slots(program.function("app::by_empty")),
              ":an object without members, which is not passed, after:1");
}

TEST_P(Dwarf, ObjectsThatMustBeCopiedArePointers)
{
    auto info = program.function("app::by_guard");
    EXPECT_EQ(slots(info), "s:1, after:2");
    EXPECT_EQ(info.parameters[0].type->kind, Type::Kind::Pointer);
    EXPECT_EQ(member(info.parameters[0].type->target, "value"), "0: integer 4 int signed");
}

TEST_P(Dwarf, ReferencesArePointers)
{
    auto info = program.function("app::by_reference");
    EXPECT_EQ(slots(info), "node:1, other:2, after:3");
    EXPECT_EQ(describe(info.parameters[0].type), "pointer 8 struct Node *");
    EXPECT_EQ(describe(info.parameters[1].type), "pointer 8 struct Node *");
}

TEST_P(Dwarf, FloatingArgumentsTakeNoSlot)
{
    auto info = program.function("app::by_floating");
    EXPECT_EQ(slots(info),
              "d:a floating-point argument, in a vector register, a:1, "
              "f:a floating-point argument, in a vector register, l:a value on the stack, b:2");
    EXPECT_EQ(describe(info.parameters[0].type), "float 8 double");
    EXPECT_EQ(describe(info.parameters[2].type), "float 4 float");
}

TEST_P(Dwarf, OtherScalars)
{
    EXPECT_EQ(slots(program.function("app::by_int128")),
              "wide:a 16-byte integer in registers: its parts are arg1 and arg2, after:3");
    EXPECT_EQ(slots(program.function("app::by_null")), ":1, after:2");
}

TEST_P(Dwarf, AResultInMemoryTakesTheFirstSlot)
{
    auto info = program.function("app::returns_large");
    EXPECT_EQ(slots(info), "a:2");
    EXPECT_EQ(describe(info.return_type->target), "struct 24 struct Large");
    EXPECT_EQ(slots(program.function("app::returns_small")), "a:1");
    EXPECT_EQ(slots(program.function("app::returns_pointer")), "g:1");
    EXPECT_EQ(describe(program.function("app::returns_double").return_type), "float 8 double");
    EXPECT_EQ(describe(program.function("app::returns_enum").return_type),
              "integer 1 enum Color unsigned");
}

TEST_P(Dwarf, WhatTheReturnRegisterDoesNotHoldIsSaid)
{
    auto why = [&](const char *name) { return program.function(name).return_why; };
    EXPECT_EQ(why("app::returns_large"), "");
    EXPECT_EQ(why("app::returns_pointer"), "");
    EXPECT_EQ(why("app::returns_enum"), "");
    const char *floating = "a floating-point value, in a register that probes cannot read";
    EXPECT_EQ(why("app::returns_double"), floating);
    EXPECT_EQ(why("app::returns_float"), floating);
    EXPECT_EQ(why("app::returns_long_double"), floating);
    EXPECT_EQ(why("app::returns_small"),
              "a structure in registers: its parts are reg(\"rax\") and reg(\"rdx\")");
    EXPECT_EQ(why("app::returns_int128"),
              "a 16-byte value in registers: its parts are reg(\"rax\") and reg(\"rdx\")");
    EXPECT_EQ(why("app::returns_half"), "a structure in a register: it is reg(\"rax\")");
    EXPECT_EQ(why("app::returns_mixed"),
              "a structure in registers: its integer part is reg(\"rax\")");
    EXPECT_EQ(why("app::returns_floats"),
              "a structure in vector registers, which probes cannot read");
    EXPECT_EQ(why("app::returns_empty"), "an object without members, which is not returned");
}

TEST_P(Dwarf, TheLastSlotCountsWhatIsPassed)
{
    auto last = [&](const char *name) { return program.function(name).last_slot.value_or(99); };
    EXPECT_EQ(last("app::Thing::method"), 3u);
    EXPECT_EQ(last("app::Thing::without_this"), 1u);
    EXPECT_EQ(last("app::by_small"), 3u);
    EXPECT_EQ(last("app::by_floating"), 8u);  // after a long double, which takes 2 words
    EXPECT_EQ(last("app::by_empty"), 1u);
    EXPECT_EQ(last("app::returns_large"), 2u);
    EXPECT_EQ(last("app::many"), 11u);
    EXPECT_EQ(last("app::Box<int>::take"), 2u);
}

TEST_P(Dwarf, ArgumentsOnTheStackAreCountedBehindWhatLiesBeforeThem)
{
    EXPECT_EQ(
        slots(program.function("app::many")),
        "a:1, b:2, c:3, large:a structure on the stack, d:4, e:5, f:6, seventh:10, eighth:11");
    EXPECT_EQ(slots(program.function("app::no_room")),
              "a:1, b:2, c:3, d:4, e:5, s:a structure on the stack, f:6");
}

TEST_P(Dwarf, TemplatesAndAnonymousNamespaces)
{
    EXPECT_EQ(slots(program.function("app::Box<int>::take")), "this:1, other:2");
    auto info = program.function("(anonymous namespace)::hidden");
    EXPECT_EQ(member(info.parameters.at(0).type->target, "x"), "0: integer 4 int signed");
    EXPECT_EQ(member(debug.find_type("app::Box<int>"), "content"), "0: integer 4 int signed");
    EXPECT_EQ(describe(debug.find_type("(anonymous namespace)::Hidden")), "struct 4 struct Hidden");
}

TEST_P(Dwarf, AnAddressInsideAFunctionIsNone)
{
    auto found = elf::find_functions(program.image, "app::many");
    ASSERT_TRUE(found);
    EXPECT_FALSE(debug.function_at(found->front().vaddr + 1));
    EXPECT_FALSE(debug.function_at(0));
    EXPECT_FALSE(debug.function_at(~uint64_t{0}));
}

TEST_P(Dwarf, Members)
{
    TypeRef thing = debug.find_type("app::Thing");
    ASSERT_TRUE(thing);
    EXPECT_EQ(member(thing, "letter"), "24: integer 1 char signed char");
    EXPECT_EQ(member(thing, "small"), "25: integer 1 signed char signed char");
    EXPECT_EQ(member(thing, "yes"), "32: integer 1 bool unsigned");
    EXPECT_EQ(member(thing, "color"), "33: integer 1 enum Color unsigned");
    EXPECT_EQ(member(thing, "level"), "36: integer 4 enum Level signed");
    EXPECT_EQ(member(thing, "list"), "136: pointer 8 struct Node *");
    EXPECT_EQ(member(thing, "first"), "144: struct 24 struct Node");
    EXPECT_EQ(member(thing, "text"), "116: array 16 char[]");
    EXPECT_EQ(member(thing, "nothing"), "176: pointer 8 void *");
    EXPECT_EQ(member(thing, "callback"), "184: pointer 8 void *");
    EXPECT_EQ(member(thing, "deep"), "168: pointer 8 long unsigned int *");
    EXPECT_EQ(member(thing, "count"), "none");  // static
    EXPECT_EQ(member(thing, "missing"), "none");
}

TEST_P(Dwarf, BitFields)
{
    TypeRef thing = debug.find_type("app::Thing");
    EXPECT_EQ(member(thing, "flag_a"), "24: integer 4 unsigned int unsigned bits 16+1");
    EXPECT_EQ(member(thing, "flag_b"), "24: integer 4 unsigned int unsigned bits 17+3");
    EXPECT_EQ(member(thing, "wide"), "24: integer 8 long long int signed bits 20+40");
}

TEST_P(Dwarf, MembersOfAnonymousMembersAndOfBases)
{
    TypeRef thing = debug.find_type("app::Thing");
    EXPECT_EQ(member(thing, "inner_x"), "40: integer 2 short int signed");
    EXPECT_EQ(member(thing, "as_int"), "44: integer 4 int signed");
    EXPECT_EQ(member(thing, "as_float"), "44: float 4 float");
    EXPECT_EQ(member(thing, "left"), "16: integer 8 long int signed");
    EXPECT_EQ(member(thing, "base_id"), "8: integer 4 int signed");
    auto number = thing->find_member("number");
    ASSERT_TRUE(number);
    EXPECT_EQ(member(number->type, "real"), "0: float 8 double");
    auto names = thing->member_names();
    for (const char *name : {"letter", "inner_x", "as_float", "base_id", "first"})
        EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

TEST_P(Dwarf, Arrays)
{
    auto grid = debug.find_type("app::Thing")->find_member("grid");
    ASSERT_TRUE(grid);
    EXPECT_EQ(describe(grid->type), "array 60 int[][]");
    EXPECT_EQ(describe(grid->type->target), "array 20 int[]");
    EXPECT_EQ(describe(grid->type->target->target), "integer 4 int signed");
    EXPECT_TRUE(debug.find_type("app::Thing")->find_member("text")->type->is_string());
}

TEST_P(Dwarf, TypesThatPointToThemselves)
{
    TypeRef node = debug.find_type("app::Node");
    for (int i = 0; i < 100; i++) {
        auto next = node->find_member("next");
        ASSERT_TRUE(next);
        node = next->type->target;
    }
    EXPECT_EQ(member(node, "value"), "16: integer 4 int signed");
}

TEST_P(Dwarf, ADeclaredStructureIsFoundWhereItIsDefined)
{
    auto info = program.function("opaque");
    EXPECT_EQ(member(info.parameters.at(0).type->target, "found"), "0: integer 4 int signed");
}

TEST_P(Dwarf, TypesByName)
{
    EXPECT_EQ(describe(debug.find_type("int")), "integer 4 int signed");
    EXPECT_EQ(describe(debug.find_type("app::ThingAlias")), "struct 200 ThingAlias");
    EXPECT_EQ(describe(debug.find_type("class app::Node")), "struct 24 struct Node");
    EXPECT_EQ(describe(debug.find_type(" struct app::Node ")), "struct 24 struct Node");
    EXPECT_EQ(describe(debug.find_type("app::Thing::Nested")), "struct 4 struct Nested");
    EXPECT_EQ(describe(debug.find_type("enum app::Color")), "integer 1 enum Color unsigned");
    EXPECT_FALSE(debug.find_type("Node"));
    EXPECT_FALSE(debug.find_type("struct"));
    EXPECT_FALSE(debug.find_type(""));
}

TEST_P(Dwarf, TypesOutliveTheDebugObject)
{
    TypeRef node;
    {
        Program other = Program::open(target(GetParam()));
        node = other.debug.find_type("app::Node");
    }
    EXPECT_EQ(member(node, "name"), "8: pointer 8 char *");
}

TEST(DwarfC, Functions)
{
    Program program = Program::open(target("dwarf_c"));
    auto handle = program.function("handle");
    EXPECT_EQ(slots(handle), "c:1, text:2, length:3, level:4, by:5");
    EXPECT_EQ(describe(handle.parameters[2].type), "integer 8 size_t unsigned");
    EXPECT_EQ(member(handle.parameters[0].type->target, "argc"), "24: integer 4 int signed");
    EXPECT_EQ(member(handle.parameters[0].type->target, "name"), "28: array 0 char[]");
    auto first = program.function("first");
    EXPECT_EQ(slots(first).substr(0, 27), "objects:1, bytes:2, flag:3,");
    EXPECT_EQ(first.parameters[4].slot, 4u);
    EXPECT_TRUE(first.parameters[1].type->is_string());
    auto nothing = program.function("nothing");
    EXPECT_TRUE(nothing.parameters.empty());
    EXPECT_FALSE(nothing.return_type);
    EXPECT_EQ(handle.last_slot, 5u);
    EXPECT_EQ(first.last_slot, 4u);
    EXPECT_EQ(nothing.last_slot, 0u);
}

TEST(DwarfC, WhatElseIsPassedIsNotKnownWithoutAPrototypeOrWithDots)
{
    Program program = Program::open(target("dwarf_c"));
    EXPECT_EQ(slots(program.function("variadic")), "format:1");
    EXPECT_FALSE(program.function("variadic").last_slot);
    EXPECT_EQ(slots(program.function("unprototyped")), "a:1, b:2");
    EXPECT_FALSE(program.function("unprototyped").last_slot);
}

TEST(DwarfC, TypedefsAndTags)
{
    Program program = Program::open(target("dwarf_c"));
    EXPECT_EQ(describe(program.debug.find_type("robj")), "struct 16 robj");
    EXPECT_EQ(describe(program.debug.find_type("struct object")), "struct 16 struct object");
    EXPECT_EQ(describe(program.debug.find_type("client")), "struct 32 struct client");
    EXPECT_FALSE(program.debug.find_type("struct robj"));
    EXPECT_EQ(member(program.debug.find_type("robj"), "lru"),
              "0: integer 4 unsigned int unsigned bits 8+24");
    TypeRef argv = program.debug.find_type("client")->find_member("argv")->type;
    EXPECT_EQ(member(argv->target->target, "refcount"), "4: integer 4 int signed");
}

TEST(DwarfC, AFunctionThatIsAlsoInlinedHasItsNamesElsewhere)
{
    Program program = Program::open(target("dwarf_c"));
    EXPECT_EQ(slots(program.function("doubled")), "number:1");
    EXPECT_EQ(program.function("doubled").last_slot, 1u);
}

TEST(DwarfC, WhatTheCompilerChangedIsBelieved)
{
    Program program = Program::open(target("dwarf_c"));
    auto functions = elf::find_functions(program.image, "changed*");
    ASSERT_TRUE(functions);
    if (functions->front().name == "changed")
        GTEST_SKIP() << "this compiler did not change it";
    auto info = program.debug.function_at(functions->front().vaddr);
    ASSERT_TRUE(info);
    EXPECT_FALSE(info->last_slot);
    for (const dwarf::Parameter &parameter : info->parameters) {
        if (parameter.name == "used")
            EXPECT_EQ(parameter.slot, 1u);
        else
            EXPECT_EQ(parameter.why, "an argument that the compiler removed or changed");
    }
}

TEST(DwarfFile, WithoutDebugInformationThereIsNothing)
{
    auto image = elf::Image::open("/bin/true");
    if (!image)
        GTEST_SKIP() << image.error().text;
    auto debug = dwarf::Debug::open(*image, "/bin/true", {.debug_files = false});
    ASSERT_TRUE(debug);
    EXPECT_FALSE(*debug);
}

TEST(DwarfFile, AssemblyHasNoTypes)
{
    char folder[] = "/tmp/dwarf_test.XXXXXX";
    ASSERT_TRUE(mkdtemp(folder));
    std::string command = fmt::format(
        "cd {} && printf '.text\\n.globl f\\n.type f,@function\\nf: ret\\n.size f,.-f\\n' | "
        "cc -x assembler -g -nostdlib -static -Wl,-e,f -o f - 2>/dev/null",
        folder);
    if (system(command.c_str()) != 0)
        GTEST_SKIP() << "no assembler";
    Program program = Program::open(fmt::format("{}/f", folder));
    auto found = elf::find_functions(program.image, "f");
    ASSERT_TRUE(found);
    EXPECT_FALSE(program.debug.function_at(found->front().vaddr));
    std::filesystem::remove_all(folder);
}

TEST(DwarfFile, TheSeparateDebugFileIsFound)
{
    char folder[] = "/tmp/dwarf_test.XXXXXX";
    ASSERT_TRUE(mkdtemp(folder));
    std::string command = fmt::format(
        "cd {} && objcopy --only-keep-debug {} x.debug 2>/dev/null && "
        "objcopy --strip-all --add-gnu-debuglink=x.debug {} x 2>/dev/null",
        folder, target("dwarf_c"), target("dwarf_c"));
    if (system(command.c_str()) != 0)
        GTEST_SKIP() << "no objcopy";
    std::string path = fmt::format("{}/x", folder);
    auto image = elf::Image::open(path);
    ASSERT_TRUE(image);
    auto debug = dwarf::Debug::open(*image, path);
    ASSERT_TRUE(debug) << debug.error().text;
    ASSERT_TRUE(*debug);
    EXPECT_EQ(describe((*debug)->find_type("struct client")), "struct 32 struct client");
    auto without = dwarf::Debug::open(*image, path, {.debug_files = false});
    ASSERT_TRUE(without);
    EXPECT_FALSE(*without);
    std::filesystem::remove_all(folder);
}
