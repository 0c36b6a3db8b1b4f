#include "elf/stubs.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "support/files.h"

namespace uscope::elf {
namespace {

std::vector<Stub> stubs_of(const std::string &path)
{
    auto image = Image::open(path);
    EXPECT_TRUE(image) << image.error().text;
    return linkage_stubs(*image);
}

TEST(LinkageStubs, AreNamedAfterWhatTheyCall)
{
    auto stubs = stubs_of(uscope::tests::target("spin"));
    auto puts = std::find_if(stubs.begin(), stubs.end(),
                             [](const Stub &stub) { return stub.name == "puts@plt"; });
    ASSERT_NE(puts, stubs.end());
    EXPECT_GE(puts->size, 8u);
    for (size_t i = 1; i < stubs.size(); i++)
        EXPECT_LE(stubs[i - 1].vaddr + stubs[i - 1].size, stubs[i].vaddr);
}

TEST(LinkageStubs, AreDemangled)
{
    auto stubs = stubs_of("/proc/self/exe");
    EXPECT_TRUE(stubs.empty() || std::any_of(stubs.begin(), stubs.end(), [](const Stub &stub) {
                    return stub.name.starts_with("operator delete(");
                }));
}

}  // namespace
}  // namespace uscope::elf
