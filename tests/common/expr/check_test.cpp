// The errors for mistakes in expressions: their texts, and the columns of their carets.
#include "expr/check.h"

#include <gtest/gtest.h>

#include "base/format.h"
#include "expr/program.h"
#include "support/expr_program.h"

using namespace uscope;
using namespace uscope::expr;
using uscope::test::TestRequest;

namespace {

struct Mistake {
    const char *text;
    size_t column;
    const char *message_part;
};

void expect_mistake(TestRequest &request, const Mistake &mistake)
{
    auto program = request.compile();
    ASSERT_FALSE(program.has_value()) << mistake.text;
    EXPECT_EQ(program.error().column, mistake.column)
        << mistake.text << ": " << program.error().text;
    EXPECT_NE(program.error().text.find(mistake.message_part), std::string::npos)
        << mistake.text << ": " << program.error().text;
    EXPECT_EQ(program.error().source, request.request.source);
}

TEST(Check, PointsAtWhatIsWrong)
{
    std::string long_text(257, 'x');
    std::string too_long = "path == \"" + long_text + "\"";
    for (const Mistake &mistake : std::initializer_list<Mistake>{
             {"arg1 + pth", 7, "did you mean"},
             {"p->idd", 3, "did you mean id"},
             {"arg1->id", 6, "cast it"},
             {"i[2]", 1, "cast it"},
             {"*arg1", 0, "cast it"},
             {"(struct nod *)arg1 && ((struct nod *)arg1)->id", 44, "not known"},
             {"(struct nod)arg1", 0, "unknown type"},
             {"sizeof(struct nod)", 0, "unknown type"},
             {"(struct node)arg1", 0, "cannot convert"},
             {"p->real > 1", 3, "double"},
             {"p->inner == 1", 3, "struct inner"},
             {"*p", 0, "struct node"},
             {"odd == 1", 0, "xmm0"},
             {"odd == \"x\"", 0, "xmm0"},
             {"1 + odd", 4, "xmm0"},
             {"arg1 / 0", 5, "division by zero"},
             {"i % (3 - 3)", 2, "division by zero"},
             {"1 / (i - i / 0)", 11, "division by zero"},
             {"i << 32", 5, "from 0 to 31"},
             {"l >> -1", 5, "from 0 to 63"},
             {"1 + (h << (8 * 4))", 13, "from 0 to 31"},
             {"arg1 << 64", 8, "from 0 to 63"},
             {"str(path, -1) == \"x\"", 10, "negative"},
             {"buf(path, 2 - 3) == \"x\"", 12, "negative"},
             {"p + p", 2, "two pointers"},
             {"5 - p", 2, "subtracted"},
             {"path == \"a\\0b\"", 8, "NUL"},
             {too_long.c_str(), 8, "256"},
             {"$comm == \"a command's name\"", 9, "15 bytes"},
             {"p->name == \"more than sixteen\"", 11, "16 bytes"},
             {"starts_with(path, \"\")", 18, "empty"},
             {"i == \"x\"", 0, "not a pointer"},
             {"p->list == \"x\"", 3, "array of short"},
             {"\"a\" == \"b\"", 7, "both sides"},
             {"\"a\"", 0, "compared"},
             {"$comm + 1", 0, "cannot calculate"},
             {"$latency > 5", 0, "return"},
             {"$entry(arg1)", 0, "return"},
             {"str()", 0, "1 or 2"},
             {"strr(path)", 0, "did you mean str"},
             {"STRCMP(path, arg1)", 0, "\"text\""},
             {"reg(rsp)", 4, "quotes"},
             {"reg(\"xyz\")", 4, "no register"},
             {"ctx->zz", 5, "no register"},
         }) {
        TestRequest request;
        request.predicate = mistake.text;
        expect_mistake(request, mistake);
    }
}

// A probe's text must be valid at all of its sites. So a mistake that depends on a constant which
// an argument has at one site is no error of the text; it appears only at run time.
TEST(Check, TakesConstantsOfOneSiteAsTheyAre)
{
    for (const char *text : {"1 / (seven - 7)", "1 % (seven - 7)", "1 << (seven + 90)",
                             "str(path, seven - 8) == \"x\""}) {
        TestRequest request;
        request.predicate = text;
        auto program = request.compile();
        EXPECT_TRUE(program.has_value()) << text << ": " << program.error().text;
    }
}

TEST(Check, PassesOnWhyANameHasNoValue)
{
    TestRequest request;
    request.scope.find = [](std::string_view name) -> Result<std::optional<Variable>> {
        return fail("{} is not available on return: use $entry({})", name, name);
    };
    request.predicate = "1 + arg2";
    expect_mistake(request, {"", 4, "use $entry(arg2)"});
}

TEST(Check, NamesTheFieldsOfATracepoint)
{
    for (const Mistake &mistake : std::initializer_list<Mistake>{
             {"args->nrr", 6, "no field nrr, did you mean nr"},
             {"nrr", 0, "nothing is named nrr here, did you mean args->nr"},
             {"comm", 0, "did you mean args->comm, "},
             {"args->values[arg1]", 13, "nothing is named"},
             {"args->values[args->nr]", 19, "constant"},
             {"args->values[2]", 13, "no such element"},
             {"args->comm == \"more than twelve\"", 14, "12 bytes"},
             {"reg(\"rsp\")", 0, "no registers"},
         }) {
        TestRequest request;
        request.scope = test::tracepoint_scope();
        request.predicate = mistake.text;
        expect_mistake(request, mistake);
    }
}

TEST(Check, RefusesTooDeepAStack)
{
    std::string text = "p->id";
    for (int i = 0; i < 50; i++)
        text = "(p->id - " + text + ")";
    TestRequest request;
    request.predicate = text;
    auto program = request.compile();
    ASSERT_FALSE(program.has_value());
    EXPECT_NE(program.error().text.find("512 bytes of stack"), std::string::npos);
}

TEST(Check, RefusesStringsBeyondTheLimit)
{
    TestRequest request;
    request.request.string_bytes = 65537;
    EXPECT_FALSE(request.compile().has_value());
}

// Returns the size and signedness of an expression's type, such as "4s" or "8u"; or the error.
std::string type_of(const char *text)
{
    TestRequest request;
    request.values = {{text, ValueForm::Integer}};
    auto program = request.compile();
    if (!program)
        return program.error().text;
    const Field &field = program->layouts[0].fields[0];
    return fmt::format("{}{}", field.size, field.is_signed ? "s" : "u");
}

TEST(Check, TypesAsCDoes)
{
    EXPECT_EQ(type_of("h + b"), "4s");
    EXPECT_EQ(type_of("h"), "2s");
    EXPECT_EQ(type_of("i + u"), "4u");
    EXPECT_EQ(type_of("l + u"), "8s");
    EXPECT_EQ(type_of("l + arg1"), "8u");
    EXPECT_EQ(type_of("h << l"), "4s");
    EXPECT_EQ(type_of("arg1 == l"), "4s");
    EXPECT_EQ(type_of("1 ? i : l"), "8s");
    EXPECT_EQ(type_of("(char)l"), "1s");
    EXPECT_EQ(type_of("p + 1"), "8u");
    EXPECT_EQ(type_of("p - p"), "8s");
    EXPECT_EQ(type_of("sizeof(int)"), "8u");
}

TEST(Check, AParameterNamedCtxIsAnOrdinaryName)
{
    TestRequest request;
    request.scope.find = [](std::string_view name) {
        return Result<std::optional<Variable>>(test::test_variable(name == "ctx" ? "p" : name));
    };
    request.predicate = "ctx->id == 5";
    EXPECT_TRUE(request.compile().has_value());
    request.predicate = "ctx->ax == 5";
    EXPECT_FALSE(request.compile().has_value());
    TestRequest registers;
    registers.predicate = "ctx->ax == 5 && ctx->orig_ax == 1 && reg(\"eax\") == 2";
    EXPECT_TRUE(registers.compile().has_value());
}

}  // namespace
