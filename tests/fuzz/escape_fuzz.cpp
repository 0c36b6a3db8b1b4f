// Any string of a traced program is printed without control characters, and its bytes can be
// recovered from the printed text.
#include <cstdlib>

#include "output/escape.h"
#include "require.h"

using namespace uscope::output;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    std::string_view text(reinterpret_cast<const char *>(data), size);
    std::string shown = escaped(text);
    require(unescaped(shown) == text);
    for (uint8_t byte : shown)
        require(byte >= 0x20 && byte != 0x7f);

    std::string json;
    append_json_string(json, text);
    require(json.size() >= 2 && json[0] == '"' && json[json.size() - 1] == '"');
    bool backslash = false;
    for (uint8_t byte : std::string_view(json.data() + 1, json.size() - 2)) {
        require(byte >= 0x20 && byte != 0x7f && (byte != '"' || backslash));
        backslash = byte == '\\' && !backslash;
    }
    require(!backslash);
    return 0;
}
