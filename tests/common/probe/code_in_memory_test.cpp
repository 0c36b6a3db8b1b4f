#include "probe/code_in_memory.h"

#include <gtest/gtest.h>

#include "common/proc/fixture.h"
#include "elf/image.h"

using namespace uscope;
using State = uscope::probe::CodeInMemory::State;

namespace {

[[gnu::noipa]] int untouched(int x)
{
    return x * 3 + 1;
}
[[gnu::noipa]] int with_breakpoint(int x)
{
    return x * 5 + 1;
}
[[gnu::noipa]] int hooked(int x)
{
    return x * 7 + 1;
}

bool write_code(int (*function)(int), std::string_view bytes)
{
    constexpr uintptr_t page = 4096;
    auto at = reinterpret_cast<uintptr_t>(function);
    void *start = reinterpret_cast<void *>(at & ~(page - 1));
    if (mprotect(start, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return false;
    memcpy(reinterpret_cast<void *>(at), bytes.data(), bytes.size());
    return mprotect(start, 2 * page, PROT_READ | PROT_EXEC) == 0;
}

// Returns the function's offset in the file of this program, which a forked process also runs.
uint64_t offset_of(int (*function)(int))
{
    auto at = reinterpret_cast<uintptr_t>(function);
    std::vector<proc::Mapping> mappings = proc::read_maps(getpid()).value();
    for (const proc::Mapping &mapping : mappings) {
        if (at >= mapping.start && at < mapping.end)
            return at - mapping.start + mapping.offset;
    }
    return 0;
}

TEST(CodeInMemory, DiffersWhereTheProcessHasChangedIt)
{
    tests::Child child([] {
        return write_code(with_breakpoint, "\xcc") && write_code(hooked, "\xe9\x01\x02\x03\x04");
    });
    ASSERT_TRUE(child.ready());
    auto code = probe::CodeInMemory::open(child.pid());
    ASSERT_TRUE(code) << code.error().text;
    auto image = elf::Image::open("/proc/self/exe");
    ASSERT_TRUE(image);
    code->choose("/proc/self/exe", *image);
    EXPECT_TRUE(code->mapping());
    EXPECT_EQ(code->at(offset_of(untouched)), State::AsInFile);
    EXPECT_EQ(code->at(offset_of(with_breakpoint)), State::AsInFile);
    EXPECT_EQ(code->at(offset_of(hooked)), State::Changed);
    EXPECT_EQ(code->has_breakpoint(offset_of(with_breakpoint)), true);
    EXPECT_EQ(code->has_breakpoint(offset_of(untouched)), false);
    EXPECT_EQ(code->has_breakpoint(offset_of(hooked)), false);
}

TEST(CodeInMemory, OfAnotherFileIsNotMapped)
{
    auto code = probe::CodeInMemory::open(getpid());
    ASSERT_TRUE(code);
    std::string other = "/bin/true";
    auto image = elf::Image::open(other);
    ASSERT_TRUE(image);
    code->choose(other, *image);
    EXPECT_FALSE(code->mapping());
    EXPECT_EQ(code->at(image->segments()[0].offset), State::NotMapped);
}

}  // namespace
