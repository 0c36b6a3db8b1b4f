#include "elf/demangle.h"

#include <gtest/gtest.h>

#include "base/format.h"

namespace uscope::elf {
namespace {

TEST(Demangle, ReadsCpp)
{
    EXPECT_EQ(demangle("_Z16dispatch_command19enum_server_commandP3THDPcjb"),
              "dispatch_command(enum_server_command, THD*, char*, unsigned int, bool)");
    EXPECT_EQ(demangle("_ZN12_GLOBAL__N_11fEi"), "(anonymous namespace)::f(int)");
}

TEST(Demangle, LeavesOutTheReturnType)
{
    EXPECT_EQ(demangle("_Z1fIiET_S0_"), "f<int>(int)");
    EXPECT_EQ(demangle_with_return_type("_Z1fIiET_S0_"), "int f<int>(int)");
}

TEST(Demangle, NamesTheBodyOfACoroutineAsTheCoroutine)
{
    EXPECT_EQ(demangle("_ZN3app1S3runEPZNKS0_3runElE22_ZNK3app1S3runEl.Frame.actor"),
              "app::S::run(long) const [clone .actor]");
    EXPECT_EQ(demangle("_ZN3app5Shape4drawEPNS0_27_ZNK3app5Shape4drawEl.FrameE.actor"),
              "app::Shape::draw(long) const [clone .actor]");
    EXPECT_EQ(demangle("_ZZ4mainENUliE_clEPZZ4mainENKS_clEiE26_ZZ4mainENKUliE_clEi.Frame.destroy"),
              "main::{lambda(int)#1}::operator()(int) const [clone .destroy]");
    EXPECT_EQ(demangle("f.Frame.actor"), "f.Frame.actor");
}

TEST(Demangle, ReadsRustWithoutTheHash)
{
    EXPECT_EQ(demangle("_ZN5serve3net6Server6accept17h2f9a7c41d05e8b36E"),
              "serve::net::Server::accept");
    EXPECT_EQ(demangle("_RNvNtCs4fqI2P2rA04_5serve4disk5flush"), "serve::disk::flush");
}

// The v0 names are from rustc 1.95.0; the texts are those of the crate rustc-demangle, except that
// the brackets of inherent methods are removed.
TEST(Demangle, ReadsRustNamesOfBothManglings)
{
    EXPECT_EQ(demangle("_RINvMs5_NtCs779nruZdk0e_3zoo3netINtB6_4RingtKj4_E3mapyNCNvB8_4main0EB8_"),
              "zoo::net::Ring<u16, 4>::map::<u64, zoo::main::{closure#0}>");
    EXPECT_EQ(demangle("_ZN3zoo3net17Ring$LT$T$C$_$GT$3map17h6cbd1ec56a00964bE"),
              "zoo::net::Ring<T,_>::map");
    EXPECT_EQ(demangle("_RNvXs2_NtCs779nruZdk0e_3zoo3netINtB5_4RingtKj4_ENtB5_7Handler6handleB7_"),
              "<zoo::net::Ring<u16, 4> as zoo::net::Handler>::handle");
    EXPECT_EQ(demangle("_RNvNtCs779nruZdk0e_3zoo3netu13gnralit_byabf"),
              "zoo::net::g\u00e9n\u00e9ralit\u00e9");
    EXPECT_EQ(demangle("_RINvNtCs779nruZdk0e_3zoo3net5sizedKj5_Kb1_Kc78_Kln3_EB4_"),
              "zoo::net::sized::<5, true, 'x', -3>");
    EXPECT_EQ(demangle("_RNSNvYNCNvCs779nruZdk0e_3zoo4mains_0INtNtNtCsgEmfK2I1SDS_4core3ops8"
                       "function6FnOnceTmEE9call_once6vtableB8_"),
              "<zoo::main::{closure#1} as core::ops::function::FnOnce<(u32,)>>::call_once"
              "::{shim:vtable#0}");
}

TEST(Demangle, NamesAnInherentMethodInAnotherModuleByItsType)
{
    EXPECT_EQ(demangle("_RNvMs_Cs779nruZdk0e_3zooNtNtB4_3net6Server9elsewhere"),
              "zoo::net::Server::elsewhere");
    EXPECT_EQ(demangle("_ZN3zoo34_$LT$impl$u20$zoo..net..Server$GT$9elsewhere17h2e7f86a804e659eaE"),
              "zoo::net::Server::elsewhere");
}

struct RustForms {
    const char *mangled, *plain;
};

TEST(PlainRustName, IsTheSameForBothManglings)
{
    for (auto [mangled, plain] : std::initializer_list<RustForms>{
             {"<a::T<u8, 4>>::f", "a::T<u8, 4>::f"},
             {"b::<impl a::T>::f::{{closure}}", "a::T::f::{{closure}}"},
             {"<[u8]>::f", "<[u8]>::f"},
             {"b::<impl [T]>::f", "<[T]>::f"},
             {"<dyn a::T>::f", "<dyn a::T>::f"},
             {"<fn() -> u8>::f", "<fn() -> u8>::f"},
             {"b::<impl a::Trait<X> for u32>::f", "<u32 as a::Trait<X>>::f"},
             {"<a::T as b::Trait>::f", "<a::T as b::Trait>::f"},
             {"a::f::<<a::T>::g>", "a::f::<<a::T>::g>"},
             {"<a::T", "<a::T"},
             {"b::<impl ", "b::<impl "},
             {"<>", "<>"},
         })
        EXPECT_EQ(plain_rust_name(mangled), plain);
}

TEST(TraitOf, IsTheTraitWithItsArguments)
{
    EXPECT_EQ(trait_of("<a::T<<u8 as b::C>::D> as a::Trait<u8>>::f::<u8>"), "a::Trait<u8>");
    EXPECT_EQ(trait_of("<[u8]>::f"), "");
    EXPECT_EQ(trait_of("a::f"), "");
}

TEST(Demangle, ReadsD)
{
    EXPECT_EQ(demangle("_D4main3addFiiZi"), "main.add(int, int)");
    EXPECT_EQ(demangle("_D4main5Stack4pushMFiZv"), "main.Stack.push(int)");
    EXPECT_EQ(demangle("_D4main__T3maxTiZQhFNaNbNiNfiiZi"), "main.max!(int).max(int, int)");
}

TEST(Demangle, GivesUpOnDNamesThatGrowForEver)
{
    std::string deep = "_D1fF" + std::string(100000, 'P') + "iZv";
    EXPECT_EQ(demangle(deep), deep);
    std::string doubling = "_D1fF";
    for (int i = 0; i < 100; i++)
        doubling += "QbQc";
    EXPECT_EQ(demangle(doubling + "Zv"), doubling + "Zv");
}

TEST(Demangle, GivesBackWhatIsNotMangled)
{
    for (auto name : {"main", "", "_Z", "_R", "_D", "_Dmain", "_D4", "_DYNAMIC", "_Zzz",
                      "main.(*T).Do", "_start", "Z1fv"})
        EXPECT_EQ(demangle(name), name);
}

TEST(Demangle, DoesNotNeedATerminator)
{
    EXPECT_EQ(demangle(std::string_view("_Z1fiX").substr(0, 5)), "f(int)");
}

TEST(Demangle, GivesUpOnNamesThatNestForEver)
{
    std::string deep = "_Z1f" + std::string(100000, 'P') + "i";
    EXPECT_EQ(demangle(deep), deep);
}

// Returns the mangled name of f(A<int, int>, A<A<int, int>, A<int, int>>, …): each parameter has
// the previous one twice, so that its text is twice as long.
std::string doubling(unsigned times)
{
    constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::string name = "_Z1f1AIiiE";
    for (unsigned i = 0; i < times; ++i) {
        std::string last = fmt::format("S{}_", digits[i]);
        name += "S_I" + last + last + "E";
    }
    return name;
}

TEST(Demangle, GivesUpOnNamesThatGrowForEver)
{
    EXPECT_EQ(demangle(doubling(1)), "f(A<int, int>, A<A<int, int>, A<int, int> >)");
    EXPECT_EQ(demangle(doubling(36)), doubling(36));
}

struct Parts {
    const char *whole, *name;
};

TEST(WithoutParameters, CutsTheLastParameterListOnly)
{
    for (auto [whole, name] : std::initializer_list<Parts>{
             {"ns::f(int) const", "ns::f"},
             {"f()", "f"},
             {"f(void (*)(int), char)", "f"},
             {"A::f() const volatile", "A::f"},
             {"A::f() &&", "A::f"},
             {"f(int) [clone .constprop.0] [clone .isra.0]", "f"},
             {"A::operator()(int) const", "A::operator()"},
             {"A::operator()", "A::operator()"},
             {"A::operator<(A const&) const", "A::operator<"},
             {"operator<< <int>(A<int>&, int)", "operator<< <int>"},
             {"A::operator bool() const", "A::operator bool"},
             {"A::operator void (*)(int)()", "A::operator void (*)(int)"},
             {"(anonymous namespace)::f(int)", "(anonymous namespace)::f"},
             {"(anonymous namespace)", "(anonymous namespace)"},
             {"g<A<&(operator<(A, A))> >(A<&(operator<(A, A))>)", "g<A<&(operator<(A, A))> >"},
             {"foo()::{lambda(int)#1}::operator()(int) const",
              "foo()::{lambda(int)#1}::operator()"},
             {"foo(int)::Local::bar", "foo(int)::Local::bar"},
             {"std::function<void (int)>::swap(std::function<void (int)>&)",
              "std::function<void (int)>::swap"},
             {"<fn(i32) as T>::call", "<fn(i32) as T>::call"},
             {"plain", "plain"},
             {"", ""},
             {")", ")"},
             {"(", "("},
         })
        EXPECT_EQ(without_parameters(whole), name);
}

TEST(WithoutQualifiers, KeepsTheParameters)
{
    EXPECT_EQ(without_qualifiers("A::f(int) const [clone .isra.0]"), "A::f(int)");
    EXPECT_EQ(without_qualifiers("A::f(int) const &"), "A::f(int)");
    EXPECT_EQ(without_qualifiers("char const"), "char const");  // not a function
}

TEST(WithoutTemplateArguments, CutsThemAtEveryLevel)
{
    for (auto [whole, name] : std::initializer_list<Parts>{
             {"ns::A<int>::f<char>", "ns::A::f"},
             {"A<B<int> >::f", "A::f"},
             {"A<((1)>(2))>::f", "A::f"},
             {"A<&(operator<(A, A))>::f", "A::f"},
             {"A<int>::operator<", "A::operator<"},
             {"A<int>::operator-><int>", "A::operator->"},
             {"A<int>::operator<=><int>", "A::operator<=>"},
             {"operator<< <int>", "operator<< "},
             {"myoperator<int>", "myoperator"},
             {"m::f::<u8>", "m::f"},
             {"<a::B<u8> as T<[u8]>>::f::<u8>", "<a::B as T>::f"},
             {"<<a::B<u8>>::f::{closure#0}<u8> as T>::g", "<<a::B>::f::{closure#0} as T>::g"},
             {"<u8 as <[_]>::f::T>::g", "<u8 as <[_]>::f::T>::g"},
             {"A::f[abi:cxx11]", "A::f"},
             {"A<int", "A<int"},
             {"A[abi:", "A"},
         })
        EXPECT_EQ(without_template_arguments(whole), name);
}

}  // namespace
}  // namespace uscope::elf
