// Reads a process by /proc/PID/mem, and keeps the pages.
#include "lang/memory.h"

#include <algorithm>
#include <memory>

#include <fcntl.h>

#include "base/fd.h"
#include "base/format.h"
#include "base/recording.h"
#include "lang/file.h"
#include "proc/maps.h"

namespace uscope::lang {
namespace {

constexpr uint64_t page_bytes = 4096;  // mapped as a whole, or not at all
constexpr size_t max_pages = 1024;     // that are kept

// Returns what to add to the file's virtual addresses.
std::optional<uint64_t> load_bias(const File &file, const proc::MappedObject &object)
{
    for (const elf::Segment &segment : file.segments()) {
        for (const proc::Mapping &m : object.mappings) {
            bool is_code = segment.executable && m.executable;
            if (is_code && segment.offset - m.offset < m.end - m.start)
                return m.start + (segment.offset - m.offset) - segment.vaddr;
        }
    }
    return std::nullopt;
}

}  // namespace

Result<Memory> Memory::open(pid_t pid, const proc::MappedObject &object, const File &file)
{
    auto bias = load_bias(file, object);
    if (!bias)
        return fail("process {} does not run code of {}", pid, object.path);
    Memory memory = TRY(open(pid));
    memory.find_ = [&file, bias](const std::string &variable) -> std::optional<uint64_t> {
        auto vaddr = file.variable(variable);
        return vaddr ? std::optional(*bias + *vaddr) : std::nullopt;
    };
    return memory;
}

Result<Memory> Memory::open(pid_t pid)
{
    auto memory = std::make_shared<Fd>(
        ::open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDONLY | O_CLOEXEC));
    if (!*memory)
        return fail_errno("cannot read the memory of process {}", pid);
    auto find = [](const std::string &) -> std::optional<uint64_t> { return std::nullopt; };
    auto read = [memory](uint64_t address, char *into, size_t bytes) -> size_t {
        return std::max<ssize_t>(pread(memory->get(), into, bytes, off_t(address)), 0);
    };
    return Memory(find, read);
}

void Memory::record() const
{
    if (!is_recording())
        return;
    for (const auto &[address, page] : pages_)
        add_to_recording("memory", {Bytes(&address, sizeof(address)), Bytes(page)});
}

// Returns the page's bytes; empty if it is not mapped.
const std::string &Memory::page(uint64_t address) const
{
    auto known = pages_.find(address);
    if (known != pages_.end())
        return known->second;
    if (pages_.size() >= max_pages)
        pages_.clear();
    std::string page(page_bytes, '\0');
    page.resize(read_(address, page.data(), page.size()));
    return pages_.emplace(address, std::move(page)).first->second;
}

bool Memory::read(uint64_t address, char *into, size_t bytes) const
{
    while (bytes > 0) {
        uint64_t offset = address % page_bytes;
        const std::string &from = page(address - offset);
        size_t length = std::min<size_t>(bytes, page_bytes - offset);
        if (offset + length > from.size())
            return false;
        from.copy(into, length, offset);
        address += length;
        into += length;
        bytes -= length;
    }
    return true;
}

std::optional<uint64_t> Memory::number(uint64_t address, size_t bytes) const
{
    uint64_t value = 0;
    bool is_read = read(address, reinterpret_cast<char *>(&value), std::min(bytes, sizeof value));
    return is_read ? std::optional(value) : std::nullopt;
}

std::optional<std::string> Memory::bytes(uint64_t address, size_t count) const
{
    std::string found(count, '\0');
    return read(address, found.data(), count) ? std::optional(std::move(found)) : std::nullopt;
}

std::optional<std::string> Memory::string(uint64_t address) const
{
    constexpr size_t max = 255;
    if (!address)
        return std::nullopt;
    std::string text;
    while (text.size() < max) {
        uint64_t at = address + text.size(), offset = at % page_bytes;
        std::string_view here = page(at - offset);
        if (offset >= here.size())
            return text.empty() ? std::nullopt : std::optional(text);
        here = here.substr(offset, max - text.size());
        text.append(here.substr(0, here.find('\0')));
        if (here.find('\0') != here.npos)
            break;
    }
    return text;
}

}  // namespace uscope::lang
