#include "spec/probe.h"
#include "base/format.h"

#include <gtest/gtest.h>

using namespace uscope::spec;

namespace {

// Returns all fields of the parsed probe in one line: kind|library|function or category|event|…
std::string describe(const Probe &p)
{
    std::string text(1, "prtu"[static_cast<int>(p.kind)]);
    text += "|" + p.library.text;
    if (p.kind == ProbeKind::Tracepoint || p.kind == ProbeKind::Usdt)
        text += "|" + p.category.text + "|" + p.event.text;
    else
        text += "|" + p.function.text;
    if (p.line.number)
        text += fmt::format("|line {} of {}", p.line.number, p.line.file);
    if (p.is_address)
        text += "|address";
    if (p.empty_parentheses)
        text += "|()";
    if (p.offset)
        text += fmt::format("|+{}", p.offset);
    for (const Parameter &parameter : p.signature)
        text += fmt::format("|<{}>{}", parameter.type, parameter.name);
    if (!p.predicate.text.empty())
        text += "|if " + p.predicate.text;
    if (p.has_format)
        text += "|\"" + p.format.text + "\"|" + p.values.text;
    return text;
}

std::string parse(std::string_view text)
{
    auto probe = parse_probe(text);
    if (!probe)
        return fmt::format("{}: {}", probe.error().column, probe.error().text);
    return describe(*probe);
}

std::string location(std::string_view text)
{
    auto probe = parse_location(text);
    if (!probe)
        return fmt::format("{}: {}", probe.error().column, probe.error().text);
    return describe(*probe);
}

void expect_error(std::string_view text, size_t column, std::string_view words)
{
    auto probe = parse_probe(text);
    ASSERT_FALSE(probe) << text;
    EXPECT_EQ(probe.error().column, column) << text << "\n" << probe.error().text;
    EXPECT_NE(probe.error().text.find(words), std::string::npos) << probe.error().text;
    EXPECT_EQ(probe.error().source, text);
    EXPECT_EQ(probe.error().kind, uscope::Error::Kind::Usage);
}

TEST(Written, IsReadAsTheSameName)
{
    for (const char *name : {"order__placed", "it's", "\"quoted\"", "'quoted'", "with a blank",
                             "f(int)", "a<b", "a::b", "{x}"}) {
        auto probe = parse_probe("u:file:" + written(name));
        ASSERT_TRUE(probe) << name << ": " << probe.error().text;
        EXPECT_EQ(probe->event.text, name);
    }
    EXPECT_EQ(written("plain"), "plain");
    EXPECT_EQ(written("[both'\"]"), "\"?both'?]\"");  // a glob that matches the name
}

}  // namespace

TEST(Probe, FormsThatPeopleCopyFromBooks)
{
    EXPECT_EQ(parse(R"(/usr/bin/redis-server:createStringObject "%s" arg1)"),
              R"(p|/usr/bin/redis-server|createStringObject|"%s"|arg1)");
    EXPECT_EQ(parse(R"(u:/usr/lib/jvm/lib/server/libjvm.so:class__loaded "%s", arg1)"),
              R"(u|/usr/lib/jvm/lib/server/libjvm.so||class__loaded|"%s"|arg1)");
    EXPECT_EQ(
        parse(R"_(u:node:http__server__request "%s %s (from %s:%d)" arg5, arg6, arg3, arg4)_"),
        R"_(u|node||http__server__request|"%s %s (from %s:%d)"|arg5, arg6, arg3, arg4)_");
    EXPECT_EQ(parse(R"(t:syscalls:sys_enter_openat "%s" args->filename)"),
              R"(t||syscalls|sys_enter_openat|"%s"|args->filename)");
    EXPECT_EQ(parse(R"(c:open (arg2 == 42) "%s %d", arg1, arg2)"),
              R"(p|c|open|if arg2 == 42|"%s %d"|arg1, arg2)");
    EXPECT_EQ(parse(R"(r:bash:readline "%s", retval)"), R"(r|bash|readline|"%s"|retval)");
    EXPECT_EQ(parse(R"(r:c:malloc(size_t size) (retval == 0 && size > 10) "x")"),
              R"(r|c|malloc|<size_t>size|if retval == 0 && size > 10|"x"|)");
    EXPECT_EQ(parse(R"(p::do_sys_open(int dfd, const char *filename) "%s" filename)"),
              R"(p||do_sys_open|<int>dfd|<const char *>filename|"%s"|filename)");
    EXPECT_EQ(parse(R"(./hi:fmt.Println "%s" arg1)"), R"(p|./hi|fmt.Println|"%s"|arg1)");
    EXPECT_EQ(parse("uprobe:/usr/sbin/mysqld:dispatch_command"),
              "p|/usr/sbin/mysqld|dispatch_command");
}

TEST(Probe, KindsAndTheirParts)
{
    EXPECT_EQ(parse("vfs_read"), "p||vfs_read");
    EXPECT_EQ(parse("p::vfs_read"), "p||vfs_read");
    EXPECT_EQ(parse("r::vfs_read"), "r||vfs_read");
    EXPECT_EQ(parse(":c:open"), "p|c|open");
    EXPECT_EQ(parse("p:c:open"), "p|c|open");
    EXPECT_EQ(parse("u::probe"), "u|||probe");
    EXPECT_EQ(parse("u::provider:probe"), "u||provider|probe");
    EXPECT_EQ(parse("u:c:provider:probe"), "u|c|provider|probe");
    EXPECT_EQ(parse("kprobe:vfs_read"), "p||vfs_read");
    EXPECT_EQ(parse("kretprobe:vfs_read"), "r||vfs_read");
    EXPECT_EQ(parse("uretprobe:/bin/bash:readline"), "r|/bin/bash|readline");
    EXPECT_EQ(parse("usdt:/bin/x:provider:probe"), "u|/bin/x|provider|probe");
    EXPECT_EQ(parse("tracepoint:sched:sched_switch"), "t||sched|sched_switch");
}

TEST(Probe, ALibraryMayBeCalledLikeAKindIfTheKindIsSaid)
{
    EXPECT_EQ(parse("p:t:f"), "p|t|f");
    EXPECT_EQ(parse("pthread:f"), "p|pthread|f");
}

TEST(Probe, Globs)
{
    EXPECT_EQ(parse("c:str*"), "p|c|str*");
    EXPECT_EQ(parse("c:mem[cs]??"), "p|c|mem[cs]??");
    EXPECT_EQ(parse("u:*:gc__*"), "u|*||gc__*");
    EXPECT_EQ(parse("t:sched:*"), "t||sched|*");
    EXPECT_EQ(parse("app:ns::*::f(*)"), "p|app|ns::*::f(*)");
}

TEST(Probe, OffsetsAndAddresses)
{
    EXPECT_EQ(parse("c:open+0x10"), "p|c|open|+16");
    EXPECT_EQ(parse("vfs_read+4 (arg1)"), "p||vfs_read|+4|if arg1");
    EXPECT_EQ(parse("app:ns::f(int)+8"), "p|app|ns::f(int)|+8");
    EXPECT_EQ(parse("/bin/x:lib/a.c:120"), "p|/bin/x|lib/a.c:120|line 120 of lib/a.c");
    EXPECT_EQ(parse("p:x:a.cpp:7 (n == 1)"), "p|x|a.cpp:7|line 7 of a.cpp|if n == 1");
    EXPECT_EQ(parse("c:x::f::g"), "p|c|x::f::g");
    EXPECT_EQ(parse("'/bin/x:a.c':120"), "p|/bin/x:a.c|120|address");
    expect_error("r:x:a.c:7", 8, "a source line has no return");
    expect_error("x:a.c:0", 6, "lines begin at 1");
    EXPECT_EQ(parse("p:/bin/x:0x1234"), "p|/bin/x|0x1234|address");
    EXPECT_EQ(parse("r:/bin/x:0x1234"), "r|/bin/x|0x1234|address");
    EXPECT_EQ(parse("/bin/x:operator+"), "p|/bin/x|operator+");
    expect_error("/bin/x:0x1234+4", 7, "is not a function");
}

TEST(Probe, FunctionsByTheAddressOfTheirStart)
{
    EXPECT_EQ(parse("/bin/x:+0x349f"), "p|/bin/x|+0x349f");
    EXPECT_EQ(parse("r:/bin/x:+0x349f"), "r|/bin/x|+0x349f");
    EXPECT_EQ(parse("/usr/bin/g++:+0x349f"), "p|/usr/bin/g++|+0x349f");
    EXPECT_EQ(parse("/bin/x:'+0x349f'"), "p|/bin/x|+0x349f");
    EXPECT_EQ(parse("/bin/x:+*"), "p|/bin/x|+*");
    EXPECT_EQ(parse("/bin/x:+0x349f+0x10"), "p|/bin/x|+0x349f|+16");
    EXPECT_EQ(parse("/bin/x:+0x349f(int n) (n > 1)"), "p|/bin/x|+0x349f|<int>n|if n > 1");
    expect_error("r:/bin/x:+0x349f+0x10", 16, "only an entry probe can have an offset");
    expect_error("/bin/x:+start", 7, "after '+' comes the address");
    expect_error("/bin/x:+", 7, "after '+' comes the address");
    expect_error("+0x349f", 0, "add a file: FILE:+0x349f");
    expect_error("p::+*", 3, "add a file: FILE:+*");
}

TEST(Probe, APathMayHoldColons)
{
    EXPECT_EQ(parse("/path/with:colon:f"), "p|/path/with:colon|f");
    EXPECT_EQ(parse("u:'/path/with:colon':probe"), "u|/path/with:colon||probe");
}

TEST(Probe, QuotesForceAPart)
{
    EXPECT_EQ(parse("p:lib:'odd name'"), "p|lib|odd name");
    EXPECT_EQ(parse("'/my dir/a(b':f"), "p|/my dir/a(b|f");
    EXPECT_EQ(parse(R"(u:x:'"quoted"' "%d" arg1)"), R"(u|x||"quoted"|"%d"|arg1)");
    EXPECT_EQ(parse("/x:'type:.eq.main.T'"), "p|/x|type:.eq.main.T");
    EXPECT_EQ(parse("'odd name'+0x10"), "p||odd name|+16");
    EXPECT_EQ(parse("'a+1'"), "p||a+1");
    EXPECT_EQ(parse("p:lib:'odd name'(int x)"), "p|lib|odd name|<int>x");
}

TEST(Probe, CppNames)
{
    EXPECT_EQ(parse("r:./app:ns::Class::f(int, char const*) const (retval == 0)"),
              "r|./app|ns::Class::f(int, char const*) const|if retval == 0");
    EXPECT_EQ(parse("app:foo<int, a::b>::bar"), "p|app|foo<int, a::b>::bar");
    EXPECT_EQ(parse("app:f(std::vector<int, std::allocator<int> >&, unsigned long)"),
              "p|app|f(std::vector<int, std::allocator<int> >&, unsigned long)");
    EXPECT_EQ(parse("app:(anonymous namespace)::f(int)"), "p|app|(anonymous namespace)::f(int)");
    EXPECT_EQ(parse("app:ns::(anonymous namespace)::C::~C()"),
              "p|app|ns::(anonymous namespace)::C::~C|()");
    EXPECT_EQ(parse("app:main::{lambda(int)#1}::operator()(int) const"),
              "p|app|main::{lambda(int)#1}::operator()(int) const");
    EXPECT_EQ(parse("app:main(int)::{lambda()#1}::operator()() const"),
              "p|app|main(int)::{lambda()#1}::operator()() const");
    EXPECT_EQ(parse("app:f[abi:cxx11](int)"), "p|app|f[abi:cxx11](int)");
    EXPECT_EQ(parse("app:f(void (*)(int), int (&) [3])"), "p|app|f(void (*)(int), int (&) [3])");
    EXPECT_EQ(parse("app:f(int) [clone .cold] (arg1)"), "p|app|f(int) [clone .cold]|if arg1");
}

TEST(Probe, CppOperators)
{
    EXPECT_EQ(parse("app:S::operator<<(int)"), "p|app|S::operator<<(int)");
    EXPECT_EQ(parse("app:S::operator->"), "p|app|S::operator->");
    EXPECT_EQ(parse("app:S::operator()(int) (arg1)"), "p|app|S::operator()(int)|if arg1");
    EXPECT_EQ(parse("app:operator new[](unsigned long) \"%d\" arg1"),
              "p|app|operator new[](unsigned long)|\"%d\"|arg1");
    EXPECT_EQ(parse("app:S::operator bool (arg1 > 3)"), "p|app|S::operator bool|if arg1 > 3");
    EXPECT_EQ(parse("app:S::operator std::vector<int, A>() const"),
              "p|app|S::operator std::vector<int, A>() const");
    EXPECT_EQ(parse("app:operator\"\" _kb(unsigned long long)"),
              "p|app|operator\"\" _kb(unsigned long long)");
    EXPECT_EQ(parse("app:std::operator<< <char>(int)"), "p|app|std::operator<< <char>(int)");
    EXPECT_EQ(parse("app:my_operator"), "p|app|my_operator");
}

TEST(Probe, GoNames)
{
    EXPECT_EQ(parse("/x:main.(*T).Do (arg2 > 0)"), "p|/x|main.(*T).Do|if arg2 > 0");
    EXPECT_EQ(parse("r:/x:net/http.(*Transport).roundTrip"),
              "r|/x|net/http.(*Transport).roundTrip");
    EXPECT_EQ(parse("/x:main.(*T).Do.func1"), "p|/x|main.(*T).Do.func1");
    EXPECT_EQ(parse("/x:main.foo[...]"), "p|/x|main.foo[...]");
    EXPECT_EQ(parse("/x:main.Map[go.shape.int,go.shape.string] \"x\""),
              "p|/x|main.Map[go.shape.int,go.shape.string]|\"x\"|");
}

TEST(Probe, RustNames)
{
    EXPECT_EQ(parse("/x:<T as Trait>::f"), "p|/x|<T as Trait>::f");
    EXPECT_EQ(parse("/x:<&'a [u8] as core::fmt::Debug>::fmt (arg1)"),
              "p|/x|<&'a [u8] as core::fmt::Debug>::fmt|if arg1");
    EXPECT_EQ(parse("/x:<fn() -> T as core::ops::Fn>::call"),
              "p|/x|<fn() -> T as core::ops::Fn>::call");
    EXPECT_EQ(parse("/x:app::main::{{closure}}"), "p|/x|app::main::{{closure}}");
}

TEST(Probe, ParametersWithNamesAreASignature)
{
    EXPECT_EQ(parse("c:f(const char *s, size_t n)"), "p|c|f|<const char *>s|<size_t>n");
    EXPECT_EQ(parse("c:f(struct client *c, unsigned long long x)"),
              "p|c|f|<struct client *>c|<unsigned long long>x");
    EXPECT_EQ(parse("app:ns::f(std::string const& s, int &&x)"),
              "p|app|ns::f|<std::string const*>s|<int *>x");
    EXPECT_EQ(parse("c:f(char *argv[], char name[16])"), "p|c|f|<char **>argv|<char *>name");
    EXPECT_EQ(parse("c:qsort(void *b, int (*compare)(const void *, const void *))"),
              "p|c|qsort|<void *>b|<void *>compare");
    EXPECT_EQ(parse("c:printf(const char *fmt, ...)"), "p|c|printf|<const char *>fmt");
    EXPECT_EQ(parse("c:f(int, char *s)"), "p|c|f|<int>|<char *>s");
    EXPECT_EQ(parse("c:f(int x)(x > 3)"), "p|c|f|<int>x|if x > 3");
    EXPECT_EQ(parse("c:f+4(int x)"), "p|c|f|+4|<int>x");
    EXPECT_EQ(parse("c:f(unsigned x, long y)"), "p|c|f|<unsigned>x|<long>y");
}

TEST(Probe, TypesAloneBelongToTheName)
{
    for (const char *name :
         {"f(int)", "f(unsigned long)", "f(char const*)", "f(Foo const)", "f(struct foo)",
          "f(a::b<c>, d)", "f(char const*, ...)", "f(size_t)", "f(char [16])"})
        EXPECT_EQ(parse(fmt::format("app:{}", name)), fmt::format("p|app|{}", name));
}

TEST(Probe, TheKernelHasNoOverloads)
{
    EXPECT_EQ(parse("p::vfs_read(struct file *, char *)"), "p||vfs_read");
}

TEST(Probe, EmptyParentheses)
{
    EXPECT_EQ(parse("c:getpid()"), "p|c|getpid|()");
    EXPECT_EQ(parse("c:getpid(void) (arg1)"), "p|c|getpid|()|if arg1");
    EXPECT_EQ(parse("app:C::f() const"), "p|app|C::f() const");
}

TEST(Probe, AConditionNeedsNoBlankWhenItIsNoParameterList)
{
    EXPECT_EQ(parse("c:open(arg1==2)"), "p|c|open|if arg1==2");
    EXPECT_EQ(parse("c:open(arg1<3)"), "p|c|open|if arg1<3");
    EXPECT_EQ(parse("c:open(arg1)"), "p|c|open|if arg1");
    EXPECT_EQ(parse("c:open(arg1&&arg2)"), "p|c|open|if arg1&&arg2");
    EXPECT_EQ(parse("c:open(!x)"), "p|c|open|if !x");
    EXPECT_EQ(parse("r:c:open(retval > 0)\"%d\" retval"), "r|c|open|if retval > 0|\"%d\"|retval");
    EXPECT_EQ(parse("c:open(STRCMP(\"a(b\", arg1))"), "p|c|open|if STRCMP(\"a(b\", arg1)");
}

TEST(Probe, QuotesAndParenthesesInsideAConditionMatch)
{
    EXPECT_EQ(parse(R"_(c:open (arg1 == "a)b\")" && (c == ')')) "%d", f(1, (2)))_"),
              R"_(p|c|open|if arg1 == "a)b\")" && (c == ')')|"%d"|f(1, (2)))_");
}

TEST(Probe, EscapesStayInTheFormat)
{
    EXPECT_EQ(parse(R"(c:open "a \"b\"\n" , arg1 )"), R"(p|c|open|"a \"b\"\n"|arg1)");
}

TEST(Probe, EachPieceIsWhereItsColumnSays)
{
    std::string_view text = R"(  r:'/a b':ns::f(int) ( arg1 == 1 )  "%d %s" ,  x->y, z )";
    auto probe = parse_probe(text);
    ASSERT_TRUE(probe);
    for (const Piece &piece :
         {probe->library, probe->function, probe->predicate, probe->format, probe->values}) {
        EXPECT_FALSE(piece.text.empty());
        EXPECT_EQ(text.substr(piece.column, piece.text.size()), piece.text);
    }
    EXPECT_EQ(probe->source, text);
    EXPECT_EQ(probe->predicate.text, "arg1 == 1");
    EXPECT_EQ(probe->values.text, "x->y, z");
}

TEST(ProbeError, MissingParts)
{
    expect_error("", 0, "a probe is missing");
    expect_error("u:probe", 2, "u:FILE:PROBE");
    expect_error("t:sched_switch", 2, "t:CATEGORY:EVENT");
    expect_error("t::event", 2, "t:CATEGORY:EVENT");
    expect_error("p:open", 2, "p:FILE:FUNCTION");
    expect_error("r:ns::f", 2, "r:FILE:FUNCTION");
    expect_error("c:", 2, "c:open");
    expect_error("p::", 3, "function's name is missing");
    expect_error("u:x:", 4, "u:FILE:PROBE");
    expect_error("/bin/bash", 9, "/bin/bash:FUNCTION");
    expect_error("ns::f(int)", 0, "FILE:ns::f");
    expect_error("u:a:b:c:d", 8, "quotes around");
}

TEST(ProbeError, Unclosed)
{
    expect_error("p:c:'open", 4, "quote is not closed");
    expect_error("c:f(int", 3, "'(' is not closed");
    expect_error("c:f<int", 3, "'<' is not closed");
    expect_error("c:f (arg1 == (1)", 4, "'(' is not closed");
    expect_error("c:f (arg1 == \"x)", 13, "quote is not closed");
    expect_error("c:f \"%s, arg1", 4, "format is not closed");
}

TEST(ProbeError, OffsetsWhereThereAreNone)
{
    expect_error("r:c:open+4", 8, "only an entry probe");
    expect_error("p::0x1234", 3, "an address needs a file: FILE:0x1234");
    expect_error("p:c:0x1234+4", 4, "an address needs a file: FILE:0x1234");
}

TEST(ProbeError, NoSignatureForTracepointsAndUsdt)
{
    expect_error("t:a:b(int x)", 5, "a tracepoint has no parameter list");
    expect_error("u:a:b()", 5, "a USDT probe has no parameter list");
}

TEST(ProbeError, TwoParametersOfOneName)
{
    expect_error("c:f(int a, int a)", 15, "two parameters are named a");
    expect_error("c:f( char *text, size_t n, int (*text)(int)) \"%s\" text", 33, "named text");
}

TEST(ProbeError, WhatComesAfter)
{
    expect_error("c:open arg1", 7, "as in c:open (arg2 == 42)");
    expect_error("c:open 'x'", 7, "double quotes");
    expect_error("c:open (arg1) && (arg2)", 14, "(arg1 > 10 && arg2)");
    expect_error("c:open ()", 7, "an empty condition");
    expect_error("c:open \"%d\",", 12, "value is missing after the comma");
    expect_error("c:open(arg1==2)x", 15, "format in quotes");
}

TEST(Location, IsTheNamesAlone)
{
    EXPECT_EQ(location("c:str*"), "p|c|str*");
    EXPECT_EQ(location("r:app:ns::f(int) "), "r|app|ns::f(int)");
    EXPECT_EQ(location("u:c:x"), "u|c||x");
}

TEST(Location, RefusesTheRest)
{
    EXPECT_EQ(location("c:open (arg1)"), "7: expected nothing more after c:open");
    EXPECT_EQ(location("c:f(int x)").substr(0, 23), "3: a list of parameters");
}
