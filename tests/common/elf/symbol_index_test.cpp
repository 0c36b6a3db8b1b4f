#include "elf/symbol_index.h"

#include <elf.h>

#include <gtest/gtest.h>

#include "base/fd.h"

namespace uscope::elf {
namespace {

struct Written {
    const char *name;
    uint64_t vaddr, size;
    unsigned type = STT_FUNC;
};

template <class T>
void put(std::string &out, const T &value)
{
    out.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

// Returns an ELF file with one segment, code at 0x1000-0x2000, and the given symbols in .symtab.
// The section .text has all of the code but the last 0x100 bytes.
std::string write_elf(const std::vector<Written> &symbols)
{
    std::string strings(1, '\0'), table(sizeof(Elf64_Sym), '\0');
    for (const Written &symbol : symbols) {
        Elf64_Sym entry = {};
        entry.st_name = strings.size();
        entry.st_info = ELF64_ST_INFO(STB_GLOBAL, symbol.type);
        entry.st_shndx = 1;
        entry.st_value = symbol.vaddr;
        entry.st_size = symbol.size;
        put(table, entry);
        strings += std::string(symbol.name) + '\0';
    }
    std::string names("\0.symtab\0.strtab\0.text\0", 23);
    constexpr uint64_t code_bytes = 0x1000;
    uint64_t code_at = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
    uint64_t table_at = code_at + code_bytes, strings_at = table_at + table.size();
    uint64_t names_at = strings_at + strings.size(), headers_at = names_at + names.size();

    Elf64_Ehdr header = {};
    memcpy(header.e_ident, "\177ELF\2\1\1", 7);
    header.e_type = ET_DYN;
    header.e_machine = EM_X86_64;
    header.e_version = EV_CURRENT;
    header.e_phoff = sizeof(header);
    header.e_shoff = headers_at;
    header.e_ehsize = sizeof(header);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 1;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 5;
    header.e_shstrndx = 4;
    std::string out;
    put(out, header);
    put(out, Elf64_Phdr{PT_LOAD, PF_R | PF_X, code_at, 0x1000, 0x1000, code_bytes, code_bytes, 8});
    out.append(code_bytes, '\x90') += table + strings + names;
    put(out, Elf64_Shdr{});
    put(out, Elf64_Shdr{17, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code_at,
                        code_bytes - 0x100, 0, 0, 16, 0});
    put(out, Elf64_Shdr{1, SHT_SYMTAB, 0, 0, table_at, table.size(), 3, 1, 8, sizeof(Elf64_Sym)});
    put(out, Elf64_Shdr{9, SHT_STRTAB, 0, 0, strings_at, strings.size(), 0, 0, 1, 0});
    put(out, Elf64_Shdr{9, SHT_STRTAB, 0, 0, names_at, names.size(), 0, 0, 1, 0});
    return out;
}

class SymbolIndexTest : public testing::Test {
  protected:
    std::string name_at(const std::vector<Written> &symbols, uint64_t vaddr)
    {
        bytes_ = write_elf(symbols);
        auto image = Image::parse(Bytes(bytes_), "test");
        if (!image)
            return image.error().text;
        SymbolIndex index(std::move(*image), "test");
        auto symbol = index.find(vaddr);
        return symbol ? std::string(symbol->name) : "nothing";
    }

  private:
    std::string bytes_;
};

TEST_F(SymbolIndexTest, FindsWhatAnAddressIsInside)
{
    std::vector<Written> symbols = {{"b", 0x1100, 0x20}, {"a", 0x1010, 0x10}};
    EXPECT_EQ(name_at(symbols, 0x1010), "a");
    EXPECT_EQ(name_at(symbols, 0x101f), "a");
    EXPECT_EQ(name_at(symbols, 0x111f), "b");
}

TEST_F(SymbolIndexTest, InventsNothingBehindTheEndOfASymbol)
{
    std::vector<Written> symbols = {{"a", 0x1010, 0x10}, {"b", 0x1100, 0x20}};
    EXPECT_EQ(name_at(symbols, 0x100f), "nothing");
    EXPECT_EQ(name_at(symbols, 0x1020), "nothing");
    EXPECT_EQ(name_at(symbols, 0x1120), "nothing");
}

TEST_F(SymbolIndexTest, LetsASymbolWithoutSizeReachToTheNextInItsSection)
{
    std::vector<Written> symbols = {{"a", 0x1010, 0}, {"b", 0x1100, 0x20}, {"last", 0x1200, 0}};
    EXPECT_EQ(name_at(symbols, 0x10ff), "a");
    EXPECT_EQ(name_at(symbols, 0x1120), "nothing");
    EXPECT_EQ(name_at(symbols, 0x1eff), "last");
    EXPECT_EQ(name_at(symbols, 0x1f00), "nothing");
}

// The start files of compilers contain such a symbol: `frame_dummy` has no size, and assembly
// follows.
TEST_F(SymbolIndexTest, TakesSymbolsWithoutATypeForFunctions)
{
    std::vector<Written> symbols = {
        {"frame_dummy", 0x1010, 0},       {"untyped", 0x1020, 0x10, STT_NOTYPE},
        {"zero", 0x1040, 0, STT_NOTYPE},  {"typed", 0x1100, 0x40},
        {"place", 0x1110, 0, STT_NOTYPE}, {".mark", 0x1140, 0, STT_NOTYPE},
        {"data", 0x1f10, 0, STT_NOTYPE}};
    EXPECT_EQ(name_at(symbols, 0x101f), "frame_dummy");
    EXPECT_EQ(name_at(symbols, 0x102f), "untyped");
    EXPECT_EQ(name_at(symbols, 0x1030), "nothing");
    EXPECT_EQ(name_at(symbols, 0x10ff), "zero");
    EXPECT_EQ(name_at(symbols, 0x1118), "typed");
    EXPECT_EQ(name_at(symbols, 0x1148), "nothing");
    EXPECT_EQ(name_at(symbols, 0x1f18), "nothing");
}

TEST_F(SymbolIndexTest, FindsTheOuterOneBehindAnInnerOne)
{
    std::vector<Written> symbols = {{"outer", 0x1000, 0x100}, {"inner", 0x1010, 0x10}};
    EXPECT_EQ(name_at(symbols, 0x1018), "inner");
    EXPECT_EQ(name_at(symbols, 0x1020), "outer");
}

TEST_F(SymbolIndexTest, ChoosesTheNameThatPeopleKnow)
{
    std::vector<Written> symbols = {{"__libc_read", 0x1000, 0x10},
                                    {"read@@GLIBC_2.2.5", 0x1000, 0x10},
                                    {"__read", 0x1000, 0x10},
                                    {"r", 0x1000, 0}};
    EXPECT_EQ(name_at(symbols, 0x1000), "read");
    EXPECT_EQ(name_at({{"__f", 0x1000, 0x10}, {"longer", 0x1000, 0x10}}, 0x1000), "longer");
}

TEST_F(SymbolIndexTest, LeavesOutWhatIsNoCode)
{
    EXPECT_EQ(name_at({{"data", 0x1000, 0x10, STT_OBJECT}}, 0x1000), "nothing");
    EXPECT_EQ(name_at({{"elsewhere", 0x5000, 0x10}}, 0x5000), "nothing");
    EXPECT_EQ(name_at({{"resolver", 0x1000, 0x10, STT_GNU_IFUNC}}, 0x1000), "resolver");
}

TEST(SymbolIndex, ReadsTheExportsOfAStrippedLibrary)
{
    auto index =
        SymbolIndex::open("/lib/x86_64-linux-gnu/libz.so.1", "/lib/x86_64-linux-gnu/libz.so.1");
    if (!index)
        GTEST_SKIP() << index.error().text;
    EXPECT_GT(index->size(), 50u);
    auto functions = find_functions(index->image(), "zlibVersion");
    ASSERT_TRUE(functions) << functions.error().text;
    EXPECT_EQ(index->find(functions->at(0).vaddr)->name, "zlibVersion");
}

}  // namespace
}  // namespace uscope::elf
