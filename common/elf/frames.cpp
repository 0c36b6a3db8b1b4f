#include "elf/frames.h"

#include <algorithm>

#include "elf/frame_record.h"
#include "elf/image.h"

namespace uscope::elf {

Frames Frames::of(const Image &image)
{
    Frames frames(image);
    const Section *section = image.section(".eh_frame");
    auto bytes = section ? image.contents(*section) : std::nullopt;
    if (!bytes)
        return frames;
    frames.frames_ = *bytes;
    frames.frames_vaddr_ = section->vaddr;
    if (!frames.find_index())
        frames.list_records();
    return frames;
}

bool Frames::find_index()
{
    const Section *section = image_->section(".eh_frame_hdr");
    auto bytes = section ? image_->contents(*section) : std::nullopt;
    auto index = bytes ? frame_index(*bytes, section->vaddr) : std::nullopt;
    if (!index)
        return false;
    index_ = *index;
    index_vaddr_ = section->vaddr;
    count_ = index_.size() / (2 * sizeof(int32_t));
    return true;
}

void Frames::list_records()
{
    uint64_t at = 0;
    while (auto end = record_end(frames_, at)) {
        if (auto record = frame_record_at(frames_, frames_vaddr_, at))
            listed_.push_back({record->start, frames_vaddr_ + at});
        at = *end;
    }
    std::sort(listed_.begin(), listed_.end(),
              [](const Entry &a, const Entry &b) { return a.start < b.start; });
    count_ = listed_.size();
}

std::optional<Frames::Entry> Frames::entry(size_t index) const
{
    if (!listed_.empty())
        return listed_[index];
    auto start = index_.read<int32_t>(index * 8), record = index_.read<int32_t>(index * 8 + 4);
    if (!start || !record)
        return std::nullopt;
    return Entry{index_vaddr_ + *start, index_vaddr_ + *record};
}

std::optional<FrameRecord> Frames::record(uint64_t vaddr) const
{
    size_t low = 0, high = count_;  // the first entry behind vaddr
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        auto found = entry(middle);
        if (!found)
            return std::nullopt;
        if (found->start <= vaddr)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return std::nullopt;
    auto found = entry(low - 1);
    if (!found || found->record < frames_vaddr_)
        return std::nullopt;
    auto record = frame_record_at(frames_, frames_vaddr_, found->record - frames_vaddr_);
    if (!record || record->start != found->start || record->end <= vaddr)
        return std::nullopt;
    return record;
}

std::optional<Frame> Frames::at(uint64_t vaddr) const
{
    auto found = record(vaddr);
    if (!found)
        return std::nullopt;
    auto row = frame_row_at(*found, found->start);
    bool is_called = !found->common.is_signal && row && is_row_of_a_call(*row, image_->machine());
    return Frame{found->start, found->end, is_called};
}

bool Frames::keeps_frame(uint64_t vaddr) const
{
    auto found = record(vaddr);
    auto row = found ? frame_row_at(*found, vaddr) : std::nullopt;
    return row && row->cfa_register != no_register && !is_row_of_a_call(*row, image_->machine());
}

std::optional<UnwindRow> Frames::unwind_row(uint64_t vaddr) const
{
    auto found = record(vaddr);
    auto row = found ? frame_row_at(*found, vaddr) : std::nullopt;
    if (!row)
        return std::nullopt;
    return UnwindRow{std::move(*row), found->common.is_signal};
}

std::optional<std::vector<uint64_t>> Frames::landing_pads(uint64_t vaddr) const
{
    auto found = record(vaddr);
    if (!found || !found->handlers)
        return std::vector<uint64_t>();
    auto table = image_->bytes_from(found->handlers);
    return table ? elf::landing_pads(*table, found->handlers, found->start) : std::nullopt;
}

}  // namespace uscope::elf
