#include "go/entry.h"

namespace uscope::go {
namespace {

// Is `expected` at the start? Then it is taken off.
bool take(Bytes &code, std::string_view expected)
{
    if (!code.text().starts_with(expected))
        return false;
    code = code.from(expected.size());
    return true;
}

// A conditional jump: `condition` is 2 for jb, 6 for jbe.
bool take_jump(Bytes &code, char condition)
{
    const char near[] = {'\x0f', static_cast<char>('\x80' | condition)};
    const char brief[] = {static_cast<char>('\x70' | condition)};
    if (take(code, {brief, sizeof(brief)}))
        code = code.from(1);
    else if (take(code, {near, sizeof(near)}))
        code = code.from(4);
    else
        return false;
    return true;
}

}  // namespace

uint64_t entry_offset(Bytes function)
{
    using namespace std::string_view_literals;
    Bytes code = function;
    if (take(code, "\x4c\x8d\x64\x24"sv)) {
        code = code.from(1);
    } else if (take(code, "\x4c\x8d\xa4\x24"sv)) {
        code = code.from(4);
    } else if (take(code, "\x49\x89\xe4\x49\x81\xec"sv)) {
        code = code.from(4);
        if (!take_jump(code, 2))
            return 0;
    }
    bool has_limit = code.size() == function.size() ? take(code, "\x49\x3b\x66\x10"sv)
                                                    : take(code, "\x4d\x3b\x66\x10"sv);
    if (!has_limit || !take_jump(code, 6))
        return 0;
    return code.empty() ? 0 : function.size() - code.size();
}

}  // namespace uscope::go
