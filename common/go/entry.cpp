// Recognizes the stack checks that go/entry.h lists, by their bytes.
#include "go/entry.h"

#include <optional>

namespace uscope::go {
namespace {

// Removes the bytes `expected` from the start of `code`. Returns false if it starts otherwise.
bool take(Bytes &code, std::string_view expected)
{
    if (!code.text().starts_with(expected))
        return false;
    code = code.from(expected.size());
    return true;
}

// Removes a conditional jump, in its short or long form, from the start of `code`. `condition`: 2
// for jb, 4 for je, 6 for jbe. Returns false if `code` starts with another instruction.
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

// Removes the instruction lea DISPLACEMENT(%rsp),%register from the start of `code`; false if it is
// another one. `brief` and `near` are the instruction's bytes before a displacement of 1 and of 4
// bytes.
bool take_address(Bytes &code, std::string_view brief, std::string_view near)
{
    if (take(code, brief))
        code = code.from(1);
    else if (take(code, near))
        code = code.from(4);
    else
        return false;
    return true;
}

using namespace std::string_view_literals;

// Removes the stack check of Go 1.17 and later, where r14 holds the goroutine.
bool take_check(Bytes &code)
{
    std::string_view compare = "\x4d\x3b\x66\x10"sv;
    if (take(code, "\x49\x89\xe4\x49\x81\xec"sv)) {
        code = code.from(4);
        if (!take_jump(code, 2))
            return false;
    } else if (!take_address(code, "\x4c\x8d\x64\x24"sv, "\x4c\x8d\xa4\x24"sv)) {
        compare = "\x49\x3b\x66\x10"sv;
    }
    return take(code, compare) && take_jump(code, 6);
}

// Removes the stack check of older versions, which load the goroutine into rcx.
bool take_old_check(Bytes &code)
{
    bool has_goroutine =
        take(code, "\x64\x48\x8b\x0c\x25\xf8\xff\xff\xff"sv) ||
        (take(code, "\x48\xc7\xc1\xf8\xff\xff\xff"sv) && take(code, "\x64\x48\x8b\x09"sv));
    if (!has_goroutine)
        return false;
    auto take_rax = [&] { return take_address(code, "\x48\x8d\x44\x24"sv, "\x48\x8d\x84\x24"sv); };
    if (take(code, "\x48\x8b\x71\x10"sv)) {
        if (!take(code, "\x48\x81\xfe\xde\xfa\xff\xff"sv) || !take_jump(code, 4) || !take_rax() ||
            !take(code, "\x48\x29\xf0\x48\x3d"sv))
            return false;
        code = code.from(4);
        return take_jump(code, 6);
    }
    std::string_view compare = take_rax() ? "\x48\x3b\x41\x10"sv : "\x48\x3b\x61\x10"sv;
    return take(code, compare) && take_jump(code, 6);
}

// Returns the rest of the function after its stack check, or nullopt if it has none.
std::optional<Bytes> after_check(Bytes function)
{
    Bytes code = function, old_code = function;
    if (take_check(code))
        return code;
    if (take_old_check(old_code))
        return old_code;
    return std::nullopt;
}

}  // namespace

uint64_t entry_offset(Bytes function)
{
    auto code = after_check(function);
    return code && !code->empty() ? function.size() - code->size() : 0;
}

uint64_t call_offset(Bytes function)
{
    constexpr uint64_t brief = 2, near = 6;  // jbe
    uint64_t end = entry_offset(function);
    if (!end)
        return 0;
    bool is_brief = function.from(end - brief).text().starts_with('\x76') &&
                    function.from(end - near).text().substr(0, 2) != "\x0f\x86";
    return end - (is_brief ? brief : near);
}

}  // namespace uscope::go
