#include "lang/ruby/frames.h"
#include "elf/image.h"
#include "lang/memory.h"
#include "support/process_memory.h"

#include <set>

#include <glob.h>

#include <gtest/gtest.h>

namespace uscope::lang {
namespace {

TEST(RubyFrames, KnowsItsFilesByName)
{
    for (const char *name : {"libruby-3.1.so.3.1.2", "libruby.so.3.3.8"})
        EXPECT_TRUE(is_ruby(name)) << name;
    for (const char *name : {"ruby3.1", "ruby", "libruby-static.a", "irb", "librubygems"})
        EXPECT_FALSE(is_ruby(name)) << name;
}

// Writes a string object of Ruby 3.1. Short strings are in the object itself, long ones outside of
// it.
void put_string(ProcessMemory &process, uint64_t at, const std::string &text)
{
    constexpr uint64_t kind = 5, is_long = 1 << 13;
    uint64_t to = text.size() < 24 ? at + 16 : at + 64;
    process.put<uint64_t>(at, text.size() < 24 ? kind | text.size() << 14 : kind | is_long);
    process.put<uint64_t>(at + 16, text.size());
    process.put<uint64_t>(at + 24, to);
    for (size_t i = 0; i < text.size(); i++)
        process.put(to + i, text[i]);
}

struct Library {
    elf::Image image;
    std::optional<Interpreter> interpreter = {};
};

// Returns the library of Ruby 3.1; null if it is not installed.
std::unique_ptr<Library> find_library()
{
    glob_t found = {};
    std::unique_ptr<Library> library;
    if (glob("/usr/lib/*/libruby-3.1.so.3.1", 0, nullptr, &found) == 0)
        if (auto image = elf::Image::open(found.gl_pathv[0])) {
            library = std::make_unique<Library>(Library{std::move(*image)});
            library->interpreter =
                find_ruby_frames(library->image, elf::Frames::of(library->image));
        }
    globfree(&found);
    return library;
}

constexpr uint64_t body = 0x1000, path = 0x2000, label = 0x2100, line_table = 0x3000,
                   tables = 0x9000;

// Writes the code of a method. Its instructions at the positions `begins` start the lines 100, 101,
// ….
void put_code(ProcessMemory &process, uint32_t size, const std::set<uint32_t> &begins)
{
    process.put<uint32_t>(body + 4, size);
    process.put<uint64_t>(body + 64, path);
    process.put<uint64_t>(body + 80, label);
    process.put<uint64_t>(body + 120, line_table);
    process.put<uint32_t>(body + 136, uint32_t(begins.size()));
    process.put<uint64_t>(body + 144, tables);
    put_string(process, path, "/srv/application/of/some/length.rb");
    put_string(process, label, "block in run");
    for (uint32_t i = 0; i < begins.size(); i++) {
        process.put<uint32_t>(line_table + 12 * i, 100 + i);
        process.put<uint64_t>(line_table + 12 * i + 4, 0);
    }
    auto below = [&](uint32_t position) {
        return uint64_t(std::distance(begins.begin(), begins.lower_bound(position)));
    };
    for (uint32_t i = 0; i < 6; i++) {
        uint64_t counts = 0;
        for (uint32_t j = 0; j < 9; j++)
            counts |= below(i * 9 + j + 1) << 7 * j;
        process.put(tables + 8 * i, counts);
    }
    for (uint32_t start = 54, at = 0; start < size; start += 512, at += 80) {
        uint64_t ranks = 0, to = tables + 48 + at;
        process.put<uint64_t>(to, below(start));
        for (uint32_t i = 1; i < 8; i++)
            ranks |= (below(start + 64 * i) - below(start)) << 9 * (i - 1);
        process.put(to + 8, ranks);
        for (uint32_t i = 0; i < 8; i++) {
            uint64_t bits = 0;
            for (uint32_t j = 0; j < 64; j++)
                bits |= uint64_t(begins.count(start + 64 * i + j)) << j;
            process.put(to + 16 + 8 * i, bits);
        }
    }
}

TEST(RubyFrames, AreWhereTheLibraryHasThem)
{
    auto library = find_library();
    if (!library)
        GTEST_SKIP() << "there is no Ruby 3.1";
    ASSERT_TRUE(library->interpreter);
    const Interpreter &found = *library->interpreter;
    EXPECT_EQ(found.frames.state_by, UNWIND_STATE_BY_MODULE);
    EXPECT_TRUE(found.frames.native_before);
    EXPECT_EQ(found.frames.key % 8, 0u);
    EXPECT_FALSE(library->image.is_executable(found.frames.key));
    EXPECT_TRUE(library->image.is_executable(found.frames.loop_at));
    EXPECT_GT(found.frames.loop_bytes, 10000u);
}

TEST(RubyFrames, HaveTheLinesOfLongCode)
{
    auto library = find_library();
    if (!library)
        GTEST_SKIP() << "there is no Ruby 3.1";
    ASSERT_TRUE(library->interpreter);
    constexpr uint32_t size = 1300;
    std::set<uint32_t> begins = {0,   1,   8,   9,   53,   54,   117, 118,
                                 200, 565, 566, 567, 1077, 1078, 1299};
    ProcessMemory process;
    put_code(process, size, begins);
    auto code = library->interpreter->read(process.memory(), 0, body);
    ASSERT_TRUE(code);
    EXPECT_EQ(code->function, "block in run");
    EXPECT_EQ(code->file, "/srv/application/of/some/length.rb");
    for (uint32_t position = 0; position < size; position++) {
        auto next = uint32_t(std::distance(begins.begin(), begins.upper_bound(position)));
        ASSERT_EQ(code->line(position + 1), 99 + next) << position;
    }
    EXPECT_EQ(code->line(0), 100u);
    EXPECT_EQ(code->line(size + 1), 0u);
    EXPECT_EQ(code->line(UNWIND_FRAME_NOWHERE), 0u);
}

TEST(RubyFrames, AreNotReadFromSomethingElse)
{
    auto library = find_library();
    if (!library)
        GTEST_SKIP() << "there is no Ruby 3.1";
    ASSERT_TRUE(library->interpreter);
    ProcessMemory process;
    put_code(process, 10, {0, 3});
    const Interpreter &found = *library->interpreter;
    EXPECT_FALSE(found.read(process.memory(), 0, 0x100000));
    process.put<uint64_t>(label, 7);  // an array
    EXPECT_FALSE(found.read(process.memory(), 0, body));
    put_string(process, label, "run");
    EXPECT_TRUE(found.read(process.memory(), 0, body));
    process.put<uint32_t>(body + 136, 1u << 30);
    EXPECT_FALSE(found.read(process.memory(), 0, body));
}

}  // namespace
}  // namespace uscope::lang
