// Searches code by its bytes, and decodes what it finds.
#include "tls/code_index.h"

#include <algorithm>
#include <cstring>

#include <elf.h>

namespace uscope::tls {
namespace {

constexpr uint8_t call = 0xe8, jump = 0xe9, trap = 0xcc, ret = 0xc3, nop = 0x90, push_frame = 0x55;
constexpr uint64_t branch_bytes = 5;

int32_t read_displacement(const uint8_t *at)
{
    int32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

// Are the bytes push %rbp; mov %rsp,%rbp?
bool makes_frame(Bytes code)
{
    return code.size() >= 4 && memcmp(code.data(), "\x55\x48\x89\xe5", 4) == 0;
}

}  // namespace

CodeIndex::CodeIndex(const elf::Image &image)
    : image_(image), frames_(elf::Frames::of(image)), has_frames_(false)
{
    for (const elf::Segment &segment : image.segments()) {
        auto bytes = image.bytes().slice(segment.offset, segment.file_size);
        if (!bytes || segment.vaddr + bytes->size() < segment.vaddr)
            continue;
        all_.push_back({segment.vaddr, *bytes});
        if (segment.executable)
            code_.push_back(all_.back());
    }
    has_frames_ = !image.frame_header().bytes.empty();
}

const CodeIndex::Segment *CodeIndex::segment_of(uint64_t vaddr) const
{
    for (const Segment &segment : code_)
        if (vaddr - segment.vaddr < segment.bytes.size())
            return &segment;
    return nullptr;
}

bool CodeIndex::is_code(uint64_t vaddr) const
{
    return segment_of(vaddr) != nullptr;
}

std::vector<uint64_t> CodeIndex::find_text(std::string_view text, size_t most) const
{
    std::vector<uint64_t> found;
    for (const Segment &segment : all_) {
        const uint8_t *at = segment.bytes.data(), *end = at + segment.bytes.size();
        while (found.size() < most) {
            auto *next =
                static_cast<const uint8_t *>(memmem(at, end - at, text.data(), text.size()));
            if (!next)
                break;
            found.push_back(segment.vaddr + (next - segment.bytes.data()));
            at = next + 1;
        }
    }
    return found;
}

std::vector<uint64_t> CodeIndex::find_strings_ending(std::string_view text) const
{
    constexpr uint64_t longest = 256;
    std::vector<uint64_t> found;
    for (uint64_t vaddr : find_text(std::string(text) + '\0')) {
        uint64_t start = vaddr;
        while (vaddr - start < longest) {
            auto before = image_.bytes_at(start - 1, 1);
            if (!before || before->data()[0] == 0)
                break;
            start--;
        }
        found.push_back(start);
    }
    return found;
}

std::vector<uint64_t> CodeIndex::references(std::vector<uint64_t> addresses) const
{
    std::vector<uint64_t> found;
    if (addresses.empty())
        return found;
    std::sort(addresses.begin(), addresses.end());
    const uint64_t first = addresses.front(), span = addresses.back() - first;
    auto is_wanted = [&](uint64_t value) {
        return value - first <= span &&
               std::binary_search(addresses.begin(), addresses.end(), value);
    };
    const bool is_fixed = image_.type() == ET_EXEC;
    for (const Segment &segment : code_) {
        const uint8_t *code = segment.bytes.data();
        const uint64_t size = segment.bytes.size();
        for (uint64_t at = 1; at + 6 <= size; at++) {
            const uint8_t byte = code[at];
            if (byte == 0x8d) {  // lea N(%rip),%reg
                bool is_relative = (code[at - 1] & 0xfb) == 0x48 && (code[at + 1] & 0xc7) == 0x05;
                if (!is_relative)
                    continue;
                uint64_t next = segment.vaddr + at + 6;
                if (is_wanted(next + read_displacement(code + at + 2)))
                    found.push_back(segment.vaddr + at - 1);
            } else if (is_fixed && (byte & 0xf8) == 0xb8) {  // mov $N,%reg
                if (is_wanted(uint32_t(read_displacement(code + at + 1))))
                    found.push_back(segment.vaddr + at);
            }
        }
    }
    return found;
}

bool CodeIndex::is_covered(Code range) const
{
    auto next =
        std::upper_bound(covered_.begin(), covered_.end(), range.start,
                         [](uint64_t start, const Code &covered) { return start < covered.start; });
    return next != covered_.begin() && range.end <= std::prev(next)->end;
}

void CodeIndex::add_covered(Code range)
{
    std::vector<Code> all = std::move(covered_);
    all.push_back(range);
    std::sort(all.begin(), all.end());
    covered_.clear();
    for (const Code &next : all) {
        if (covered_.empty() || next.start > covered_.back().end)
            covered_.push_back(next);
        else
            covered_.back().end = std::max(covered_.back().end, next.end);
    }
}

void CodeIndex::cover(const std::vector<uint64_t> &vaddrs, uint64_t reach)
{
    bool is_new = false;
    for (uint64_t vaddr : vaddrs) {
        const Segment *segment = segment_of(vaddr);
        if (!segment)
            continue;
        Code range = {vaddr - std::min(reach, vaddr - segment->vaddr),
                      vaddr + std::min(reach + 1, segment->end() - vaddr)};
        is_new |= !is_covered(range);
        add_covered(range);
    }
    if (!is_new)
        return;
    branches_.clear();
    starts_.clear();
    const uint64_t first = covered_.front().start, span = covered_.back().end - first;
    for (const Segment &segment : code_) {
        const uint8_t *code = segment.bytes.data();
        const uint64_t size = segment.bytes.size();
        for (uint64_t at = 0; at + branch_bytes <= size; at++) {
            if ((code[at] & 0xfe) != call)
                continue;
            uint64_t target = segment.vaddr + at + branch_bytes + read_displacement(code + at + 1);
            if (target - first < span && is_covered({target, target + 1}))
                branches_.push_back({target, segment.vaddr + at, code[at] == call});
        }
    }
    std::sort(branches_.begin(), branches_.end());
}

// Does the code before `vaddr` end, as before a function, so that a call that leads there makes it
// a function's start?
bool CodeIndex::starts_function(const Segment &segment, uint64_t vaddr, bool is_called) const
{
    constexpr uint64_t alignment = 16;
    const uint64_t offset = vaddr - segment.vaddr;
    if (offset < branch_bytes)
        return false;
    const uint8_t *at = segment.bytes.data() + offset;
    bool has_frame = makes_frame(segment.bytes.from(offset));
    bool is_after_end = at[-1] == trap || at[-1] == ret || (at[-2] == 0x0f && at[-1] == 0x0b);
    if (has_frame)
        return is_called || is_after_end || at[-1] == nop || at[-1] == 0;
    if (!is_called)
        return false;
    bool is_after_branch = (at[-5] & 0xfe) == call && is_code(vaddr + read_displacement(at - 4));
    bool is_after_padding =
        vaddr % alignment == 0 && (at[-1] == nop || at[-1] == 0 || at[-2] == 0xeb);
    return is_after_end || is_after_branch || is_after_padding;
}

void CodeIndex::add_starts_in(const Segment &segment, Code range)
{
    auto branch = std::lower_bound(branches_.begin(), branches_.end(), Branch{range.start});
    for (; branch != branches_.end() && branch->target < range.end; branch++) {
        bool is_known = !starts_.empty() && starts_.back() == branch->target;
        bool is_called =
            branch->is_call || makes_frame(segment.bytes.from(branch->target - segment.vaddr));
        if (!is_known && starts_function(segment, branch->target, is_called))
            starts_.push_back(branch->target);
    }
    const uint8_t *code = segment.bytes.data();
    for (uint64_t vaddr = range.start; vaddr < range.end; vaddr++) {
        if (code[vaddr - segment.vaddr] == push_frame && starts_function(segment, vaddr, false))
            starts_.push_back(vaddr);
    }
}

// Finds the starts of functions in the covered code, without unwinding tables.
void CodeIndex::find_starts()
{
    for (const Code &range : covered_) {
        if (const Segment *segment = segment_of(range.start))
            add_starts_in(*segment, range);
    }
    std::sort(starts_.begin(), starts_.end());
    starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
}

std::optional<Code> CodeIndex::function_of(uint64_t vaddr)
{
    if (auto frame = has_frames_ ? frames_.at(vaddr) : std::nullopt)
        return Code{frame->start, frame->end};
    cover({vaddr});
    if (starts_.empty())
        find_starts();
    auto range = std::find_if(covered_.begin(), covered_.end(),
                              [&](const Code &covered) { return covered.contains(vaddr); });
    auto next = std::upper_bound(starts_.begin(), starts_.end(), vaddr);
    if (range == covered_.end() || next == starts_.begin() || *std::prev(next) < range->start)
        return std::nullopt;
    bool is_last = next == starts_.end() || *next > range->end;
    return Code{*std::prev(next), is_last ? range->end : *next};
}

std::vector<Branch> CodeIndex::branches_to(uint64_t target)
{
    cover({target}, 0);
    auto first = std::lower_bound(branches_.begin(), branches_.end(), Branch{target});
    auto last = std::lower_bound(first, branches_.end(), Branch{target + 1});
    return {first, last};
}

std::vector<Code> CodeIndex::callers(uint64_t target)
{
    std::vector<uint64_t> places;
    for (const Branch &branch : branches_to(target))
        places.push_back(branch.at);
    cover(places);
    std::vector<Code> callers;
    for (uint64_t place : places) {
        auto caller = function_of(place);
        if (caller && caller->start != target)
            callers.push_back(*caller);
    }
    std::sort(callers.begin(), callers.end());
    callers.erase(std::unique(callers.begin(), callers.end()), callers.end());
    return callers;
}

}  // namespace uscope::tls
