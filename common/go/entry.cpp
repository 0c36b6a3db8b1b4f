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

}  // namespace

uint64_t entry_offset(Bytes function)
{
    using namespace std::string_view_literals;
    Bytes code = function;
    if (take(code, "\x4c\x8d\x64\x24"sv))
        code = code.from(1);
    else if (take(code, "\x4c\x8d\xa4\x24"sv))
        code = code.from(4);
    bool has_limit = code.size() == function.size() ? take(code, "\x49\x3b\x66\x10"sv)
                                                    : take(code, "\x4d\x3b\x66\x10"sv);
    if (!has_limit)
        return 0;
    if (take(code, "\x76"sv))
        code = code.from(1);
    else if (take(code, "\x0f\x86"sv))
        code = code.from(4);
    else
        return 0;
    return code.empty() ? 0 : function.size() - code.size();
}

}  // namespace uscope::go
