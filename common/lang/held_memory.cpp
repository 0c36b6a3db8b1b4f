// Sums up, ranks and prints memory that programs hold.
#include "lang/held_memory.h"

#include <cmath>

#include "base/format.h"
#include "output/json.h"
#include "output/name.h"
#include "output/rank.h"
#include "output/stack_fields.h"

namespace uscope::lang {
namespace {

using output::Cell;

void append_blocks(std::string &out, const std::vector<HeldBlock> &blocks)
{
    output::append(out, "[");
    for (const HeldBlock &block : blocks) {
        if (&block != &blocks.front())
            output::append(out, ",");
        append_format(out, R"({{"address":"{:#x}","bytes":{},"age_ns":{}}})", block.address,
                      block.bytes, block.age_ns);
    }
    output::append(out, "]");
}

}  // namespace

void HeldMemory::add(const HeldBlock &block, double times)
{
    bytes += times * double(block.bytes);
    count += times;
    samples++;
    oldest_ns = std::max(oldest_ns, block.age_ns);
    youngest_ns = std::min(youngest_ns, block.age_ns);
}

void HeldMemory::add(const HeldMemory &other)
{
    bytes += other.bytes;
    count += other.count;
    samples += other.samples;
    oldest_ns = std::max(oldest_ns, other.oldest_ns);
    youngest_ns = std::min(youngest_ns, other.youngest_ns);
    blocks.insert(blocks.end(), other.blocks.begin(), other.blocks.end());
}

int64_t HeldMemory::bytes_change() const
{
    return std::llround(bytes - bytes_before);
}

int64_t HeldMemory::count_change() const
{
    return std::llround(count - count_before);
}

void HeldBefore::compare(HeldByStack &rows)
{
    HeldByStack now;
    for (const auto &[stack, held] : rows) {
        HeldMemory &kept = now[stack];
        kept.bytes = held.bytes;
        kept.count = held.count;
    }
    for (const auto &[stack, before] : before_) {
        rows[stack].bytes_before = before.bytes;
        rows[stack].count_before = before.count;
    }
    before_ = std::move(now);
}

std::vector<const HeldRow *> rank_held(const HeldByStack &rows, bool by_count,
                                       std::optional<uint64_t> top)
{
    auto rank = [=](const HeldMemory &held) {
        return by_count ? held.count - held.count_before : held.bytes - held.bytes_before;
    };
    auto order = output::ranked(rows, rank, {});
    std::erase_if(order, [](const HeldRow *row) {
        return !row->second.bytes_change() && !row->second.count_change();
    });
    if (top && order.size() > *top)
        order.erase(order.begin(), order.end() - long(*top));
    return order;
}

void append_text(std::string &out, const HeldRow &row, const HeldStyle &style)
{
    const auto &[stack, held] = row;
    if (stack.pid)
        append_format(out, "\t{} [{}]\n", output::escaped(stack.comm), stack.pid);
    const char *about = style.estimated ? "about " : "";
    int64_t bytes = held.bytes_change(), count = held.count_change();
    if (style.changes)
        append_format(out, "\t{}{:+} bytes in {:+} allocations from stack\n", about, bytes, count);
    else
        append_format(out, "\t{}{} bytes in {} allocations from stack\n", about, bytes, count);
    for (const HeldBlock &block : held.blocks)
        append_format(out, "\taddr = {:#x} size = {} age = {}\n", block.address, block.bytes,
                      output::duration_text(block.age_ns));
    for (const output::Frame &frame : stack.user)
        append_format(out, "\t\t{}\n", output::escaped_name(frame.name));
    if (!stack.cut.empty())
        append_format(out, "\t\t[cut: {}]\n", stack.cut);
}

void append_total(std::string &out, const HeldByStack &rows, const HeldStyle &style)
{
    HeldMemory all;
    for (const auto &[stack, held] : rows) {
        all.bytes += held.bytes;
        all.count += held.count;
        all.bytes_before += held.bytes_before;
        all.count_before += held.count_before;
    }
    size_t stacks = rank_held(rows, false, {}).size();
    const char *about = style.estimated ? "about " : "";
    if (style.changes)
        append_format(out, "\ttotal: {}{:+} bytes in {:+} allocations from {} stack{}\n", about,
                      all.bytes_change(), all.count_change(), stacks, stacks == 1 ? "" : "s");
    else
        append_format(out, "\ttotal: {}{} bytes in {} allocations from {} stack{}\n", about,
                      all.bytes_change(), all.count_change(), stacks, stacks == 1 ? "" : "s");
}

output::Rows<HeldRow>::Fields held_fields(const HeldStyle &style, uint64_t now_ns)
{
    using Field = output::Field<HeldRow>;
    using output::if_any, output::NamedStack;
    auto stack = output::members_of(&HeldRow::first);
    auto held = output::members_of(&HeldRow::second);
    auto rounded = [](auto get) {
        return [=](const HeldRow &row) { return std::llround(get(row)); };
    };
    auto if_sampled = [](auto get) {
        return [=](const HeldRow &row) { return Cell::when(row.second.samples, get(row)); };
    };
    auto blocks = [](const HeldRow &row) {
        std::string out;
        append_blocks(out, row.second.blocks);
        return Cell::json(std::move(out));
    };
    return {
        {"time_ns", output::always(now_ns)},
        {"bytes", rounded(held(&HeldMemory::bytes))},
        {"count", rounded(held(&HeldMemory::count))},
        Field("bytes_change", held(&HeldMemory::bytes_change)).only_if(style.changes),
        Field("count_change", held(&HeldMemory::count_change)).only_if(style.changes),
        Field("samples", held(&HeldMemory::samples)).only_if(style.estimated),
        {"oldest_ns", if_sampled(held(&HeldMemory::oldest_ns))},
        {"youngest_ns", if_sampled(held(&HeldMemory::youngest_ns))},
        {"pid", if_any(stack(&NamedStack::pid))},
        {"comm", stack(&NamedStack::comm)},
        {"user_stack", output::names_of(stack(&NamedStack::user))},
        {"cut", if_any(stack(&NamedStack::cut))},
        {"unnamed", output::unnamed_of(stack(&NamedStack::user))},
        Field("blocks", blocks).only_if(style.blocks),
    };
}

std::vector<output::StackCount> fold_held(const std::vector<const HeldRow *> &rows)
{
    std::vector<output::StackCount> stacks;
    for (const HeldRow *row : rows) {
        if (int64_t bytes = row->second.bytes_change(); bytes > 0)
            stacks.push_back(output::folded(row->first, uint64_t(bytes), false));
    }
    return stacks;
}

}  // namespace uscope::lang
