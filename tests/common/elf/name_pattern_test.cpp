#include "elf/name_pattern.h"

#include <gtest/gtest.h>

namespace uscope::elf {
namespace {

using Match = NamePattern::Match;

std::optional<Match> match(std::string_view pattern, std::string_view symbol)
{
    return NamePattern(pattern).match(symbol);
}

// ns::A::f(int) const
constexpr auto method = "_ZNK2ns1A1fEi";

TEST(NamePattern, TheStarOfAGoReceiverIsNoWildcard)
{
    EXPECT_FALSE(is_name_glob("main.(*T).Do"));
    EXPECT_FALSE(is_name_glob("(*T).Do"));
    EXPECT_TRUE(is_name_glob("main.(*T).D*"));
    EXPECT_TRUE(is_name_glob("main.*"));
    EXPECT_TRUE(is_name_glob("f(*)"));
    EXPECT_EQ(NamePattern("main.(*T).D*", false).match("main.(*T).Do"), NamePattern::Match::Glob);
    EXPECT_FALSE(NamePattern("main.(*T).D*", false).match("main.(*Other.T).Do"));
    EXPECT_FALSE(NamePattern("main.(*T).Do", false).match("main.(*Other.T).Do"));
}

TEST(SplitClone, FindsWhatCompilersAdd)
{
    auto split = split_clone("_Z1fv.constprop.0.isra.12.cold");
    EXPECT_EQ(split.base, "_Z1fv");
    EXPECT_EQ(split.suffix, ".constprop.0.isra.12.cold");
    EXPECT_TRUE(split.is_cold());
    EXPECT_EQ(split_clone("f.lto_priv.3").base, "f");
    EXPECT_EQ(split_clone("_ZN1a1b17h0123456789abcdefE.llvm.1234").base,
              "_ZN1a1b17h0123456789abcdefE");
    EXPECT_TRUE(split_clone("f.part.0").is_fragment());
    EXPECT_FALSE(split_clone("f.isra.0").is_fragment());
}

TEST(SplitClone, LeavesOtherDotsAlone)
{
    for (auto name : {"main.main", "main.func1.2", "f.0", ".cold", "f", "", "."})
        EXPECT_EQ(split_clone(name).base, name);
}

TEST(Squeeze, KeepsOnlySpacesThatPartWords)
{
    EXPECT_EQ(squeeze(" f ( char  const * , int ) "), "f(char const*,int)");
    EXPECT_EQ(squeeze("A<B<int> >::operator unsigned\tint"), "A<B<int>>::operator unsigned int");
}

TEST(NamePattern, MatchesCppWithEachDegreeOfDetail)
{
    EXPECT_EQ(match("ns::A::f(int) const", method), Match::Whole);
    EXPECT_EQ(match("ns :: A::f( int )const", method), Match::Whole);
    EXPECT_EQ(match("ns::A::f(int)", method), Match::WithoutQualifiers);
    EXPECT_EQ(match("ns::A::f", method), Match::WithoutParameters);
    EXPECT_EQ(match("A::f", method), std::nullopt);
    EXPECT_EQ(match("f", method), std::nullopt);
    EXPECT_EQ(match("ns::A::f(long)", method), std::nullopt);
}

TEST(NamePattern, KnowsTheShortNamesOfStrings)
{
    const char *string = "_ZN2ns1fERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEi";
    EXPECT_EQ(match("ns::f(std::string const&, int)", string), Match::Whole);
    EXPECT_EQ(match("ns::f(std::string const&)", string), std::nullopt);
    EXPECT_EQ(match("ns::f(std::string_view, int)", string), std::nullopt);
    const char *view = "_ZN2ns1vESt17basic_string_viewIcSt11char_traitsIcEEi";
    EXPECT_EQ(match("ns::v(std::string_view, int)", view), Match::Whole);
    EXPECT_EQ(match("ns::g(std::string const&)", "_ZN2ns1gERKSs"), Match::Whole);
}

TEST(NamePattern, MatchesTemplatesWithAndWithoutArguments)
{
    EXPECT_EQ(match("f<int>(int)", "_Z1fIiET_S0_"), Match::Whole);
    EXPECT_EQ(match("int f<int>(int)", "_Z1fIiET_S0_"), Match::Whole);
    EXPECT_EQ(match("f<int>", "_Z1fIiET_S0_"), Match::WithoutParameters);
    EXPECT_EQ(match("f", "_Z1fIiET_S0_"), Match::WithoutTemplateArguments);
    EXPECT_EQ(match("long f<int>(int)", "_Z1fIiET_S0_"), std::nullopt);
}

TEST(NamePattern, MatchesOperatorsAndLambdas)
{
    EXPECT_EQ(match("A::operator()", "_ZN1AclEi"), Match::WithoutParameters);
    EXPECT_EQ(match("A::operator<", "_ZN1AltERKS_"), Match::WithoutParameters);
    EXPECT_EQ(match("operator new", "_Znwm"), Match::WithoutParameters);
    EXPECT_EQ(match("A::operator bool", "_ZNK1AcvbEv"), Match::WithoutParameters);
    EXPECT_EQ(match("foo()::{lambda(int)#1}::operator()(int) const", "_ZZ3foovENKUliE_clEi"),
              Match::Whole);
    EXPECT_EQ(match("operator*", "_ZmlRK1AS1_"), Match::WithoutParameters);
}

TEST(NamePattern, MatchesNamesThatCppAbbreviates)
{
    EXPECT_EQ(match("std::string::append", "_ZNSs6appendEPKc"), Match::WithoutParameters);
    EXPECT_EQ(match("f(std::string)", "_Z1fSs"), Match::Whole);
    EXPECT_EQ(match("f(std::ostream&)", "_Z1fRSo"), Match::Whole);
}

TEST(NamePattern, MatchesDescribedFunctions)
{
    EXPECT_EQ(match("non-virtual thunk to A::f()", "_ZThn8_N1A1fEv"), Match::Whole);
    EXPECT_EQ(match("*thunk to A*", "_ZThn8_N1A1fEv"), Match::Glob);
    EXPECT_EQ(
        match("non-virtual thunk to (anonymous namespace)::A::f()", "_ZThn8_N12_GLOBAL__N_11A1fEv"),
        Match::Whole);
    EXPECT_EQ(match("A::f", "_ZThn8_N1A1fEv"), std::nullopt);
}

TEST(NamePattern, MatchesRust)
{
    constexpr auto trait =
        "_ZN60_$LT$serve..net..Server$u20$as$u20$core..ops..drop..Drop$GT$"
        "4drop17h0f1e2d3c4b5a6978E";
    EXPECT_EQ(match("<serve::net::Server as core::ops::drop::Drop>::drop", trait), Match::Whole);
    EXPECT_EQ(match("serve::disk::_sync", "_RNvNtCs4fqI2P2rA04_5serve4disk5__sync"), Match::Whole);
    EXPECT_EQ(match("serve::disk::copy", "_RINvNtCs4fqI2P2rA04_5serve4disk4copymE"),
              Match::WithoutTemplateArguments);
    EXPECT_EQ(match("serve::disk::*", "_RINvNtCs4fqI2P2rA04_5serve4disk4copymE"), Match::Glob);
}

// Names of rustc 1.95.0
constexpr auto ring_map =
    "_RINvMs5_NtCs779nruZdk0e_3zoo3netINtB6_4RingtKj4_E3mapyNCNvB8_4main0EB8_";
constexpr auto ring_handle =
    "_RNvXs2_NtCs779nruZdk0e_3zoo3netINtB5_4RingtKj4_ENtB5_7Handler6handleB7_";
constexpr auto pump = "_RINvNtNtCs779nruZdk0e_3zoo3net4deep4pumpReThcEEB6_";

TEST(NamePattern, MatchesRustMethodsInEveryForm)
{
    EXPECT_EQ(match("zoo::net::Ring::map", ring_map), Match::WithoutTemplateArguments);
    EXPECT_EQ(match("<zoo::net::Ring>::map", ring_map), Match::WithoutTemplateArguments);
    EXPECT_EQ(match("<zoo::net::Ring<u16, 4>>::map::<u64, zoo::main::{closure#0}>", ring_map),
              Match::Whole);
    EXPECT_EQ(match("zoo::net::Ring::m", ring_map), std::nullopt);
    EXPECT_EQ(match("<zoo::net::Ring as zoo::net::Handler>::handle", ring_handle),
              Match::WithoutTemplateArguments);
    EXPECT_EQ(match("<zoo::net::Ring<u16,4> as zoo::net::Handler>::handle", ring_handle),
              Match::Whole);
    constexpr auto elsewhere =
        "_ZN3zoo34_$LT$impl$u20$zoo..net..Server$GT$9elsewhere17h2e7f86a804e659eaE";
    EXPECT_EQ(match("zoo::net::Server::elsewhere", elsewhere), Match::Whole);
    EXPECT_EQ(match("zoo::<impl zoo::net::Server>::elsewhere", elsewhere), Match::Whole);
}

TEST(NamePattern, RustGlobsNeedNotMatchTheArgumentsOfGenerics)
{
    EXPECT_EQ(match("*::pump", pump), Match::Glob);
    EXPECT_EQ(match("*::pump::<&str, *", pump), Match::Glob);
    EXPECT_EQ(match("<zoo::*Ring as *>::handle", ring_handle), Match::Glob);
    EXPECT_EQ(match("<*Ring<*>>::map*", ring_map), Match::Glob);
    EXPECT_EQ(match("*::pum", pump), std::nullopt);
}

TEST(NamePattern, MatchesWholeCopiesLessThanTheFunctionItself)
{
    EXPECT_EQ(match("f", "f.constprop.0"), Match::Clone);
    EXPECT_EQ(match("ns::A::f", "_ZNK2ns1A1fEi.isra.0"), Match::Clone);
    EXPECT_LT(Match::WithoutTemplateArguments, Match::Clone);
}

TEST(NamePattern, NeverTakesAPartForTheFunction)
{
    for (auto part : {"f.cold", "f.part.0", "f.isra.0.cold", "f.part.0.constprop.0"})
        EXPECT_EQ(match("f", part), std::nullopt) << part;
    EXPECT_EQ(match("ns::A::f", "_ZNK2ns1A1fEi.cold"), std::nullopt);
    EXPECT_EQ(match("ns::A::f(int) const [clone .cold]", "_ZNK2ns1A1fEi.cold"), Match::Whole);
}

TEST(NamePattern, GlobsMatchRawAndDemangledNamesButNoColdParts)
{
    EXPECT_EQ(match("pars?", "parse"), Match::Glob);
    EXPECT_EQ(match("_ZNK2ns*", method), Match::Glob);
    EXPECT_EQ(match("ns::*", method), Match::Glob);
    EXPECT_EQ(match("*::f", method), Match::Glob);
    EXPECT_EQ(match("ns::[AB]::f(*", method), Match::Glob);
    EXPECT_EQ(match("f*", "f.part.0"), Match::Glob);
    EXPECT_EQ(match("f*", "f.cold"), std::nullopt);
    EXPECT_EQ(match("ns::*", "_ZNK2ns1A1fEi.cold"), std::nullopt);
}

TEST(NamePattern, GlobsMatchWordsThatOnlyTheDemanglerWrites)
{
    EXPECT_EQ(match("*oper*", "_Znwm"), Match::Glob);
    EXPECT_EQ(match("A::~*", "_ZN1AD1Ev"), Match::Glob);
    EXPECT_EQ(match("(anon*::f", "_ZN12_GLOBAL__N_11fEi"), Match::Glob);
    EXPECT_EQ(match("f(unsi*)", "_Z1fj"), Match::Glob);
}

TEST(NamePattern, TakesADotForAPartOfAGoName)
{
    NamePattern pattern("main.*", false);
    EXPECT_EQ(pattern.match("main.cold"), Match::Glob);
    EXPECT_EQ(NamePattern("main", false).match("main.clone"), std::nullopt);
}

TEST(NamePattern, KnowsATextThatEveryMatchHolds)
{
    EXPECT_EQ(NamePattern("ns::dispatch_command(int)").required_text(), "dispatch_command");
    EXPECT_EQ(NamePattern("JavaThread::r*").required_text(), "JavaThread");
    EXPECT_EQ(NamePattern("operator new(unsigned long)").required_text(), "");
    EXPECT_EQ(NamePattern("[abc]*").required_text(), "");
}

TEST(RegexMatches, TheSymbolAndTheDemangledName)
{
    auto matches = [](const char *regex, std::string_view symbol) {
        return regex_matches(*Regex::compile(regex), symbol);
    };
    EXPECT_TRUE(matches("_ZNK2ns1A", method));
    EXPECT_TRUE(matches("ns::A::f$", method));
    EXPECT_TRUE(matches("ns::A::f\\(int\\) const$", method));
    EXPECT_FALSE(matches("A::f", method));
    EXPECT_TRUE(matches("ns::A::f$", std::string(method) + ".isra.0"));
    EXPECT_FALSE(matches("ns::A::f$", "f"));
    EXPECT_TRUE(matches("^zoo::net::deep::pump$", pump));
    EXPECT_TRUE(matches("^<zoo::net::Ring<u16, 4>>::map", ring_map));
}

}  // namespace
}  // namespace uscope::elf
