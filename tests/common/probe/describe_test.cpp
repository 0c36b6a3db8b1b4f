#include "probe/describe.h"

#include <gtest/gtest.h>

#include "base/format.h"
#include "elf/functions.h"
#include "probe/build_options.h"
#include "probe/events.h"
#include "support/files.h"

namespace uscope::probe {
namespace {

// Returns the description of a probe without its program: only the lines before that.
std::string described(const std::string &text)
{
    auto parsed = parse_event(text);
    if (!parsed)
        return parsed.error().text;
    std::vector<ProbeRequest> probes;
    probes.push_back(std::move(*parsed));
    probes[0].event_output = record_output();
    auto set = ProbeSet::build(std::move(probes), {});
    return set ? describe(*set) : set.error().text;
}

elf::Function function(const std::string &path, const char *name)
{
    auto image = elf::Image::open(path);
    auto found = elf::find_functions(*image, name);
    EXPECT_TRUE(found) << found.error().text;
    return found->at(0);
}

TEST(Describe, SaysWhereAProbeGoes)
{
    std::string path = tests::target("values"), text = "p:" + path + ":sum \"%d\", arg1";
    elf::Function sum = function(path, "sum");
    std::string all = described(text);
    EXPECT_TRUE(
        all.starts_with(fmt::format("{}\n  {} sum at {:#x} (file offset {:#x})\n  program:\n", text,
                                    path, sum.vaddr, sum.file_offset)))
        << all;
    EXPECT_NE(all.find("event_emit"), all.npos) << all;
    EXPECT_EQ(all.find("program at entry"), all.npos);
}

TEST(Describe, SaysAtWhichInstructionsReturnsAreSeen)
{
    std::string path = tests::target("values");
    elf::Function sum = function(path, "sum");
    std::string all = described("r:" + path + ":sum \"%d\", $entry(a)");
    size_t at = all.find(", returns at 0x");
    ASSERT_NE(at, all.npos) << all;
    uint64_t address = strtoull(all.c_str() + at + strlen(", returns at "), nullptr, 16);
    EXPECT_GE(address, sum.vaddr);
    EXPECT_LT(address, sum.vaddr + sum.size);
    EXPECT_LT(all.find("\n  program at entry:\n"), all.find("\n  program:\n"));
}

TEST(Describe, SaysWhereASemaphoreAndTheArgumentsAre)
{
    std::string all = described("u:" + tests::target("operands") + ":*");
    EXPECT_NE(all.find(", semaphore at file offset 0x"), all.npos) << all;
    EXPECT_NE(all.find("\n  arg1: "), all.npos) << all;
}

// The probe's text comes from a person or a script, and may contain escape sequences.
TEST(Describe, IsSafeForATerminal)
{
    std::string all = described("p:" + tests::target("values") + ":sum \"\x1b[2J%d\", arg1");
    EXPECT_EQ(all.find('\x1b'), all.npos) << all;
}

}  // namespace
}  // namespace uscope::probe
