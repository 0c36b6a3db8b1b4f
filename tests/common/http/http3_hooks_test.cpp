#include <elf.h>

#include <gtest/gtest.h>

#include "http/http3_hooks.h"

namespace uscope::http {
namespace {

std::optional<std::pair<uint32_t, uint32_t>> offsets(std::string_view code,
                                                     uint16_t machine = EM_X86_64)
{
    auto buffer = find_http3_buffer(Bytes(code), machine);
    return buffer ? std::optional(std::pair(buffer->base_at, buffer->length_at)) : std::nullopt;
}

using namespace std::string_view_literals;

TEST(HttpHttp3Hooks, FindsWhereBuffersHaveTheirBytes)
{
    using Pair = std::pair<uint32_t, uint32_t>;
    // Debian 13's and sid's libnghttp3
    EXPECT_EQ(offsets("\xf3\x0f\x1e\xfa\x48\x8b\x47\x08\x48\x8b\x57\x10\xc3"sv), Pair(8, 16));
    // in the other order, at 0, with a frame
    EXPECT_EQ(offsets("\x55\x48\x89\xe5\x48\x8b\x57\x18\x48\x8b\x07\x5d\xc3"sv), Pair(0, 24));
    // bti c; ldp x0, x1, [x0, #8]; ret
    EXPECT_EQ(offsets("\x5f\x24\x03\xd5\x00\x84\x40\xa9\xc0\x03\x5f\xd6"sv, EM_AARCH64),
              Pair(8, 16));
}

TEST(HttpHttp3Hooks, KnowsNoOtherCode)
{
    for (std::string_view code : {
             ""sv,
             "\xc3"sv,
             "\x48\x8b\x47\x08\xc3"sv,
             "\x48\x8b\x47\x08\x48\x8b\x57"sv,              // cut
             "\x48\x8b\x46\x08\x48\x8b\x57\x10\xc3"sv,      // from another register
             "\x48\x8b\x47\x08\x48\x8b\x4f\x10\xc3"sv,      // to another register
             "\x48\x8b\x47\xf8\x48\x8b\x57\x10\xc3"sv,      // before the structure
             "\x48\x8b\x47\x08\x48\x8b\x57\x10\x90\xc3"sv,  // and more
             "\x55\x48\x89\xe5\x48\x8b\x47\x08\x48\x8b\x57\x10\xc3"sv,
         })
        EXPECT_EQ(offsets(code), std::nullopt);
    EXPECT_EQ(offsets("\x00\x84\x40\xa9"sv, EM_AARCH64), std::nullopt);
    // ldp x0, x2, [x0, #8]; a negative offset
    EXPECT_EQ(offsets("\x00\x88\x40\xa9\xc0\x03\x5f\xd6"sv, EM_AARCH64), std::nullopt);
    EXPECT_EQ(offsets("\x00\x84\x7f\xa9\xc0\x03\x5f\xd6"sv, EM_AARCH64), std::nullopt);
    EXPECT_EQ(offsets("\xc3"sv, EM_RISCV), std::nullopt);
}

}  // namespace
}  // namespace uscope::http
