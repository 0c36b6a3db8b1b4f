// The stacks of a real interpreter, and what its memory had of their code, through the code that reads names; the
// interpreter has the same.
#include <filesystem>
#include <map>
#include <set>

#include <elf.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "base/text.h"
#include "elf/frames.h"
#include "elf/image.h"
#include "lang/interpreter.h"
#include "lang/memory.h"
#include "support/recording.h"

namespace uscope::lang {
namespace {

using Pages = std::map<uint64_t, std::string_view>;  // by their addresses

Memory memory_of(const Pages &pages)
{
    auto find = [](const std::string &) { return std::optional<uint64_t>(); };
    auto read = [&pages](uint64_t address, char *into, size_t bytes) {
        auto page = pages.find(address);
        return page == pages.end() ? size_t(0) : page->second.copy(into, bytes);
    };
    return Memory(find, read);
}

// "call (shapes.py:21) < main (shapes.py:74)", the newest first.
std::string line_of(const std::vector<InterpretedFrame> &frames)
{
    std::vector<std::string> shown;
    for (const InterpretedFrame &frame : frames)
        shown.push_back(fmt::format("{} ({})", frame.function, frame.source));
    return uscope::join(shown, " < ");
}

// A stack may be asked for more than once.
std::set<std::string> stacks_of(const uscope::tests::Recording &recording,
                                const Interpreter &interpreter)
{
    std::set<std::string> stacks;
    CodeNames names;
    Pages pages;  // of the next stack
    for (const Recorded &entry : recording.entries()) {
        if (entry.what == "memory")
            pages[entry.data.read<uint64_t>(0).value_or(0)] = entry.data.from(8).text();
        if (entry.what != "interpreted")
            continue;
        auto frames = entry.data.read<unwind_interpreted>(0);
        if (!frames || entry.data.size() != sizeof(*frames)) {
            ADD_FAILURE() << uscope::tests::other_layout;
            break;
        }
        Memory memory = memory_of(pages);
        stacks.insert(
            line_of(names.frames({&interpreter, 0}, pid_t(frames->tgid), &memory, *frames)));
        pages.clear();
    }
    return stacks;
}

TEST(Replay, StacksOfPythonAreItsOwn)
{
    const std::string program = "/usr/bin/python3.11";
    if (!std::filesystem::exists(program))
        GTEST_SKIP() << program << " is not installed";
    auto image = elf::Image::open(program);
    ASSERT_TRUE(image);
    if (image->machine() != EM_X86_64)
        GTEST_SKIP() << program << " is of another machine than the recording";
    auto interpreter = find_interpreter(*image, elf::Frames::of(*image), "python3.11");
    ASSERT_TRUE(interpreter);

    uscope::tests::Recording recording("python");
    std::set<std::string> own;
    for (std::string_view line : split(trim(recording.rows()), '\n'))
        own.emplace(line);
    EXPECT_EQ(stacks_of(recording, *interpreter), own) << uscope::tests::other_layout;
}

}  // namespace
}  // namespace uscope::lang
