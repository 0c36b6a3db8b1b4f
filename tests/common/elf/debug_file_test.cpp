#include "elf/debug_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>

#include "common/elf/elf_builder.h"
#include "elf/functions.h"

namespace uscope::elf {
namespace {

namespace fs = std::filesystem;

// A temporary folder, which the tested code uses as the root of a file system.
class DebugFile : public testing::Test {
  protected:
    void SetUp() override
    {
        std::string name = fs::temp_directory_path() / "uscope-debug-XXXXXX";
        ASSERT_TRUE(mkdtemp(name.data()));
        root_ = name;
    }
    void TearDown() override { fs::remove_all(root_); }

    void put(const std::string &path, const std::string &contents)
    {
        fs::create_directories(fs::path(root_ + path).parent_path());
        std::ofstream(root_ + path, std::ios::binary) << contents;
    }
    std::optional<std::string> find(const std::string &path)
    {
        auto image = Image::open(root_ + path);
        EXPECT_TRUE(image) << image.error().text;
        auto found = find_debug_file(*image, path, root_);
        if (found && !found->starts_with(root_))
            return "outside: " + *found;
        return found ? std::optional(found->substr(root_.size())) : std::nullopt;
    }

    std::string root_;
};

void add_build_id(ElfBuilder &builder, std::string_view id)
{
    builder.add_section(".note.gnu.build-id", SHT_NOTE, elf_note("GNU", NT_GNU_BUILD_ID, id));
}

std::string with_symbols(std::string_view id)
{
    ElfBuilder builder;
    add_build_id(builder, id);
    builder.add_function("inner_work", ElfBuilder::base + 8);
    builder.add_symbol_table(".symtab", SHT_SYMTAB);
    return builder.build();
}

std::string stripped(std::string_view id)
{
    ElfBuilder builder;
    if (!id.empty())
        add_build_id(builder, id);
    return builder.build();
}

std::string linked(std::string_view id, std::string_view debug_name, const std::string &debug_bytes)
{
    std::string link(debug_name);
    link.resize((link.size() + 4) & ~size_t{3});
    uint32_t crc =
        crc32(0, reinterpret_cast<const Bytef *>(debug_bytes.data()), debug_bytes.size());
    link.append(reinterpret_cast<char *>(&crc), sizeof crc);
    ElfBuilder builder;
    if (!id.empty())
        add_build_id(builder, id);
    builder.add_section(".gnu_debuglink", SHT_PROGBITS, link);
    return builder.build();
}

std::string packed(const std::string &bytes)
{
    std::string out(lzma_stream_buffer_bound(bytes.size()), '\0');
    size_t used = 0;
    EXPECT_EQ(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, nullptr,
                                      reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(),
                                      reinterpret_cast<uint8_t *>(out.data()), &used, out.size()),
              LZMA_OK);
    out.resize(used);
    return out;
}

std::string with_mini_debug_info(const std::string &contents)
{
    ElfBuilder builder;
    builder.add_section(".gnu_debugdata", SHT_PROGBITS, contents);
    return builder.build();
}

TEST_F(DebugFile, IsFoundByBuildId)
{
    put("/bin/prog", stripped("\xab\xcd\xef"));
    EXPECT_EQ(find("/bin/prog"), std::nullopt);
    put("/usr/lib/debug/.build-id/ab/cdef.debug", with_symbols("\xab\xcd\xef"));
    EXPECT_EQ(find("/bin/prog"), "/usr/lib/debug/.build-id/ab/cdef.debug");
}

TEST_F(DebugFile, MustCarryTheSameBuildId)
{
    put("/bin/prog", stripped("\xab\xcd\xef"));
    put("/usr/lib/debug/.build-id/ab/cdef.debug", with_symbols("\xab\xcd\x00"));
    EXPECT_EQ(find("/bin/prog"), std::nullopt);
}

TEST_F(DebugFile, IsFoundByItsLinkInThreePlaces)
{
    std::string debug = with_symbols("\x01\x02");
    put("/opt/prog", linked("\x01\x02", "prog.debug", debug));
    for (auto place :
         {"/usr/lib/debug/opt/prog.debug", "/opt/.debug/prog.debug", "/opt/prog.debug"}) {
        EXPECT_EQ(find("/opt/prog"), std::nullopt) << place;
        put(place, debug);
        EXPECT_EQ(find("/opt/prog"), place);
        fs::remove(root_ + place);
    }
}

TEST_F(DebugFile, MayBeGivenByAPathThatHoldsTheRoot)
{
    std::string debug = with_symbols("\x01\x02");
    put("/opt/prog", linked("\x01\x02", "prog.debug", debug));
    put("/usr/lib/debug/opt/prog.debug", debug);
    auto image = Image::open(root_ + "/opt/prog");
    ASSERT_TRUE(image);
    EXPECT_EQ(find_debug_file(*image, root_ + "/opt/prog", root_),
              root_ + "/usr/lib/debug/opt/prog.debug");
}

TEST_F(DebugFile, IsCheckedByCrcWithoutABuildId)
{
    std::string debug = with_symbols("\x01\x02"), other = with_symbols("\x01\x03");
    put("/opt/prog", linked("", "prog.debug", debug));
    put("/opt/prog.debug", other);
    EXPECT_EQ(find("/opt/prog"), std::nullopt);
    put("/opt/prog.debug", debug);
    EXPECT_EQ(find("/opt/prog"), "/opt/prog.debug");
}

TEST_F(DebugFile, IsNotTheProgramItself)
{
    std::string debug = with_symbols("\x01\x02");
    put("/opt/prog", linked("\x01\x02", "prog", debug));
    put("/opt/.debug/prog", debug);
    EXPECT_EQ(find("/opt/prog"), "/opt/.debug/prog");
}

TEST_F(DebugFile, IsNotSoughtOutsideItsFolders)
{
    std::string debug = with_symbols("\x01\x02");
    put("/opt/prog", linked("\x01\x02", "../secret", debug));
    put("/secret", debug);
    EXPECT_EQ(find("/opt/prog"), std::nullopt);
}

TEST_F(DebugFile, GivesAStrippedFileItsFunctions)
{
    put("/bin/prog", stripped("\xab\xcd\xef"));
    put("/usr/lib/debug/.build-id/ab/cdef.debug", with_symbols("\xab\xcd\xef"));
    auto image = Image::open(root_ + "/bin/prog");
    ASSERT_TRUE(image);
    auto functions = find_functions(*image, "inner_work", {.root = root_});
    ASSERT_TRUE(functions) << functions.error().text;
    EXPECT_EQ(functions->front().file_offset, 8u);
    EXPECT_FALSE(find_functions(*image, "inner_work", {.root = root_, .debug_files = false}));
}

TEST_F(DebugFile, OfARealProgramAsObjcopySplitsIt)
{
    if (system("objcopy --version >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "objcopy is not installed";
    fs::create_directories(root_ + "/opt/.debug");
    std::string self = fs::read_symlink("/proc/self/exe");
    std::string prog = root_ + "/opt/prog", debug = root_ + "/opt/.debug/prog.debug";
    ASSERT_EQ(system(("objcopy --only-keep-debug " + self + " " + debug).c_str()), 0);
    ASSERT_EQ(
        system(
            ("objcopy --strip-all --add-gnu-debuglink=" + debug + " " + self + " " + prog).c_str()),
        0);
    EXPECT_EQ(find("/opt/prog"), "/opt/.debug/prog.debug");
    auto whole = Image::open(self), image = Image::open(prog);
    ASSERT_TRUE(whole && image);
    auto wanted = find_functions(*whole, "uscope::elf::find_debug_file");
    auto got = find_functions(*image, "uscope::elf::find_debug_file", {.root = root_});
    ASSERT_TRUE(wanted && got);
    EXPECT_EQ(got->front().vaddr, wanted->front().vaddr);
    EXPECT_EQ(got->front().file_offset, wanted->front().file_offset);
}

TEST(MiniDebugInfo, IsUnpacked)
{
    std::string file = with_mini_debug_info(packed("symbols"));
    auto image = Image::parse(Bytes(file), "x");
    ASSERT_TRUE(image);
    EXPECT_EQ(mini_debug_info(*image), "symbols");
}

TEST(MiniDebugInfo, GivesAStrippedFileItsFunctions)
{
    std::string file = with_mini_debug_info(packed(with_symbols("\x01")));
    auto image = Image::parse(Bytes(file), "x");
    ASSERT_TRUE(image);
    auto functions = find_functions(*image, "inner_work", {.debug_files = false});
    ASSERT_TRUE(functions) << functions.error().text;
    EXPECT_EQ(functions->front().vaddr, ElfBuilder::base + 8);
}

TEST(MiniDebugInfo, IsNothingWhenAbsentCutOffOrDamaged)
{
    std::string whole = packed(std::string(1000, 'x'));
    for (std::string contents :
         {std::string(), std::string("xyz"), whole.substr(0, whole.size() - 1)}) {
        std::string file = with_mini_debug_info(contents);
        EXPECT_FALSE(mini_debug_info(*Image::parse(Bytes(file), "x")));
    }
    std::string none = ElfBuilder().build();
    EXPECT_FALSE(mini_debug_info(*Image::parse(Bytes(none), "x")));
}

TEST(MiniDebugInfo, IsBoundedInSize)
{
    std::string file = with_mini_debug_info(packed(std::string((64 << 20) + 1, '\0')));
    ASSERT_LT(file.size(), 1u << 20);
    EXPECT_FALSE(mini_debug_info(*Image::parse(Bytes(file), "x")));
}

// For a process in a chroot, /proc/PID/maps may show paths from our root instead of the process's.
TEST_F(DebugFile, IsBesideAFileWhosePathIsOurs)
{
    std::string debug = with_symbols("");
    put("/jail/opt/app.debug", debug);
    put("/jail/opt/app", linked("", "app.debug", debug));
    auto image = Image::open(root_ + "/jail/opt/app");
    ASSERT_TRUE(image) << image.error().text;
    EXPECT_EQ(find_debug_file(*image, root_ + "/jail/opt/app", "/proc/1/root" + root_ + "/jail"),
              root_ + "/jail/opt/app.debug");
    fs::create_directories(root_ + "/jail/opt/.debug");
    fs::rename(root_ + "/jail/opt/app.debug", root_ + "/jail/opt/.debug/app.debug");
    EXPECT_EQ(find_debug_file(*image, root_ + "/jail/opt/app", "/proc/1/root" + root_ + "/jail"),
              root_ + "/jail/opt/.debug/app.debug");
}

// try_debug_files() says of each path why the file there is not the debug file, up to the one that
// is.
TEST_F(DebugFile, TriedPathsHaveReasons)
{
    ElfBuilder builder;
    add_build_id(builder, "\x12\x34\x56");
    builder.add_section(".gnu_debuglink", SHT_PROGBITS,
                        std::string("tool.debug\0\0", 12) + std::string(4, '\x01'));
    put("/opt/tool", builder.build());
    put("/usr/lib/debug/.build-id/12/3456.debug", with_symbols("\x12\x34\x57"));
    put("/opt/tool.debug", "not an ELF file");
    auto image = Image::open(root_ + "/opt/tool");
    ASSERT_TRUE(image);
    auto tried = [&] {
        std::string text;
        for (const DebugFileAttempt &attempt : try_debug_files(*image, "/opt/tool", root_)) {
            if (attempt.path.starts_with(root_))  // not those in the mount namespace of the test
                text += attempt.path.substr(root_.size()) + ": " + attempt.refusal + "\n";
        }
        return text;
    };
    EXPECT_EQ(tried(),
              "/usr/lib/debug/.build-id/12/3456.debug: has another build-id\n"
              "/opt/tool.debug: cannot be read as an ELF file\n"
              "/opt/.debug/tool.debug: does not exist\n"
              "/usr/lib/debug/opt/tool.debug: does not exist\n");
    put("/opt/.debug/tool.debug", with_symbols("\x12\x34\x56"));
    EXPECT_EQ(tried(),
              "/usr/lib/debug/.build-id/12/3456.debug: has another build-id\n"
              "/opt/tool.debug: cannot be read as an ELF file\n"
              "/opt/.debug/tool.debug: \n");
}

}  // namespace
}  // namespace uscope::elf
