// Programs such as node --perf-basic-prof append one line for each piece of code when they make it:
//
//     7f3c2c0a1e40 1c4 LazyCompile:*fibonacci /srv/app.js:1:19
//
// Lines of discarded code stay; later lines may describe other code at the same addresses.
//
// A jitdump has a header and then records that begin with {kind, length, time}. For a piece of
// code, {process, thread, address, address again, length, number}, its name and the code follow;
// for moved code, its old and new addresses. (tools/perf/Documentation/jitdump-specification.txt)
#include "symbols/perf_map.h"

#include <algorithm>
#include <charconv>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"

namespace uscope::symbols {
namespace {

constexpr uint64_t max_bytes = 64 << 20;
constexpr size_t chunk_bytes = 256 * 1024;

constexpr std::string_view dump_magic = "DTiJ";

// Removes a hexadecimal number and the space after it from the beginning of `line`.
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

void PerfMap::add(uint64_t start, uint64_t size, std::string_view name)
{
    name = name.substr(0, name.find('\0'));
    if (name.empty() || names_.size() + name.size() > UINT32_MAX)
        return;
    uint32_t clipped = std::min<uint64_t>(size, UINT32_MAX);
    entries_.push_back({start, clipped, uint32_t(names_.size())});
    names_.append(name).append(1, '\0');
}

// Sorts the entries added since `first` into the others.
void PerfMap::merge_from(size_t first)
{
    auto by_start = [](const Entry &a, const Entry &b) { return a.start < b.start; };
    auto first_new = entries_.begin() + ptrdiff_t(first);
    std::stable_sort(first_new, entries_.end(), by_start);
    std::inplace_merge(entries_.begin(), first_new, entries_.end(), by_start);
}

size_t PerfMap::append(std::string_view text)
{
    size_t old_entries = entries_.size(), used = 0;
    for (size_t end; (end = text.find('\n', used)) != text.npos; used = end + 1) {
        std::string_view line = text.substr(used, end - used);
        auto start = take_hex(line), size = start ? take_hex(line) : std::nullopt;
        if (size)
            add(*start, *size, line);
    }
    merge_from(old_entries);
    return used;
}

void PerfMap::move(uint64_t from, uint64_t to, uint64_t size, size_t first_new)
{
    for (size_t i = entries_.size(); i > first_new; i--)
        if (entries_[i - 1].start == from)
            return add(to, size, std::string(names_.c_str() + entries_[i - 1].name));
    if (auto found = find(from))
        add(to, size, std::string(found->name));
}

size_t PerfMap::append_dump(Bytes records, uint64_t left)
{
    enum { Load = 0, Move = 1 };
    constexpr uint64_t head_bytes = 16, load_bytes = 56, move_bytes = 64;
    struct Head {
        uint32_t kind, bytes;
    };
    size_t old_entries = entries_.size();
    uint64_t used = 0;
    auto word = [&](uint64_t at) { return records.read<uint64_t>(used + at).value_or(0); };
    for (;;) {
        auto head = records.read<Head>(used);
        if (!head || head->bytes < head_bytes || head->bytes > left - used)
            break;
        // The code may extend beyond what was read; the name must not.
        auto name = head->kind == Load ? records.cstring(used + load_bytes) : std::nullopt;
        if ((head->kind == Load && !name) ||
            (head->kind == Move && !records.slice(used, move_bytes)))
            break;
        if (head->kind == Load)
            add(word(32), word(40), *name);
        else if (head->kind == Move)
            move(word(32), word(40), word(48), old_entries);
        used += head->bytes;
        if (used > records.size())
            break;
    }
    merge_from(old_entries);
    return used;
}

bool PerfMap::refresh(const std::string &path)
{
    // O_NONBLOCK, because it may be a FIFO, which is refused below.
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
    while (read_bytes_ < std::min(size, max_bytes)) {
        ssize_t got = pread(fd.get(), text.data(), text.size(), read_bytes_);
        if (got <= 0)
            break;
        Bytes read(text.data(), size_t(got));
        size_t used = is_dump_ ? append_dump(read, size - read_bytes_) : append(read.text());
        if (read_bytes_ == 0 && read.text().starts_with(dump_magic)) {
            is_dump_ = true;
            used = read.read<uint32_t>(8).value_or(0);  // the header's length
        }
        if (used == 0)  // an incomplete line, or one longer than any real one
            break;
        read_bytes_ += used;
    }
    return entries_.size() > old_entries;
}

}  // namespace uscope::symbols
