// One line for each piece of code, appended as it is made, such as node --perf-basic-prof writes:
//
//     7f3c2c0a1e40 1c4 LazyCompile:*fibonacci /srv/app.js:1:19
//
// Code that is thrown away is not taken out; its place may be given to other code later in the
// file.
#include "stack/perf_map.h"

#include <algorithm>
#include <charconv>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"

namespace uscope::stack {
namespace {

constexpr uint64_t most_bytes = 64 << 20;
constexpr size_t chunk_bytes = 256 * 1024;

// Takes a hexadecimal number and the space behind it off `line`.
std::optional<uint64_t> take_hex(std::string_view &line)
{
    if (line.starts_with("0x"))
        line.remove_prefix(2);
    uint64_t value;
    auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), value, 16);
    size_t used = rest - line.data();
    if (error != std::errc() || used == line.size() || line[used] != ' ')
        return std::nullopt;
    line.remove_prefix(used + 1);
    return value;
}

}  // namespace

std::optional<PerfMap::Symbol> PerfMap::find(uint64_t address) const
{
    auto next = std::upper_bound(entries_.begin(), entries_.end(), address,
                                 [](uint64_t wanted, const Entry &e) { return wanted < e.start; });
    if (next == entries_.begin())
        return std::nullopt;
    const Entry &entry = *(next - 1);
    if (address - entry.start >= entry.size)
        return std::nullopt;
    return Symbol{names_.c_str() + entry.name, entry.start};
}

size_t PerfMap::append(std::string_view text)
{
    size_t old_entries = entries_.size(), used = 0;
    for (size_t end; (end = text.find('\n', used)) != text.npos; used = end + 1) {
        std::string_view line = text.substr(used, end - used);
        auto start = take_hex(line), size = start ? take_hex(line) : std::nullopt;
        line = line.substr(0, line.find('\0'));
        if (!size || line.empty() || names_.size() + line.size() > UINT32_MAX)
            continue;
        uint32_t clipped = std::min<uint64_t>(*size, UINT32_MAX);
        entries_.push_back({*start, clipped, uint32_t(names_.size())});
        names_.append(line).append(1, '\0');
    }
    auto by_start = [](const Entry &a, const Entry &b) { return a.start < b.start; };
    auto first_new = entries_.begin() + old_entries;
    std::stable_sort(first_new, entries_.end(), by_start);
    std::inplace_merge(entries_.begin(), first_new, entries_.end(), by_start);
    return used;
}

bool PerfMap::refresh(const std::string &path)
{
    // Not blocking: it may be a FIFO, which is refused below.
    Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    struct stat info;
    if (!fd || fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode))
        return false;
    uint64_t size = info.st_size;
    if (info.st_dev != device_ || info.st_ino != inode_ || size < read_bytes_) {
        *this = PerfMap();
        device_ = info.st_dev;
        inode_ = info.st_ino;
    }
    size_t old_entries = entries_.size();
    std::string text(size_t(std::min<uint64_t>(chunk_bytes, size - read_bytes_)), '\0');
    while (read_bytes_ < std::min(size, most_bytes)) {
        ssize_t got = pread(fd.get(), text.data(), text.size(), read_bytes_);
        size_t used = got > 0 ? append(std::string_view(text).substr(0, got)) : 0;
        if (used == 0)  // a line that is not finished yet, or longer than any real one
            break;
        read_bytes_ += used;
    }
    return entries_.size() > old_entries;
}

}  // namespace uscope::stack
