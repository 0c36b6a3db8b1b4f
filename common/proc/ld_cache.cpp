// Parses /etc/ld.so.cache, which ldconfig writes in this format (glibc's
// sysdeps/generic/dl-cache.h), with little-endian numbers:
//
//     0   "glibc-ld.so.cache1.1"         magic and version, no terminator
//     20  u32  number of entries
//     24  u32  bytes of strings, u8 flags, u8[3], u32 extension, u32[3]
//     48  entries of 24 bytes: i32 flags, u32 name, u32 path, u32 os version, u64 hwcap
//     …   strings, each with a terminator; names and paths are offsets from the magic
//
// An example of an entry is 03 03 00 00 | de 65 00 00 | c8 65 00 00 | 0 | 0. The flags 0x303 mean
// an x86-64 library for glibc. Its name, "libz.so", is at offset 0x65de from the magic, which is
// inside the string of its path at 0x65c8: the name is the end of the path.
//
// ldconfig before glibc 2.32 writes a table in an older format first: "ld.so-1.7.0" and a
// terminator; at offset 12 the number of entries (u32); from offset 16 on, entries of 12 bytes. The
// table above follows it, aligned to 8 bytes.
#include "proc/ld_cache.h"

namespace uscope::proc {
namespace {

constexpr std::string_view magic = "glibc-ld.so.cache1.1";
constexpr std::string_view old_magic = "ld.so-1.7.0";
constexpr uint64_t header_bytes = 48, entry_bytes = 24;
constexpr uint64_t old_header_bytes = 16, old_entry_bytes = 12;

#if defined(__aarch64__)
constexpr uint32_t wanted_flags = 0x0a03;
#else
constexpr uint32_t wanted_flags = 0x0303;
#endif

}  // namespace

std::vector<CachedLibrary> parse_ld_cache(Bytes cache)
{
    if (cache.text().starts_with(old_magic)) {
        uint64_t count = cache.read<uint32_t>(12).value_or(0);
        cache = cache.from((old_header_bytes + count * old_entry_bytes + 7) & ~uint64_t(7));
    }
    std::vector<CachedLibrary> libraries;
    if (!cache.text().starts_with(magic))
        return libraries;

    uint32_t count = cache.read<uint32_t>(magic.size()).value_or(0);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = header_bytes + i * entry_bytes;
        auto hwcap = cache.read<uint64_t>(at + 16);
        if (!hwcap)
            break;
        if (*hwcap != 0 || cache.read<uint32_t>(at) != wanted_flags)
            continue;
        auto name = cache.cstring(*cache.read<uint32_t>(at + 4));
        auto path = cache.cstring(*cache.read<uint32_t>(at + 8));
        if (name && path)
            libraries.push_back({*name, *path});
    }
    return libraries;
}

}  // namespace uscope::proc
