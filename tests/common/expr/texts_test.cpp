// Texts within objects, and the search for a text within a text, in generated programs.
#include <gtest/gtest.h>

#include "support/expr_machine.h"

using namespace uscope;
using namespace uscope::expr;
using namespace uscope::test;

namespace {

// Does contains(VALUE, "wanted") hold, where `text` is at the address of path?
bool is_inside(const std::string &text, const std::string &wanted, const std::string &value)
{
    TestRequest request;
    request.predicate = "contains(" + value + ", \"" + wanted + "\")";
    Machine machine(request);
    machine.run.set_context(rsi, text_at);
    machine.run.set_context(rdi, text.size());
    machine.run.add_user_memory(text_at, text + std::string(1, '\0'));
    return machine.fire().size() == 1;
}

// Returns whether the condition is true, with path -> "hello" and $comm "worker".
bool is_true_of_hello(const std::string &condition)
{
    TestRequest request;
    request.predicate = condition;
    Machine machine(request);
    machine.run.set_context(rsi, text_at);
    machine.run.add_user_memory(text_at, std::string("hello\0", 6));
    return machine.fire().size() == 1;
}

TEST(Program, ComparesEnds)
{
    EXPECT_TRUE(is_true_of_hello("ends_with(path, \"lo\") && ends_with(path, \"hello\")"));
    EXPECT_FALSE(is_true_of_hello("ends_with(path, \"hell\") || ends_with(path, \"xhello\")"));
    EXPECT_TRUE(is_true_of_hello(
        "ends_with(str(path, 4), \"ell\") && !ends_with(str(path, 2), \"hello\")"));
    EXPECT_TRUE(is_true_of_hello("ends_with($comm, \"ker\") && !ends_with($comm, \"work\")"));
}

TEST(Program, ComparesAsCDoes)
{
    EXPECT_TRUE(is_true_of_hello("strcmp(path, \"hello\") == 0 && strcmp(path, \"hell\")"));
    EXPECT_TRUE(is_true_of_hello("!strncmp(path, \"help\", 3) && strncmp(path, \"help\", 4) != 0"));
    EXPECT_FALSE(is_true_of_hello("!strncmp(path, \"hell\", 5)"));
    EXPECT_TRUE(is_true_of_hello("memcmp(path, \"hel\") == 0 && memcmp(path, \"hex\", 2) == 0"));
    EXPECT_FALSE(is_true_of_hello("memcmp(path, \"hex\") == 0"));
}

TEST(Program, SearchesTheFirst512Bytes)
{
    for (const std::string value : {"path", "str(path, arg1)"}) {
        for (const std::string wanted : {"needle", "12345678", "a longer text of 24 byte"}) {
            for (size_t at : {0,   1,   7,   100, 110, 119, 120, 121, 122, 123, 124, 125,
                              126, 127, 128, 130, 230, 240, 250, 256, 330, 380, 450, 480}) {
                std::string text = std::string(at, '.') + wanted + "...";
                EXPECT_TRUE(is_inside(text, wanted, value)) << value << wanted << at;
                text.erase(at + wanted.size() - 1, 1);
                EXPECT_FALSE(is_inside(text, wanted, value)) << value << wanted << at;
                text = std::string(at, '.') + wanted.substr(0, wanted.size() - 1);
                EXPECT_FALSE(is_inside(text, wanted, value)) << value << wanted << at;
            }
        }
        EXPECT_TRUE(is_inside(std::string(506, '.') + "needle", "needle", value));
        EXPECT_FALSE(is_inside(std::string(507, '.') + "needle", "needle", value));
        EXPECT_TRUE(is_inside("nnneedle", "needle", value));
        EXPECT_TRUE(is_inside("x", "x", value));
        EXPECT_FALSE(is_inside("", "x", value));
        EXPECT_FALSE(is_inside(std::string(1000, '.') + "needle", "needle", value));
    }
}

TEST(Program, DoesNotFindWhatIsBehindTheEnd)
{
    EXPECT_FALSE(is_inside(std::string("head\0needle", 11), "needle", "path"));
    EXPECT_FALSE(is_inside("some needle", "needle", "str(path, 10)"));
    EXPECT_TRUE(is_inside("some needle", "needle", "str(path, 11)"));
}

// Puts `object` at the address in rdi, and a text at text_at.
std::string cpp_text(const std::string &variable, const std::string &object,
                     const std::string &text)
{
    TestRequest request;
    request.values = {{variable}};
    Machine machine(request);
    machine.run.set_context(rdi, node_at);
    machine.run.add_user_memory(node_at, object);
    machine.run.add_user_memory(text_at - 24, text);
    std::string record = machine.record();
    const Field &field = machine.field(0);
    output::Value value = read_field(field, Bytes(record), 80);
    return value.kind == output::Value::Kind::Text ? std::string(value.text) : "no text";
}

std::string object_of(std::initializer_list<uint64_t> values)
{
    std::string bytes;
    for (uint64_t value : values)
        bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
    return bytes;
}

TEST(Program, ReadsTheTextsOfCpp)
{
    std::string text = object_of({9, 9, 0}) + "some text, and more";
    EXPECT_EQ(cpp_text("string", object_of({text_at, 9, 0, 0}), text), "some text");
    EXPECT_EQ(cpp_text("view", object_of({4, text_at}), text), "some");
    EXPECT_EQ(cpp_text("chars", object_of({text_at, text_at + 6, 0}), text), "some t");
    EXPECT_EQ(cpp_text("old_string", object_of({text_at}), text), "some text");
    EXPECT_EQ(cpp_text("libcxx_string", object_of({33, 9, text_at}), text), "some text");
    std::string inside =
        "\x08"
        "four" +
        std::string(19, '\0');
    EXPECT_EQ(cpp_text("libcxx_string", inside, text), "four");
    EXPECT_EQ(cpp_text("string", object_of({text_at, 0, 0, 0}), text), "");
}

}  // namespace
