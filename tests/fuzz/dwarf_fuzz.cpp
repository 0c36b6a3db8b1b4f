// Reads any bytes as a file with DWARF: looks up functions and types, and follows members. No read
// may be out of bounds.
#include <sys/mman.h>
#include <unistd.h>

#include "base/format.h"
#include "dwarf/dwarf.h"
#include "elf/image.h"

using namespace uscope;

namespace {

void follow(const types::TypeRef &type, int depth)
{
    if (!type || depth > 3)
        return;
    follow(type->target, depth + 1);
    if (!type->member_names)
        return;
    size_t count = 0;
    for (const std::string &name : type->member_names()) {
        if (++count > 16)
            break;
        if (auto member = type->find_member(name))
            follow(member->type, depth + 1);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Fd file(memfd_create("fuzz", MFD_CLOEXEC));
    if (!file || write(file.get(), data, size) != static_cast<ssize_t>(size))
        return 0;
    std::string path = fmt::format("/proc/self/fd/{}", file.get());
    auto image = elf::Image::open(path);
    if (!image)
        return 0;
    auto debug = dwarf::Debug::open(*image, path, {.debug_files = false});
    if (!debug || !*debug)
        return 0;
    auto functions = elf::all_functions(*image, {.debug_files = false});
    for (size_t i = 0; functions && i < functions->size() && i < 16; i++) {
        if (auto info = (*debug)->function_at((*functions)[i].vaddr)) {
            follow(info->return_type, 0);
            for (const dwarf::Parameter &parameter : info->parameters)
                follow(parameter.type, 0);
        }
    }
    for (const char *name : {"int", "struct client", "robj", "ns::Thing", "missing"})
        follow((*debug)->find_type(name), 0);
    return 0;
}
