#include "http/tls_cache.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "../elf/elf_builder.h"

using namespace uscope;
using http::TlsCache;

namespace {

struct Program {
    explicit Program(char fill = '\x90')
    {
        elf::ElfBuilder builder;
        builder.add_section(".text", SHT_PROGBITS, std::string(256, fill));
        file = builder.build();
    }
    elf::Image image() const { return std::move(*elf::Image::parse(Bytes(file), "program")); }
    std::string file;
};

tls::Finding some_finding(const elf::Image &image)
{
    uint64_t code = image.section(".text")->vaddr;
    return {"rustls 0.23.40",
            {{tls::Role::RustlsRead, {code, code + 16}},
             {tls::Role::RustlsSend, {code + 32, code + 48}}},
            ""};
}

class TlsCacheTest : public testing::Test {
  protected:
    TlsCacheTest()
    {
        char name[] = "/tmp/uscope-cache.XXXXXX";
        folder = mkdtemp(name);
    }
    ~TlsCacheTest() override { std::filesystem::remove_all(folder); }
    std::vector<std::string> files() const
    {
        std::vector<std::string> files;
        for (const auto &entry : std::filesystem::directory_iterator(folder + "/a/tls"))
            files.push_back(entry.path());
        return files;
    }
    std::string folder;
};

TEST_F(TlsCacheTest, FindsWhatItHasStored)
{
    Program program, other('\xcc');
    auto image = program.image();
    TlsCache cache(folder + "/a/tls");
    EXPECT_FALSE(cache.find(image));
    cache.store(image, some_finding(image));
    EXPECT_EQ(cache.find(image), some_finding(image));
    EXPECT_FALSE(cache.find(other.image()));
    tls::Finding nothing = {"BoringSSL", {}, "no function was found that reads"};
    cache.store(image, nothing);
    EXPECT_EQ(cache.find(image), nothing);
    EXPECT_EQ(files().size(), 1u);
}

TEST_F(TlsCacheTest, IgnoresFilesThatOthersMayHaveWritten)
{
    Program program;
    auto image = program.image();
    TlsCache cache(folder + "/a/tls");
    cache.store(image, some_finding(image));
    std::string file = files().at(0);
    ASSERT_EQ(chmod(file.c_str(), 0622), 0);
    EXPECT_FALSE(cache.find(image));
    ASSERT_EQ(chmod(file.c_str(), 0600), 0);
    EXPECT_TRUE(cache.find(image));
    ASSERT_EQ(rename(file.c_str(), (folder + "/other").c_str()), 0);
    ASSERT_EQ(symlink((folder + "/other").c_str(), file.c_str()), 0);
    EXPECT_FALSE(cache.find(image));
    cache.store(image, some_finding(image));
    ASSERT_EQ(chmod((folder + "/a/tls").c_str(), 0777), 0);
    EXPECT_FALSE(cache.find(image));
}

TEST_F(TlsCacheTest, KeepsTheNewestFiles)
{
    TlsCache cache(folder + "/a/tls");
    Program program;
    auto image = program.image();
    cache.store(image, {});
    for (int i = 0; i < 600; i++) {
        std::string name = folder + "/a/tls/" + std::to_string(i);
        std::ofstream(name) << "x";
        struct timespec times[2] = {{1000 + i, 0}, {1000 + i, 0}};
        ASSERT_EQ(utimensat(AT_FDCWD, name.c_str(), times, 0), 0);
    }
    Program other('\xcc');
    auto next = other.image();
    cache.store(next, {});
    EXPECT_EQ(files().size(), 512u);
    EXPECT_TRUE(cache.find(image) && cache.find(next));
}

TEST(TlsFinding, IsOfThisCodeOnly)
{
    Program program, other('\xcc');
    auto image = program.image(), changed = other.image();
    std::string text = http::write_finding(image, some_finding(image));
    EXPECT_EQ(http::parse_finding(image, text), some_finding(image));
    EXPECT_FALSE(http::parse_finding(changed, text));
    for (size_t length = 0; length < text.size(); length++)
        EXPECT_FALSE(http::parse_finding(image, text.substr(0, length)));
    EXPECT_FALSE(http::parse_finding(image, text + "x"));
    EXPECT_FALSE(http::parse_finding(image, "uscope TLS 0" + text.substr(12)));
    for (const char *line : {"9 0x10078 0x10088 0x1", "2 0x10 0x20 0x1", "2 0x10088 0x10078 0x1"})
        EXPECT_FALSE(
            http::parse_finding(image, std::string("uscope TLS 2\n\n\n") + line + "\nend\n"));
}

}  // namespace
