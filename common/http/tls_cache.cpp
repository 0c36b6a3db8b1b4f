// Reads and writes the files of the cache.
#include "http/tls_cache.h"

#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"
#include "base/text.h"

namespace uscope::http {
namespace {

constexpr size_t most_files = 512, most_bytes = 4096;
// Changes when the finder finds something else in the same file.
constexpr std::string_view first_line = "uscope TLS 2";

uint64_t checksum(Bytes bytes, uint64_t sum = 0xcbf29ce484222325)  // FNV-1a
{
    for (uint8_t byte : std::string_view(bytes.text()))
        sum = (sum ^ byte) * 0x100000001b3;
    return sum;
}

uint64_t checksum_of(const elf::Image &image, const tls::Code &code)
{
    return checksum(image.bytes_at(code.start, code.size()).value_or(Bytes()));
}

// A checksum of a whole file, of eight bytes at a time: 100 MB take some 20 ms.
uint64_t checksum_of_file(Bytes file)
{
    constexpr size_t lanes = 4;
    uint64_t sums[lanes] = {1, 2, 3, 4}, words[lanes];
    size_t at = 0;
    for (; at + sizeof(words) <= file.size(); at += sizeof(words)) {
        memcpy(words, file.data() + at, sizeof(words));
        for (size_t lane = 0; lane < lanes; lane++) {
            uint64_t mixed = (sums[lane] ^ words[lane]) * 0x9e3779b97f4a7c15;
            sums[lane] = mixed ^ mixed >> 32;
        }
    }
    return checksum(file.from(at), checksum(Bytes(sums, sizeof(sums))));
}

// A copy of a program that was changed afterwards has the same build id, but another time.
std::string name_for(const elf::Image &image)
{
    constexpr size_t longest = 128;
    std::string id = image.build_id();
    struct stat info;
    bool has_id = !id.empty() && id.size() <= longest && stat(image.name().c_str(), &info) == 0;
    if (!has_id)
        return fmt::format("x{:016x}-{}", checksum_of_file(image.bytes()), image.bytes().size());
    return fmt::format("{}-{}-{}.{}", id, image.bytes().size(), info.st_mtim.tv_sec,
                       info.st_mtim.tv_nsec);
}

}  // namespace

std::string write_finding(const elf::Image &image, const tls::Finding &finding)
{
    std::string text = fmt::format("{}\n{}\n{}\n", first_line, finding.library, finding.missing);
    for (const tls::Place &place : finding.places)
        append_format(text, "{} {:#x} {:#x} {:#x}\n", int(place.role), place.code.start,
                      place.code.end, checksum_of(image, place.code));
    return text + "end\n";
}

std::optional<tls::Finding> parse_finding(const elf::Image &image, std::string_view text)
{
    auto lines = split(text, '\n');
    if (lines.size() < 5 || lines[0] != first_line || lines[lines.size() - 2] != "end" ||
        !lines.back().empty())
        return std::nullopt;
    tls::Finding finding = {.library = std::string(lines[1]), .missing = std::string(lines[2])};
    for (size_t i = 3; i + 2 < lines.size(); i++) {
        auto words = split(lines[i], ' ');
        if (words.size() != 4)
            return std::nullopt;
        auto role = parse_number(words[0]), start = parse_number(words[1]),
             end = parse_number(words[2]), sum = parse_number(words[3]);
        if (!role || !start || !end || !sum || *role > uint64_t(tls::Role::RustlsSend) ||
            *start >= *end || !image.is_executable(*start) ||
            !image.bytes_at(*start, *end - *start))
            return std::nullopt;
        tls::Place place = {tls::Role(*role), {*start, *end}};
        if (checksum_of(image, place.code) != *sum)
            return std::nullopt;
        finding.places.push_back(place);
    }
    return finding;
}

std::optional<tls::Finding> TlsCache::find(const elf::Image &image) const
{
    Fd file = folder_.open(name_for(image));
    char text[most_bytes];
    ssize_t length = file ? read(file.get(), text, sizeof(text)) : -1;
    return length > 0 ? parse_finding(image, {text, size_t(length)}) : std::nullopt;
}

void TlsCache::store(const elf::Image &image, const tls::Finding &finding) const
{
    std::string text = write_finding(image, finding);
    if (text.size() > most_bytes)
        return;
    CacheFolder::NewFile file = folder_.create();
    if (file.fd && write(file.fd.get(), text.data(), text.size()) == ssize_t(text.size()))
        CacheFolder::keep(std::move(file), name_for(image), {.files = most_files});
    else
        CacheFolder::discard(std::move(file));
}

}  // namespace uscope::http
