#include "proc/ld_cache.h"

#include <string>

#include <gtest/gtest.h>

#include "abi/registers.h"
#include "base/fd.h"

namespace uscope::proc {
namespace {

constexpr uint32_t host_flags = abi::host_machine == abi::Machine::Aarch64 ? 0x0a03 : 0x0303;

struct WrittenEntry {
    uint32_t flags;
    std::string name, path;
    uint64_t hwcap = 0;
};

template <class T>
void put(std::string &out, T value)
{
    out.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

std::string write_cache(const std::vector<WrittenEntry> &entries)
{
    std::string out = "glibc-ld.so.cache1.1", strings;
    put(out, uint32_t(entries.size()));
    out.resize(48);
    uint32_t strings_start = 48 + 24 * entries.size();
    for (const WrittenEntry &entry : entries) {
        put(out, entry.flags);
        put(out, uint32_t(strings_start + strings.size()));
        strings += entry.name + '\0';
        put(out, uint32_t(strings_start + strings.size()));
        strings += entry.path + '\0';
        put(out, uint32_t(0));
        put(out, entry.hwcap);
    }
    return out + strings;
}

TEST(LdCache, ReadsNamesAndPaths)
{
    std::string cache = write_cache({{host_flags, "liba.so.1", "/lib/liba.so.1"}});
    auto libraries = parse_ld_cache(Bytes(cache));
    ASSERT_EQ(libraries.size(), 1u);
    EXPECT_EQ(libraries[0].name, "liba.so.1");
    EXPECT_EQ(libraries[0].path, "/lib/liba.so.1");
}

TEST(LdCache, LeavesOutOtherMachinesAndSpecialProcessors)
{
    std::string cache = write_cache({{0x0803, "liba.so.1", "/lib32/liba.so.1"},
                                     {host_flags, "liba.so.1", "/lib/v3/liba.so.1", 1ull << 62},
                                     {host_flags, "liba.so.1", "/lib/liba.so.1"}});
    auto libraries = parse_ld_cache(Bytes(cache));
    ASSERT_EQ(libraries.size(), 1u);
    EXPECT_EQ(libraries[0].path, "/lib/liba.so.1");
}

TEST(LdCache, FindsTheTableBehindAnOldOne)
{
    std::string cache("ld.so-1.7.0\0\1\0\0\0", 16);
    cache.resize(32);  // one entry of 12 bytes, and 4 bytes of alignment
    cache += write_cache({{host_flags, "liba.so.1", "/lib/liba.so.1"}});
    EXPECT_EQ(parse_ld_cache(Bytes(cache)).size(), 1u);
}

TEST(LdCache, StopsWhereTheEntriesEnd)
{
    std::string cache = write_cache({{host_flags, "liba.so.1", "/lib/liba.so.1"}});
    cache[20] = char(200);  // the header claims 200 entries
    EXPECT_EQ(parse_ld_cache(Bytes(cache)).size(), 1u);
    EXPECT_TRUE(parse_ld_cache(Bytes(cache).slice(0, 60).value()).empty());
    EXPECT_TRUE(parse_ld_cache(Bytes("something else")).empty());
}

TEST(LdCache, ReadsThisMachines)
{
    auto cache = MappedFile::open("/etc/ld.so.cache");
    if (!cache)
        GTEST_SKIP() << "no /etc/ld.so.cache";
    bool has_libc = false;
    for (const CachedLibrary &library : parse_ld_cache(cache->bytes()))
        has_libc |= library.name == "libc.so.6" && library.path.ends_with("/libc.so.6");
    EXPECT_TRUE(has_libc);
}

}  // namespace
}  // namespace uscope::proc
