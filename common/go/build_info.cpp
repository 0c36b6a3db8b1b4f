// Finds and reads the note for `go version`.
#include "go/build_info.h"

#include "base/text.h"

namespace uscope::go {
namespace {

constexpr std::string_view magic = "\xff Go buildinf:";
constexpr uint64_t alignment = 16, searched = 1 << 20;  // bytes, as in `go version`
constexpr uint64_t longest_version = 256;

// Removes the decimal number at the start of `text` and returns it; nullopt if there is none.
std::optional<unsigned> take_number(std::string_view &text)
{
    size_t digits = 0;
    while (digits < text.size() && digits < 6 && text[digits] >= '0' && text[digits] <= '9')
        digits++;
    auto number = parse_number(text.substr(0, digits));
    if (!digits || !number)
        return std::nullopt;
    text.remove_prefix(digits);
    return *number;
}

// Reads a length (varint) and the text after it.
std::optional<std::string> version_that_follows(Bytes text)
{
    uint64_t length = 0;
    for (unsigned at = 0; at < 9; at++) {
        auto byte = text.read<uint8_t>(at);
        if (!byte)
            return std::nullopt;
        length |= static_cast<uint64_t>(*byte & 0x7f) << (7 * at);
        if (*byte & 0x80)
            continue;
        auto version = text.slice(at + 1, length);
        if (!version || length > longest_version)
            return std::nullopt;
        return std::string(version->text());
    }
    return std::nullopt;
}

// Reads the version of a note from before Go 1.18.
std::optional<std::string> version_by_pointer(Bytes note, const Memory &memory)
{
    auto header = note.read<uint64_t>(16);
    auto string = header ? memory(*header, 16) : std::nullopt;
    auto text = string ? string->read<uint64_t>(0) : std::nullopt;
    auto length = string ? string->read<uint64_t>(8) : std::nullopt;
    if (!text || !length || *length > longest_version)
        return std::nullopt;
    auto version = memory(*text, *length);
    if (!version)
        return std::nullopt;
    return std::string(version->text());
}

}  // namespace

std::optional<Version> parse_version(std::string_view text)
{
    constexpr std::string_view devel = "devel ";
    if (text.starts_with(devel))
        text.remove_prefix(devel.size());
    if (!text.starts_with("go"))
        return std::nullopt;
    text.remove_prefix(2);
    auto major = take_number(text);
    if (!major || !text.starts_with('.'))
        return std::nullopt;
    text.remove_prefix(1);
    auto minor = take_number(text);
    if (!minor)
        return std::nullopt;
    return Version{*major, *minor};
}

std::optional<std::string> version_in(Bytes note, const Memory &memory)
{
    constexpr uint8_t big_endian = 1, strings_follow = 2;
    auto pointer_bytes = note.read<uint8_t>(14), flags = note.read<uint8_t>(15);
    if (!note.text().starts_with(magic) || !pointer_bytes || !flags)
        return std::nullopt;
    std::optional<std::string> version;
    if (*flags & strings_follow)
        version = version_that_follows(note.from(32));
    else if (*pointer_bytes == 8 && !(*flags & big_endian))
        version = version_by_pointer(note, memory);
    return version && !version->empty() ? version : std::nullopt;
}

std::optional<std::string> built_by(const elf::Image &image)
{
    auto memory = [&](uint64_t vaddr, uint64_t length) { return image.bytes_at(vaddr, length); };
    if (const elf::Section *section = image.section(".go.buildinfo")) {
        if (auto note = image.contents(*section))
            return version_in(*note, memory);
    }
    for (const elf::Segment &segment : image.segments()) {
        auto data = image.bytes().slice(segment.offset, segment.file_size);
        if (!segment.writable || !data)
            continue;
        size_t at = data->text().substr(0, searched).find(magic);
        for (; at != std::string_view::npos;
             at = data->text().substr(0, searched).find(magic, at + 1)) {
            if (at % alignment == 0)
                return version_in(data->from(at), memory);
        }
    }
    return std::nullopt;
}

std::optional<Version> version_of(const elf::Image &image)
{
    auto version = built_by(image);
    if (!version)
        return std::nullopt;
    return parse_version(*version);
}

bool passes_in_registers(const elf::Image &image)
{
    auto version = version_of(image);
    return image.machine() == EM_X86_64 && version && *version >= Version{1, 17};
}

}  // namespace uscope::go
