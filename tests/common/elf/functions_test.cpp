#include "elf/functions.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "common/elf/searched.h"
#include "support/files.h"

namespace uscope::elf {
namespace {

using tests::target;

std::vector<std::string> sorted(std::vector<std::string> names)
{
    std::sort(names.begin(), names.end());
    return names;
}

TEST(FindFunctions, FindsAnExactNameWithAllItIs)
{
    Built file = built({{"other", 8}, {"_Z5parsei", 16}});
    auto functions = find_functions(file.image(), "_Z5parsei", own_symbols);
    ASSERT_TRUE(functions);
    ASSERT_EQ(functions->size(), 1u);
    const Function &function = functions->front();
    EXPECT_EQ(function.name, "_Z5parsei");
    EXPECT_EQ(function.display, "parse(int)");
    EXPECT_EQ(function.vaddr, ElfBuilder::base + 16);
    EXPECT_EQ(function.file_offset, 16u);
    EXPECT_EQ(function.size, 16u);
}

TEST(FindFunctions, PrefersTheExactNameToDemangledOnes)
{
    Built file = built({{"f", 8}, {"_Z1fi", 16}});
    EXPECT_EQ(found(file.image(), "f"), Names{"f"});
}

TEST(FindFunctions, FindsNamesThatAreTheEndOfAnother)
{
    ElfBuilder builder;
    builder.add_function("read_or_read", ElfBuilder::base + 8);
    builder.add_function_named_by_tail(8, ElfBuilder::base + 16);
    builder.add_symbol_table(".symtab", SHT_SYMTAB);
    Built file(builder.build());
    EXPECT_EQ(found(file.image(), "read"), Names{"read"});
    EXPECT_EQ(found(file.image(), "*read"), (Names{"read_or_read", "read"}));
}

TEST(FindFunctions, CountsAliasesOfOneAddressOnce)
{
    Built file = built({{"__read", 8}, {"read", 8}, {"__libc_read", 8}});
    EXPECT_EQ(found(file.image(), "*read*"), Names{"read"});
    EXPECT_EQ(found(file.image(), "__read"), Names{"__read"});
}

TEST(FindFunctions, ReportsOneNameOfTwoFunctionsWithTheirAddresses)
{
    Built file = built({{"helper", 8}, {"helper", 16}});
    EXPECT_EQ(
        found(file.image(), "helper"),
        Names{"error: 'helper' means 2 functions of x.so: write one of '+0x10008', '+0x10010'; "
              "or '[h]elper' for all"});
    EXPECT_EQ(found(file.image(), "[h]elper"), (Names{"helper", "helper"}));
}

TEST(FindFunctions, ReportsOverloadsWithTheirParameters)
{
    Built file = built({{"_ZN2ns1fEi", 8}, {"_ZN2ns1fEl", 16}});
    EXPECT_EQ(found(file.image(), "ns::f"),
              Names{"error: 'ns::f' means 2 functions of x.so: write one of 'ns::f(int)', "
                    "'ns::f(long)'; or 'ns::[f]' for all"});
    EXPECT_EQ(found(file.image(), "ns::[f]").size(), 2u);
    EXPECT_EQ(found(file.image(), "ns::f(long)"), Names{"_ZN2ns1fEl"});
}

TEST(FindFunctions, OffersNoGlobThatWouldMeanSomethingElse)
{
    Built file = built({{"print.constprop.0", 8}, {"print.constprop.1", 16}});
    EXPECT_EQ(found(file.image(), "print"),
              Names{"error: 'print' means 2 functions of x.so: write one of 'print.constprop.0', "
                    "'print.constprop.1'"});
}

TEST(FindFunctions, ListsEightCandidatesAtMost)
{
    std::vector<std::pair<const char *, uint64_t>> same;
    for (int i = 0; i < 10; ++i)
        same.emplace_back("f", 8 * i);
    std::string error = found(built(same).image(), "f")[0];
    EXPECT_NE(error.find("'+0x10038' and 2 more;"), error.npos) << error;
}

TEST(FindFunctions, TakesTheDefaultVersionOfASymbol)
{
    Built file = built({{"copy@LIB_1", 8}, {"copy@@LIB_2", 16}, {"gone@LIB_1", 24}});
    auto functions = find_functions(file.image(), "copy", own_symbols);
    ASSERT_TRUE(functions) << functions.error().text;
    ASSERT_EQ(functions->size(), 1u);
    EXPECT_EQ(functions->front().name, "copy");
    EXPECT_EQ(functions->front().file_offset, 16u);
    EXPECT_EQ(found(file.image(), "gone"), Names{"gone"});
}

TEST(FindFunctions, TakesTheDefaultVersionInRealLibraries)
{
    OPEN_OR_SKIP(libc, "/lib/x86_64-linux-gnu/libc.so.6");
    EXPECT_EQ(found(libc, "memcpy"), Names{"memcpy"});  // @GLIBC_2.2.5 and @@GLIBC_2.14
    EXPECT_EQ(found(libc, "pthread_cond_wait").size(), 1u);
}

TEST(FindFunctions, TakesTheVersionThatIsNamed)
{
    Built file = built({{"copy@LIB_1", 8}, {"copy@@LIB_2", 16}, {"copy_all", 24}});
    auto places = [&](const char *name) {
        std::vector<std::string> found;
        auto functions = find_functions(file.image(), name, own_symbols);
        if (!functions)
            return std::vector<std::string>{"error"};
        for (const Function &function : *functions)
            found.push_back(fmt::format("{} {}", function.display, function.file_offset));
        return found;
    };
    EXPECT_EQ(places("copy@LIB_1"), Names{"copy@LIB_1 8"});
    EXPECT_EQ(places("copy@LIB_2"), Names{"copy@@LIB_2 16"});
    EXPECT_EQ(places("copy@@LIB_2"), Names{"copy@@LIB_2 16"});
    EXPECT_EQ(places("copy@*"), (Names{"copy@LIB_1 8", "copy@@LIB_2 16"}));
    EXPECT_EQ(places("copy@@LIB_1"), Names{"error"});
    EXPECT_EQ(places("copy@LIB_3"), Names{"error"});
}

TEST(FindFunctions, TakesAVersionOfARealLibrary)
{
    OPEN_OR_SKIP(libc, "/lib/x86_64-linux-gnu/libc.so.6");
    auto old = find_functions(libc, "realpath@GLIBC_2.2.5", own_symbols);
    auto now = find_functions(libc, "realpath", own_symbols);
    ASSERT_TRUE(old && now);
    ASSERT_EQ(old->size(), 1u);
    EXPECT_NE(old->front().vaddr, now->front().vaddr);
    EXPECT_EQ(find_functions(libc, "realpath@*", own_symbols)->size(), 2u);
}

std::vector<std::string> notes_of(const Built &file, const char *name)
{
    SymbolOptions options = own_symbols;
    options.notes = true;
    auto functions = find_functions(file.image(), name, options);
    std::vector<std::string> notes;
    for (const Function &function : functions.value_or(std::vector<Function>()))
        notes.insert(notes.end(), function.notes.begin(), function.notes.end());
    return notes;
}

TEST(FindFunctions, SaysWhatOtherVersionsThereAre)
{
    Built file =
        built({{"copy@LIB_1", 8}, {"copy@@LIB_2", 16}, {"same@LIB_1", 24}, {"same@@LIB_2", 24}});
    EXPECT_EQ(notes_of(file, "copy"),
              Names{"calls of copy@LIB_1 are not traced ('copy@*' means every version)"});
    EXPECT_EQ(notes_of(file, "same"), Names());
    EXPECT_EQ(notes_of(file, "copy@*"), Names());
}

TEST(FindFunctions, SaysWhatElseHasTheirCode)
{
    Built file = built({{"read", 8}, {"__libc_read", 8}, {"twin_a", 16}, {"twin_b", 16}});
    EXPECT_EQ(notes_of(file, "read"), Names());
    EXPECT_EQ(notes_of(file, "twin_a"),
              Names{"twin_a shares its code with twin_b: calls of all are traced"});
    EXPECT_EQ(notes_of(file, "twin_*"),
              Names{"twin_a shares its code with twin_b: calls of all are traced"});
}

TEST(FindFunctions, SaysThatANameHasSeveralSymbols)
{
    Built file = built({{"_ZN1AD0Ev", 8}, {"_ZN1AD1Ev", 16}, {"_ZN1AD2Ev", 16}});
    EXPECT_EQ(notes_of(file, "A::~A"),
              Names{"A::~A() means 2 functions, which may call each other: _ZN1AD0Ev, _ZN1AD1Ev"});
}

TEST(FindFunctions, TakesFunctionsOnly)
{
    ElfBuilder builder;
    builder.add_function("data", ElfBuilder::base + 8, STT_OBJECT);
    builder.add_function("choose", ElfBuilder::base + 16, STT_GNU_IFUNC);
    builder.add_function("outside", 0x7fff0000);
    builder.add_symbol_table(".symtab", SHT_SYMTAB);
    Built file(builder.build());
    EXPECT_EQ(found(file.image(), "*"), Names{"choose"});
}

TEST(FindFunctions, SuggestsNearNames)
{
    Built file = built({{"readline", 8}, {"_ZN2ns5writeEi", 16}});
    EXPECT_EQ(found(file.image(), "readlin"),
              Names{"error: no function 'readlin' in x.so, did you mean readline?"});
    EXPECT_EQ(found(file.image(), "ns::wirte"),
              Names{"error: no function 'ns::wirte' in x.so, did you mean ns::write?"});
    EXPECT_EQ(found(file.image(), "ns::wirte(int)"),
              Names{"error: no function 'ns::wirte(int)' in x.so, did you mean ns::write(int)?"});
    EXPECT_EQ(found(file.image(), "x*"), Names{"error: no function of x.so matches 'x*'"});
}

TEST(FindFunctions, SaysThatAFileHasNoSymbols)
{
    Built file{ElfBuilder().build()};
    EXPECT_EQ(
        found(file.image(), "f"),
        Names{"error: 'f' cannot be found in x.so: it has no function symbols (stripped), and "
              "no debug file was found"});
}

TEST(FindFunctions, SaysThatOnlyExportsAreKnown)
{
    Built file = built({{"readline", 8}}, SHT_DYNSYM);
    std::string limit = " (stripped, without a debug file: only exported functions are known)";
    EXPECT_EQ(found(file.image(), "readlin"),
              Names{"error: no function 'readlin' in x.so" + limit + ", did you mean readline?"});
    EXPECT_EQ(found(file.image(), "x*"), Names{"error: no function of x.so matches 'x*'" + limit});
}

TEST(FindFunctions, SaysWhatIsCorrupt)
{
    Built file(ElfBuilder().build([](ElfBuilder &b) { b.header.e_shentsize = 1; }));
    std::string error = found(file.image(), "f")[0];
    EXPECT_NE(error.find("(it is corrupt: its section headers have 1 bytes each"), error.npos)
        << error;
}

TEST(FindFunctions, SaysThatAFunctionIsOnlyCalled)
{
    OPEN(program, target("names_c"));
    std::string error = found(program, "printf")[0];
    EXPECT_NE(error.find("which only calls it: name the library"), error.npos) << error;
}

TEST(FindFunctions, CallsTheFileByItsPathIfGiven)
{
    Built file{ElfBuilder().build()};
    auto functions = find_functions(file.image(), "f", {.path = "/opt/real", .debug_files = false});
    ASSERT_FALSE(functions);
    EXPECT_NE(functions.error().text.find("/opt/real"), std::string::npos);
}

TEST(FindFunctions, FindsTheFunctionOfAStrippedServer)
{
    OPEN_OR_SKIP(server, "/usr/sbin/mariadbd");
    auto names = found(server, "dispatch_command");
    ASSERT_EQ(names.size(), 1u);
    EXPECT_TRUE(names[0].starts_with("_Z16dispatch_command19enum_server_commandP3THDPcj"))
        << names[0];
}

TEST(FindFunctions, MeansEveryKindOfCppName)
{
    OPEN(program, target("names_cpp"));
    for (auto [pattern, name] : std::initializer_list<std::pair<const char *, const char *>>{
             {"plain_cpp", "_Z9plain_cppi"},
             {"shapes::area(int)", "_ZN6shapes4areaEi"},
             {"shapes::area(int,unsigned long)", "_ZN6shapes4areaEim"},
             {"shapes::print(char const *, void (*)(int))", "_ZN6shapes5printEPKcPFviE"},
             {"shapes::Circle::grow()", "_ZN6shapes6Circle4growEv"},
             {"shapes::Circle::grow() const", "_ZNK6shapes6Circle4growEv"},
             {"shapes::Circle::shrink()", "_ZNK6shapes6Circle6shrinkEv"},
             {"shapes::Circle::operator()", "_ZN6shapes6CircleclEi"},
             {"shapes::Circle::operator<", "_ZNK6shapes6CircleltERKS0_"},
             {"shapes::Circle::operator->", "_ZN6shapes6CircleptEv"},
             {"shapes::Circle::operator[]", "_ZNK6shapes6CircleixEi"},
             {"shapes::Circle::operator bool", "_ZNK6shapes6CirclecvbEv"},
             {"shapes::twice<int>", "_ZN6shapes5twiceIiEET_S1_"},
             {"double shapes::twice<double>(double)", "_ZN6shapes5twiceIdEET_S1_"},
             {"shapes::Box<int>::open", "_ZN6shapes3BoxIiE4openEi"},
             {"shapes::operator<<", "_ZN6shapeslsIiEEiRNS_3BoxIT_EEi"},
         })
        EXPECT_EQ(found(program, pattern), Names{name}) << pattern;

    Names hidden = found(program, "shapes::(anonymous namespace)::hidden");
    if (hidden != Names{"_ZN6shapes12_GLOBAL__N_1L6hiddenEi"}) {  // GCC 16's name
        EXPECT_EQ(hidden, Names{"_ZN6shapes12_GLOBAL__N_16hiddenEi"});
    }
}

TEST(FindFunctions, MeansAllSymbolsOfAConstructor)
{
    OPEN(program, target("names_cpp"));
    Names names = sorted(found(program, "shapes::Disk::Disk"));
    ASSERT_GE(names.size(), 2u);
    EXPECT_EQ(names[0], "_ZN6shapes4DiskC1Ei");
    EXPECT_EQ(names[1], "_ZN6shapes4DiskC2Ei");
}

TEST(FindFunctions, MeansEveryKindOfRustName)
{
    OPEN(program, target("names_c"));
    EXPECT_EQ(found(program, "serve::net::Server::accept").size(), 1u);
    EXPECT_EQ(found(program, "serve::net::pump").size(),
              2u);  // two instances of a generic function
    EXPECT_EQ(found(program, "<serve::net::Server as core::ops::drop::Drop>::drop").size(), 1u);
    EXPECT_EQ(found(program, "serve::disk::flush").size(), 1u);
    EXPECT_EQ(found(program, "serve::disk::copy::<u32>"), found(program, "serve::disk::copy"));
    EXPECT_EQ(found(program, "serve::*").size(), 7u);
}

// Names of rustc 1.95.0
TEST(FindFunctions, MeansAllInstancesOfARustGeneric)
{
    constexpr auto first =
                       "_RINvNtNtCs779nruZdk0e_3zoo3net4deep4pumpNtB4_6ServerINtB4_4RingtKj4_"
                       "EEB6_",
                   second = "_RINvNtNtCs779nruZdk0e_3zoo3net4deep4pumpReThcEEB6_";
    Built file = built({{first, 8}, {second, 16}});
    EXPECT_EQ(found(file.image(), "zoo::net::deep::pump"), (Names{first, second}));
    EXPECT_EQ(found(file.image(), "zoo::net::deep::pump::<&str, (u8, char)>"), Names{second});
}

TEST(FindFunctions, TakesImplementationsOfDifferentTraitsForDifferentFunctions)
{
    Built file =
        built({{"_RNvXs3_NtCs779nruZdk0e_3zoo3netNtB5_6ServerINtB5_7ConvertmE7convert", 8},
               {"_RNvXs4_NtCs779nruZdk0e_3zoo3netNtB5_6ServerINtB5_7ConvertFlEhE7convert", 16}});
    Names names = found(file.image(), "<zoo::net::Server as zoo::net::Convert>::convert");
    ASSERT_EQ(names.size(), 1u);
    EXPECT_NE(names[0].find("means 2 functions"), std::string::npos);
}

TEST(FindFunctions, TakesGoNamesAsTheyAre)
{
    OPEN(program, target("names_c"));
    EXPECT_EQ(found(program, "main.(*Server).Do"), Names{"main.(*Server).Do"});
    EXPECT_EQ(found(program, "main.(*Server).*").size(), 2u);
}

TEST(FindFunctions, TellsAFunctionFromItsCopiesAndParts)
{
    OPEN(program, target("names_c"));
    EXPECT_EQ(found(program, "parse"), Names{"parse"});
    EXPECT_EQ(found(program, "parse.cold"), Names{"parse.cold"});
    EXPECT_EQ(found(program, "scan"), Names{"scan.constprop.0.isra.0"});
    EXPECT_EQ(found(program, "ns::copy"), Names{"_ZN2ns4copyEi.constprop.0"});
    EXPECT_EQ(found(program, "parse*"), (Names{"parse", "parse.part.0"}));
    EXPECT_EQ(found(program, "check"), Names{"error: no function 'check' in " + target("names_c") +
                                             ", did you mean check.part.0?"});
}

// Assembly without .type. Data next to it must not get a breakpoint.
TEST(FindFunctions, TakesCodeWithoutATypeForAFunction)
{
    constexpr uint64_t code = ElfBuilder::base + sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
    ElfBuilder builder;
    std::string text(
        "\x55\x48\x89\xe5\x5d\xc3"          // untyped
        "\x66\x90"                          // a gap
        "\x0f\x0e\x0d\x0c\x0b\x0a\x09\x08"  // data
        "\x31\xc0"                          // open: continues in the next
        "\xff\xc0\xc3\x90\x90\x90"          // typed
        "\xeb\xfe",                         // last
        26);
    size_t section = builder.add_section(".text", SHT_PROGBITS, text);
    builder.add_function("untyped", code, STT_NOTYPE, 0);
    builder.add_function("data", code + 8, STT_NOTYPE, 0);
    builder.add_function("open", code + 16, STT_NOTYPE, 0);
    builder.add_function("typed", code + 18, STT_FUNC, 3);
    builder.add_function("inside", code + 20, STT_NOTYPE, 0);
    builder.add_function("last", code + 24, STT_NOTYPE, 0);
    builder.add_function("elsewhere", ElfBuilder::base + 8, STT_NOTYPE, 0);
    builder.add_symbol_table(".symtab", SHT_SYMTAB);
    Built file(builder.build(
        [&](ElfBuilder &b) { b.sections[section].sh_flags = SHF_ALLOC | SHF_EXECINSTR; }));
    Image image = file.image();
    auto size = [&](const char *name) {
        auto functions = find_functions(image, name, own_symbols);
        return functions ? std::optional(functions->front().size) : std::nullopt;
    };
    EXPECT_EQ(size("untyped"), 6u);
    EXPECT_EQ(size("typed"), 3u);
    EXPECT_EQ(size("last"), 2u);
    for (const char *name : {"data", "open", "inside", "elsewhere"})
        EXPECT_EQ(size(name), std::nullopt) << name;
    EXPECT_EQ(found(image, "*"), (Names{"untyped", "typed", "last"}));
}

}  // namespace
}  // namespace uscope::elf
