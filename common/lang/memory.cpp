#include "lang/memory.h"

#include <fcntl.h>

#include "elf/functions.h"

namespace uscope::lang {
namespace {

std::optional<uint64_t> load_bias(const elf::Image &image, const proc::MappedObject &object)
{
    for (const elf::Segment &segment : image.segments()) {
        for (const proc::Mapping &m : object.mappings) {
            bool is_code = segment.executable && m.executable;
            if (is_code && segment.offset - m.offset < m.end - m.start)
                return m.start + (segment.offset - m.offset) - segment.vaddr;
        }
    }
    return std::nullopt;
}

}  // namespace

Result<Memory> Memory::open(pid_t pid, const proc::MappedObject &object)
{
    auto image = TRY(elf::Image::open(object.open_path));
    auto bias = load_bias(image, object);
    if (!bias)
        return fail("process {} does not run code of {}", pid, object.path);
    Fd memory(::open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDONLY | O_CLOEXEC));
    if (!memory)
        return fail_errno("cannot read the memory of process {}", pid);
    return Memory(std::move(memory), std::move(image), *bias);
}

bool Memory::read_bytes(uint64_t address, void *into, size_t bytes) const
{
    return pread(memory_.get(), into, bytes, off_t(address)) == ssize_t(bytes);
}

std::optional<std::string> Memory::string(uint64_t address) const
{
    char text[256];
    ssize_t got = pread(memory_.get(), text, sizeof text - 1, off_t(address));
    if (got <= 0)
        return std::nullopt;
    return std::string(text, strnlen(text, got));
}

std::optional<uint64_t> Memory::address_of(std::string_view variable) const
{
    auto vaddr = elf::find_object(image_, variable, {.debug_files = false});
    if (!vaddr)
        return std::nullopt;
    return bias_ + *vaddr;
}

}  // namespace uscope::lang
