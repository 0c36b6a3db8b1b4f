// Checks whether returns of a program and of a function can be traced, and explains refusals.
#include "resolve/go_returns.h"

#include <elf.h>

#include "go/build_info.h"
#include "go/returns.h"
#include "resolve/go_goroutine.h"

namespace uscope::resolve {

Result<> check_go_returns(const elf::Image &image, const std::string &path)
{
    if (image.machine() != EM_X86_64) {
        return fail("{}: returns of Go functions can be traced on x86-64 only: trace the entries",
                    path);
    }
    auto built_by = go::built_by(image);
    auto version = built_by ? go::parse_version(*built_by) : std::nullopt;
    if (!version) {
        return fail(
            "{} is a Go program without its Go version, so it is unknown how its functions "
            "return; trace the entries (p:)",
            path);
    }
    if (auto goroutine = go_goroutine(image); !goroutine) {
        return fail("{} was built by {}: its returns cannot be traced: {}; trace the entries (p:)",
                    path, *built_by, goroutine.error().text);
    }
    return {};
}

Result<std::vector<uint64_t>> go_returns(const elf::Image &image, const std::string &path,
                                         const elf::Function &function)
{
    // Names of Go functions have a package before a dot. Names of C functions and of those that the
    // linker generates have no dot.
    if (function.name.find('.') == std::string::npos) {
        return fail(
            "{}: {} is not a Go function: in a Go program, only returns of Go functions can be "
            "traced",
            path, function.display);
    }
    if (function.name.ends_with(".abi0")) {
        return fail("{}: {} is called by assembly code, and returns nothing in registers", path,
                    function.display);
    }
    auto code = function.size ? image.bytes_at(function.vaddr, function.size) : std::nullopt;
    if (!code) {
        return fail("{}: the size of {} is unknown, so its returns cannot be found", path,
                    function.display);
    }
    auto offsets = go::return_offsets(*code);
    if (!offsets) {
        return fail("{}: the returns of {} cannot be traced: it {}", path, function.display,
                    offsets.error().text);
    }
    for (uint64_t &offset : *offsets)
        offset += function.file_offset;
    return offsets;
}

}  // namespace uscope::resolve
