// Finds the tables and the record for an address, by the index or by a list of all records.
#include "elf/frames.h"

#include <algorithm>

#include "base/search.h"
#include "elf/image.h"

namespace uscope::elf {

Frames Frames::of(const Image &image)
{
    Frames frames(image);
    if (auto table = frames.exception_table())
        frames.tables_.push_back(std::move(*table));
    // In a Go program, .debug_frame does not say where the runtime switches stacks, but Go's own
    // table does (elf/pclntab.h). So .debug_frame is ignored there.
    auto debug = image.is_go() ? std::nullopt : frames.debug_table();
    if (debug)
        frames.tables_.push_back(std::move(*debug));
    frames.sframe_ = SFrame::of(image);
    return frames;
}

std::optional<Frames::Table> Frames::exception_table() const
{
    Table table;
    const Section *header = image_->section(".eh_frame_hdr"),
                  *frames = image_->section(".eh_frame");
    Bytes index = image_->frame_header().bytes;
    table.index_vaddr = image_->frame_header().vaddr;
    if (header) {
        index = image_->contents(*header).value_or(Bytes());
        table.index_vaddr = header->vaddr;
    }
    if (frames)
        table.section = {image_->contents(*frames).value_or(Bytes()), frames->vaddr};
    else if (uint64_t vaddr = frames_vaddr(index, table.index_vaddr))
        table.section = {image_->bytes_from(vaddr).value_or(Bytes()), vaddr};
    if (table.section.bytes.empty())
        return std::nullopt;
    table.index = frame_index(index, table.index_vaddr).value_or(Bytes());
    table.count = table.index.size() / (2 * sizeof(int32_t));
    if (table.index.empty())
        table.list_records();
    return table;
}

std::optional<Frames::Table> Frames::debug_table() const
{
    const Section *section = image_->section(".debug_frame");
    auto bytes = section ? image_->contents(*section) : std::nullopt;
    if (!bytes)
        return std::nullopt;
    Table table;
    table.section = {*bytes, 0, true};
    table.list_records();
    return table;
}

void Frames::Table::list_records()
{
    uint64_t at = 0;
    while (auto end = record_end(section.bytes, at)) {
        if (auto record = frame_record_at(section, at))
            listed.push_back({record->start, section.vaddr + at});
        at = *end;
    }
    std::sort(listed.begin(), listed.end(),
              [](const Entry &a, const Entry &b) { return a.start < b.start; });
    count = listed.size();
}

std::optional<Frames::Entry> Frames::Table::entry(size_t number) const
{
    if (!listed.empty())
        return listed[number];
    auto start = index.read<int32_t>(number * 8), record = index.read<int32_t>(number * 8 + 4);
    if (!start || !record)
        return std::nullopt;
    return Entry{index_vaddr + *start, index_vaddr + *record};
}

std::optional<FrameRecord> Frames::Table::record(uint64_t vaddr) const
{
    uint64_t after = count_before(count, [&](uint64_t number) {
        auto candidate = entry(number);
        return !candidate || candidate->start > vaddr;
    });
    auto found = after > 0 ? entry(after - 1) : std::nullopt;
    if (!found || found->record < section.vaddr)
        return std::nullopt;
    auto record = frame_record_at(section, found->record - section.vaddr);
    if (!record || record->start != found->start || record->end <= vaddr)
        return std::nullopt;
    return record;
}

std::optional<FrameRecord> Frames::record(uint64_t vaddr) const
{
    for (const Table &table : tables_)
        if (auto found = table.record(vaddr))
            return found;
    return std::nullopt;
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

std::vector<Frame> Frames::called() const
{
    std::vector<Frame> frames;
    for (const Table &table : tables_) {
        for (size_t number = 0; number < table.count; number++) {
            auto listed = table.entry(number);
            auto frame = listed ? at(listed->start) : std::nullopt;
            if (frame && frame->start == listed->start && frame->is_called)
                frames.push_back(*frame);
        }
    }
    auto is_before = [](const Frame &a, const Frame &b) { return a.start < b.start; };
    auto is_same = [](const Frame &a, const Frame &b) { return a.start == b.start; };
    std::sort(frames.begin(), frames.end(), is_before);
    frames.erase(std::unique(frames.begin(), frames.end(), is_same), frames.end());
    return frames;
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
    if (row)
        return UnwindRow{*row, found->common.is_signal};
    return sframe_ ? sframe_->row(vaddr) : std::nullopt;
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
