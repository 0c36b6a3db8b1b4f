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
#include "lang/field_reader.h"

namespace uscope::lang {
namespace {

constexpr uint64_t code_file = 112, code_name = 120, code_qualified_name = 128;
constexpr uint64_t max_characters = 4096;

// Before 3.12, the heads of ASCII texts have 8 bytes more, others 16.
uint64_t more_head(const Version &version)
{
    return version < Version{3, 12} ? 8 : 0;
}

// Are the texts the same, as far as they are known? Either of them may be cut.
bool is_same(const std::string &current, const std::string &seen, size_t max_bytes)
{
    size_t common = std::min(current.size(), seen.size());
    return current.compare(0, common, seen, 0, common) == 0 &&
           (current.size() == seen.size() || common >= std::min<size_t>(max_bytes, 255));
}

}  // namespace

std::optional<std::string> read_python_text(const Memory &memory, uint64_t reference,
                                            const Version &version)
{
    FieldReader from(memory);
    uint64_t text = from.read(reference);
    auto state = from.follow<uint8_t>(text, {32});
    uint64_t length = from.follow(text, {16});
    unsigned width = state >> 2 & 7;
    bool is_ascii = state >> 6 & 1;
    uint64_t head = is_ascii ? 40 + more_head(version) : 56 + 2 * more_head(version);
    from.expect(length == 0 || width == 1 || width == 2 || width == 4);
    std::string decoded;
    for (uint64_t i = 0; i < std::min(length, max_characters) && !from.failed(); i++)
        append_utf8(decoded, uint32_t(from.number(text + head + i * width, width)));
    return from.result(std::move(decoded));
}

std::optional<PythonNames> read_python_names(const Memory &memory, uint64_t code, PythonName kind,
                                             const Version &version, const PythonNames &seen,
                                             size_t max_bytes)
{
    FieldReader from(memory);
    auto read = [&](uint64_t offset, const std::string &seen_text) -> std::string {
        uint64_t text = from.read(code + offset);
        bool is_ascii = from.follow<uint8_t>(text, {32}) >> 6 & 1;
        std::string current = from.string(text + 40 + more_head(version));
        if (is_ascii)
            return from.expect(is_same(current, seen_text, max_bytes)) ? seen_text : "";
        // For a text that is not ASCII, the program in the kernel has read the pointer at 40 as
        // characters, so it has seen fewer than 8. If it has seen more, it has seen another text.
        return from.expect(seen_text.size() < sizeof(uint64_t))
                   ? from.take(read_python_text(memory, code + offset, version))
                   : "";
    };
    std::string file = read(code_file, seen.file);
    std::string function =
        read(kind == PythonName::Plain ? code_name : code_qualified_name, seen.function);
    return from.result(PythonNames{std::move(file), std::move(function)});
}

}  // namespace uscope::lang
