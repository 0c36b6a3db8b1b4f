// Maps and reads files.
#include "base/fd.h"

#include <algorithm>
#include <climits>

#include <fcntl.h>
#include <sys/stat.h>

namespace uscope {

Result<MappedFile> MappedFile::open(const std::string &path)
{
    // O_NONBLOCK: without it, opening a FIFO would block. S_ISREG below then rejects the FIFO.
    Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd)
        return fail_errno("cannot open {}", path);
    struct stat info;
    if (fstat(fd.get(), &info) != 0)
        return fail_errno("cannot examine {}", path);
    if (!S_ISREG(info.st_mode))
        return fail("{} is not a regular file", path);

    MappedFile file;
    if (info.st_size == 0)
        return file;
    // MAP_SHARED, because the kernel inserts the breakpoints of a file's uprobes into every
    // private, read-only mapping of that file, as if this process might execute the code. With
    // thousands of probes, that takes longer than all other work of the tool, and the tool would
    // read breakpoints instead of code. A few network file systems and the kernel's BTF do not
    // support shared mappings: map those privately.
    void *address = mmap(nullptr, info.st_size, PROT_READ, MAP_SHARED, fd.get(), 0);
    if (address == MAP_FAILED && (errno == ENODEV || errno == EACCES))
        address = mmap(nullptr, info.st_size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (address == MAP_FAILED)
        return fail_errno("cannot map {}", path);
    file.bytes_ = Bytes(address, info.st_size);
    return file;
}

void release_pages(Bytes part)
{
    size_t offset_in_page = reinterpret_cast<uintptr_t>(part.data()) % sysconf(_SC_PAGESIZE);
    madvise(const_cast<uint8_t *>(part.data()) - offset_in_page, part.size() + offset_in_page,
            MADV_DONTNEED);
}

std::optional<std::string> link_target(const std::string &path)
{
    char target[PATH_MAX];
    ssize_t length = readlink(path.c_str(), target, sizeof(target));
    return length < 0 ? std::nullopt : std::optional<std::string>(std::in_place, target, length);
}

Result<std::string> read_file(const std::string &path)
{
    Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd)
        return fail_errno("cannot open {}", path);
    struct stat info;
    if (fstat(fd.get(), &info) != 0)
        return fail_errno("cannot examine {}", path);
    // In /proc and /sys, the size may be 0 or wrong, so it only sets the buffer's initial size.
    std::string text(std::clamp<uint64_t>(info.st_size + 1, 4096, 16 << 20), 0);
    size_t used = 0;
    for (;;) {
        if (used == text.size())
            text.resize(used * 2);
        ssize_t got = read(fd.get(), text.data() + used, text.size() - used);
        if (got < 0)
            return fail_errno("cannot read {}", path);
        used += got;
        if (got == 0)
            break;
    }
    text.resize(used);
    return text;
}

}  // namespace uscope
