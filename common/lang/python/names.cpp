// CPython stores a text with one, two or four bytes per character, as the widest one needs, after a
// head that is longer if the text is not ASCII. "größe" in 3.12 and later (until 3.11 the heads are
// longer):
//
//     16  05 00 00 00 00 00 00 00   number of characters
//     32  26 00 00 00               bits 2 to 4: bytes per character; 6: is ASCII
//     40  …                         ASCII: the characters and a NUL; else a pointer and a length
//     56  67 72 f6 df 65            the characters
//
// Programs in the kernel treat all texts as ASCII. For other texts they read the pointer at
// 40, which is mostly null: an empty string.
#include "lang/python/names.h"

#include <algorithm>

#include "base/text.h"

namespace uscope::lang {
namespace {

constexpr uint64_t code_file = 112, code_name = 120, code_qualified_name = 128;
constexpr uint64_t most_characters = 4096;

std::optional<uint32_t> read_character(const Memory &memory, uint64_t address, unsigned width)
{
    switch (width) {
    case 1:
        return memory.read<uint8_t>(address);
    case 2:
        return memory.read<uint16_t>(address);
    case 4:
        return memory.read<uint32_t>(address);
    }
    return std::nullopt;
}

// Before 3.12, the heads of ASCII texts have 8 bytes more, others 16.
uint64_t more_head(const Version &version)
{
    return version < Version{3, 12} ? 8 : 0;
}

class Reader {
  public:
    Reader(const Memory &memory, const Version &version, size_t most_bytes)
        : memory_(memory), version_(version), most_bytes_(most_bytes)
    {
    }

    std::optional<std::string> read(uint64_t reference, const std::string &seen) const
    {
        auto text = memory_.read<uint64_t>(reference);
        auto state = text ? memory_.read<uint8_t>(*text + 32) : std::nullopt;
        auto current = text ? memory_.string(*text + 40 + more_head(version_)) : std::nullopt;
        if (!state || !current)
            return std::nullopt;
        if (*state >> 6 & 1)
            return is_same(*current, seen) ? std::optional(seen) : std::nullopt;
        if (seen.size() >= sizeof(uint64_t))  // longer than the pointer at 40 can be
            return std::nullopt;
        return read_python_text(memory_, reference, version_);
    }

  private:
    // Either of them may be cut.
    bool is_same(const std::string &current, const std::string &seen) const
    {
        size_t common = std::min(current.size(), seen.size());
        return current.compare(0, common, seen, 0, common) == 0 &&
               (current.size() == seen.size() || common >= std::min<size_t>(most_bytes_, 255));
    }

    const Memory &memory_;
    Version version_;
    size_t most_bytes_;
};

}  // namespace

std::optional<std::string> read_python_text(const Memory &memory, uint64_t reference,
                                            const Version &version)
{
    auto text = memory.read<uint64_t>(reference);
    auto state = text ? memory.read<uint8_t>(*text + 32) : std::nullopt;
    auto length = text ? memory.read<uint64_t>(*text + 16) : std::nullopt;
    if (!state || !length)
        return std::nullopt;
    unsigned width = *state >> 2 & 7;
    bool is_ascii = *state >> 6 & 1;
    uint64_t head = is_ascii ? 40 + more_head(version) : 56 + 2 * more_head(version);
    std::string decoded;
    for (uint64_t i = 0; i < std::min(*length, most_characters); i++) {
        auto character = read_character(memory, *text + head + i * width, width);
        if (!character)
            return std::nullopt;
        append_utf8(decoded, *character);
    }
    return decoded;
}

std::optional<PythonNames> read_python_names(const Memory &memory, uint64_t code, PythonName kind,
                                             const Version &version, const PythonNames &seen,
                                             size_t most_bytes)
{
    Reader reader(memory, version, most_bytes);
    uint64_t name = kind == PythonName::Plain ? code_name : code_qualified_name;
    auto file = reader.read(code + code_file, seen.file);
    auto function = reader.read(code + name, seen.function);
    if (!file || !function)
        return std::nullopt;
    return PythonNames{*file, *function};
}

}  // namespace uscope::lang
