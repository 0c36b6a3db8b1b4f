// Replays recorded stacks and memory of real interpreters, and compares the frames with those that
// the interpreter itself reported.
#include <filesystem>
#include <map>
#include <regex>
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

using Pages = std::map<uint64_t, std::string_view>;  // address -> bytes of the memory page

Memory memory_of(const Pages &pages)
{
    auto find = [](const std::string &) { return std::optional<uint64_t>(); };
    auto read = [&pages](uint64_t address, char *into, size_t bytes) {
        auto page = pages.find(address);
        return page == pages.end() ? size_t(0) : page->second.copy(into, bytes);
    };
    return Memory(find, read);
}

// Returns a stack as "call (shapes.py:21) < main (shapes.py:74)", the innermost frame first.
std::string line_of(const std::vector<InterpretedFrame> &frames)
{
    std::vector<std::string> shown;
    for (const InterpretedFrame &frame : frames) {
        if (!frame.is_stack_end)
            shown.push_back(fmt::format("{} ({})", frame.function, frame.source));
    }
    return uscope::join(shown, " < ");
}

// Returns a record of the kernel side. In a recording, each follows the load bias of the
// interpreter's file (the difference between addresses in memory and in the file).
template <class T>
std::optional<T> record_in(const Recorded &entry, uint64_t &bias)
{
    bias = entry.data.read<uint64_t>(0).value_or(0);
    if (entry.data.size() != sizeof(bias) + sizeof(T)) {
        ADD_FAILURE() << uscope::tests::other_layout;
        return std::nullopt;
    }
    return entry.data.read<T>(sizeof(bias));
}

// Returns the stacks of a recording; a set, because the same stack may be recorded more than once.
std::set<std::string> stacks_of(const uscope::tests::Recording &recording,
                                const Interpreter &interpreter)
{
    std::set<std::string> stacks;
    CodeNames names;
    Pages pages;  // the memory of the process for the next record
    for (const Recorded &entry : recording.entries()) {
        if (entry.what == "memory")
            pages[entry.data.read<uint64_t>(0).value_or(0)] = entry.data.from(8).text();
        if (entry.what != "interpreted" && entry.what != "code")
            continue;
        Memory memory = memory_of(pages);
        uint64_t bias = 0;
        if (entry.what == "code") {
            if (auto code = record_in<unwind_code>(entry, bias))
                names.add({&interpreter, bias}, &memory, *code);
        } else if (auto frames = record_in<unwind_interpreted>(entry, bias)) {
            stacks.insert(
                line_of(names.frames({&interpreter, bias}, pid_t(frames->tgid), &memory, *frames)));
        }
        pages.clear();
    }
    return stacks;
}

// Perl's caller() reports no frame for the block of a sort. So this turns "(block) (a.pl:1) <
// main::f (a.pl:1)" into "main::f (a.pl:1)".
std::set<std::string> as_caller_has(const std::set<std::string> &stacks)
{
    static const std::regex block(R"(\(block\) (\([^)]*\)) < (\(eval\)|[^ ]+) \([^)]*\))");
    std::set<std::string> changed;
    for (std::string stack : stacks) {
        while (std::regex_search(stack, block))
            stack = std::regex_replace(stack, block, "$2 $1");
        changed.insert(stack);
    }
    return changed;
}

struct Recording {
    const char *name, *file;
};

class Replay : public testing::TestWithParam<Recording> {};

TEST_P(Replay, StacksOfAnInterpreterAreItsOwn)
{
    auto [name, path] = GetParam();
    if (!std::filesystem::exists(path))
        GTEST_SKIP() << path << " is not installed";
    uscope::tests::Recording recording(name);
    auto lines = split(trim(recording.rows()), '\n');
    auto image = elf::Image::open(path);
    ASSERT_TRUE(image);
    if (image->build_id() != lines.at(0))
        GTEST_SKIP() << path << " is another build than the recording's";
    auto interpreter = find_interpreter(*image, elf::Frames::of(*image),
                                        std::filesystem::path(path).filename().native());
    ASSERT_TRUE(interpreter);
    EXPECT_EQ(as_caller_has(stacks_of(recording, *interpreter)),
              std::set<std::string>(lines.begin() + 1, lines.end()))
        << uscope::tests::other_layout;
}

INSTANTIATE_TEST_SUITE_P(
    InterpretersOf, Replay,
    testing::Values(Recording{"python", "/usr/bin/python3.11"},
                    Recording{"ruby", "/usr/lib/x86_64-linux-gnu/libruby-3.1.so.3.1"},
                    Recording{"perl", "/usr/bin/perl"}, Recording{"php", "/usr/bin/php8.2"}),
    [](const auto &info) { return std::string(info.param.name); });

}  // namespace
}  // namespace uscope::lang
