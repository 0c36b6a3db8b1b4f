// Generates the comparisons of strings with texts.
#include <bit>

#include "expr/codegen.h"

namespace uscope::expr {
namespace {

constexpr int32_t text_offset = sizeof(StringSlot);  // of the bytes in a StringSlot

uint32_t rounded_up(uint32_t bytes)
{
    return (bytes + 7) & ~7u;
}

// Returns the number of loads needed to compare `bytes` bytes; the size of each load is a power of
// two.
size_t chunks(size_t bytes)
{
    return bytes / 8 + std::popcount(bytes % 8);
}

}  // namespace

void Generator::text_equal(const Expr &expr, Label target, bool when)
{
    const Expr &text = *expr.children[0];
    Label different = when ? out_.label() : target;
    unsigned before = available_ | (text.source == TextSource::Comm ? has_comm : 0u);
    if (expr.match == TextMatch::Inside)
        contains(text, expr.text, different);
    else if (expr.match == TextMatch::End)
        contains(text, expr.text + '\0', different);
    else
        compare_text(text, expr, different);
    available_ = before;
    if (when) {
        out_.jump(target);
        out_.bind(different);
    }
}

void Generator::compare_text(const Expr &text, const Expr &test, Label different)
{
    bool is_start = test.match == TextMatch::Start;
    switch (text.source) {
    case TextSource::Comm:
        comm();
        return compare_bytes(is_start ? test.text : test.text + '\0', {frame_reg, slot(Slot::Comm)},
                             different);
    case TextSource::Saved:
        return compare_saved(text, test, different);
    case TextSource::ContextArray: {
        bool ended = !is_start && test.text.size() < text.bound && !text.is_bytes;
        return compare_bytes(ended ? test.text + '\0' : test.text,
                             {ctx_reg, static_cast<int32_t>(text.number)}, different);
    }
    default:
        if (text.source == TextSource::Counted || text.is_bytes)
            return compare_counted(text, test, different);
        compare_c_string(text, test, different);
    }
}

void Generator::compare_c_string(const Expr &text, const Expr &test, Label different)
{
    bool is_start = test.match == TextMatch::Start;
    uint32_t length = test.text.size();
    std::string bytes = test.text;
    uint32_t size = length + (is_start ? 1 : 2);
    if (text.bound) {  // an array: do not read beyond its end
        if (!is_start && length < text.bound)
            bytes += '\0';
        size = bytes.size();
    } else if (chunks(length + 1) < chunks(length)) {
        bytes += '\0';  // comparing the NUL as well takes fewer loads
    }
    uint32_t buffer_bytes = rounded_up(size);
    int16_t buffer = push(buffer_bytes);
    text_address(text);
    stack_address(r1, buffer);
    out_.set(r2, size);
    if (text.bound) {
        read_memory(text.space);
        out_.jump_imm(BPF_JNE, r0, 0, *failed_);
    } else {
        read_string(text.space);
        // If unreadable and different strings lead to the same label, one test is enough.
        if (failed_->index != different.index)
            out_.jump_imm(BPF_JSLT, r0, 0, *failed_);
        out_.jump_imm(BPF_JNE, r0, length + 1, different);
    }
    compare_bytes(bytes, {frame_reg, buffer}, different);
    pop(buffer_bytes);
}

void Generator::compare_counted(const Expr &text, const Expr &test, Label different)
{
    bool is_start = test.match == TextMatch::Start;
    uint32_t length = test.text.size();
    bool is_signed = text.source == TextSource::Counted && text.children[1]->type->is_signed;
    text_length(text);
    uint8_t shorter = is_signed ? BPF_JSLT : BPF_JLT;
    out_.jump_imm(is_start ? shorter : BPF_JNE, length_reg, length, different);
    if (length == 0)
        return;
    uint32_t buffer_bytes = rounded_up(length);
    int16_t buffer = push(buffer_bytes);
    text_address(text);
    stack_address(r1, buffer);
    out_.set(r2, length);
    read_memory(text.space);
    out_.jump_imm(BPF_JNE, r0, 0, *failed_);
    compare_bytes(test.text, {frame_reg, buffer}, different);
    pop(buffer_bytes);
}

void Generator::compare_saved(const Expr &text, const Expr &test, Label different)
{
    bool is_start = test.match == TextMatch::Start;
    const SavedItem &item = saved_item(*text.children[0]);
    uint32_t length = test.text.size();
    Location slot = {saved_reg, static_cast<int32_t>(item.offset)};
    address(r3, slot);
    out_.load(4, r0, r3, 0);
    out_.extend(r0, 4, true);
    if (text.can_fail)
        out_.jump_imm(BPF_JSLT, r0, 0, *failed_);
    out_.jump_imm(is_start ? BPF_JSLT : BPF_JNE, r0, length, different);
    if (!is_start) {  // a longer text, of which only the start was saved, is different
        out_.load(4, r1, r3, 4);
        out_.jump_imm(BPF_JNE, r1, length, different);
    }
    if (length <= item.capacity)
        compare_bytes(test.text, {slot.base, slot.offset + text_offset}, different);
}

void Generator::compare_bytes(const std::string &bytes, Location at, Label different)
{
    if (at.offset + bytes.size() > INT16_MAX && at.base == saved_reg) {
        address(r3, at);
        at = {r3, 0};
    }
    for (size_t i = 0; i < bytes.size();) {
        // The verifier allows only aligned reads of the stack and the context.
        size_t size = 8;
        while (size > bytes.size() - i || (at.offset + static_cast<int32_t>(i)) % size)
            size /= 2;
        uint64_t expected = 0;
        memcpy(&expected, bytes.data() + i, size);
        out_.load(size, r1, at.base, at.offset + i);
        if (fits_immediate(expected)) {
            out_.jump_imm(BPF_JNE, r1, expected, different);
        } else {
            out_.set(r2, expected);
            out_.jump(BPF_JNE, r1, r2, different);
        }
        i += size;
    }
}

}  // namespace uscope::expr
