// Any format is either refused, with the error's column within it, or can be applied to values of
// every kind.
#include <cmath>
#include <cstdlib>

#include "output/printf.h"

using namespace uscope::output;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    std::string_view text(reinterpret_cast<const char *>(data), size);
    auto format = Format::parse(text);
    if (!format) {
        if (format.error().column > size)
            abort();
        return 0;
    }
    Value kinds[] = {
        {.kind = Value::Kind::Integer, .integer = INT64_MIN, .is_signed = true},
        {.kind = Value::Kind::Integer, .integer = -1, .is_signed = true, .size = 1},
        {.kind = Value::Kind::Integer, .integer = 0xffff, .is_register = true},
        {.kind = Value::Kind::Float, .real = -1e300},
        {.kind = Value::Kind::Float, .real = NAN},
        {.kind = Value::Kind::Text, .text = text, .truncated = true},
        {.kind = Value::Kind::Unreadable, .error = 14},
        {},
    };
    for (const Value &kind : kinds) {
        std::vector<Value> values(format->values(), kind);
        std::string out;
        format->apply(values.data(), out);
    }
    return 0;
}
