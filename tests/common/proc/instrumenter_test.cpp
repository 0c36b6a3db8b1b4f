#include "proc/instrumenter.h"

#include <gtest/gtest.h>

using namespace uscope::proc;

namespace {

std::vector<Mapping> mapped(const std::string &path)
{
    Mapping mapping;
    mapping.path = path;
    return {mapping};
}

TEST(Instrumenter, IsKnownByItsProgram)
{
    EXPECT_EQ(instrumenter("/usr/libexec/valgrind/memcheck-amd64-linux", {}), "valgrind");
    EXPECT_EQ(instrumenter("/usr/bin/qemu-x86_64", {}), "qemu-user");
    EXPECT_EQ(instrumenter("/usr/bin/qemu-aarch64-static", {}), "qemu-user");
    EXPECT_EQ(instrumenter("/usr/sbin/criu", {}), "criu");
}

TEST(Instrumenter, IsKnownByWhatItMaps)
{
    EXPECT_EQ(instrumenter("/usr/bin/ls", mapped("/opt/dr/lib64/libdynamorio.so.9.0")),
              "DynamoRIO");
    EXPECT_EQ(instrumenter("/usr/bin/ls", mapped("/usr/lib/rr/librrpreload.so")), "rr");
    EXPECT_EQ(instrumenter("/usr/bin/ls", mapped("/usr/lib/dmtcp/libdmtcp.so")), "DMTCP");
    EXPECT_TRUE(is_instrumenting_library("frida-agent-64.so"));
    EXPECT_FALSE(is_instrumenting_library("libssl.so.3"));
}

TEST(Instrumenter, OthersAreNone)
{
    EXPECT_EQ(instrumenter("/usr/bin/valgrind-listener", mapped("/usr/lib/libc.so.6")),
              std::nullopt);
    EXPECT_EQ(instrumenter("/usr/bin/qemu-system-x86_64", {}), std::nullopt);
    EXPECT_EQ(instrumenter("/usr/libexec/qemu-kvm", {}), std::nullopt);
    EXPECT_EQ(instrumenter("/usr/bin/qemu-nbd", {}), std::nullopt);
    EXPECT_EQ(instrumenter("", {}), std::nullopt);
}

}  // namespace
