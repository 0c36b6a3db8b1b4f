// Generates the search for a text within a text: contains(), and ends_with() of a string whose
// length is not known, where the text to search for ends in the string's NUL.
#include <algorithm>

#include "expr/codegen.h"

namespace uscope::expr {
namespace {

constexpr uint32_t piece_bytes = 128;  // are read and searched at a time
constexpr uint32_t max_searched = 512;

}  // namespace

// Jumps to `different` unless the first max_searched bytes of the text have `wanted` in them.
void Generator::contains(const Expr &text, const std::string &wanted, Label different)
{
    Label found = out_.label();
    if (text.source == TextSource::Comm) {
        constexpr uint32_t comm_bytes = 16;
        comm();
        out_.set(length_reg, comm_bytes);
        find({frame_reg, slot(Slot::Comm)}, comm_bytes, wanted, found, different);
    } else if (text.source == TextSource::Saved) {
        const SavedItem &item = saved_item(*text.children[0]);
        auto offset = static_cast<int32_t>(item.offset);
        address(r3, {saved_reg, offset});
        out_.load(4, length_reg, r3, 0);
        out_.extend(length_reg, 4, true);
        if (text.can_fail) {
            out_.move(r0, length_reg);
            out_.jump_imm(BPF_JSLT, r0, 0, *failed_);
        }
        find({saved_reg, offset + static_cast<int32_t>(sizeof(StringSlot))},
             std::min(item.capacity, max_searched), wanted, found, different);
    } else {
        search_memory(text, wanted, found, different);
    }
    out_.jump(different);
    out_.bind(found);
}

// Reads the text in pieces; each one begins with the end of the one before, so that no place is
// missed.
void Generator::search_memory(const Expr &text, const std::string &wanted, Label found,
                              Label different)
{
    bool is_string = text.source == TextSource::CString && !text.is_bytes;
    uint32_t n = wanted.size(), capacity = is_string ? piece_bytes - 1 : piece_bytes;
    uint32_t step = capacity - n + 1;
    int16_t cursor = push(8), left = push(8), buffer = push(piece_bytes);
    if (!is_string) {
        text_length(text);
        bool is_signed = text.source == TextSource::Counted && text.children[1]->type->is_signed;
        out_.jump_imm(is_signed ? BPF_JSLT : BPF_JLT, length_reg, n, different);
        out_.store(8, frame_reg, left, length_reg);
    }
    text_address(text);
    out_.store(8, frame_reg, cursor, r3);
    for (uint32_t searched = 0; searched < max_searched; searched += step) {
        if (searched && is_string) {
            out_.jump_imm(BPF_JLT, length_reg, capacity, different);
        } else if (searched) {
            out_.load(8, r1, frame_reg, left);
            out_.alu_imm(BPF_ADD, r1, -static_cast<int32_t>(step));
            out_.jump_imm(BPF_JSLT, r1, n, different);
            out_.store(8, frame_reg, left, r1);
        }
        if (searched) {
            out_.load(8, r1, frame_reg, cursor);
            out_.alu_imm(BPF_ADD, r1, step);
            out_.store(8, frame_reg, cursor, r1);
        }
        for (uint32_t i = 0; i < piece_bytes; i += 8)
            out_.store_imm(8, frame_reg, buffer + i, 0);
        read_piece(text, buffer, cursor, left, wanted.back() == '\0',
                   searched ? different : *failed_);
        find({frame_reg, buffer}, std::min(capacity, max_searched - searched), wanted, found,
             different);
    }
    pop(piece_bytes);
    pop(8);
    pop(8);
}

// Reads the piece whose address is at `cursor`, and puts its length into r9. `with_end`: if the
// string ends in this piece, its NUL counts.
void Generator::read_piece(const Expr &text, int16_t buffer, int16_t cursor, int16_t left,
                           bool with_end, Label unreadable)
{
    bool is_string = text.source == TextSource::CString && !text.is_bytes;
    out_.set(r2, piece_bytes);
    if (!is_string) {
        Label fits = out_.label();
        out_.load(8, length_reg, frame_reg, left);
        out_.jump_imm(BPF_JLE, length_reg, piece_bytes, fits);
        out_.set(length_reg, piece_bytes);
        out_.bind(fits);
        out_.move(r2, length_reg);
    }
    stack_address(r1, buffer);
    out_.load(8, r3, frame_reg, cursor);
    if (!is_string) {
        read_memory(text.space);
        return out_.jump_imm(BPF_JNE, r0, 0, unreadable);
    }
    read_string(text.space);
    out_.jump_imm(BPF_JSLT, r0, 0, unreadable);
    out_.move(length_reg, r0);
    Label ended = out_.label();
    if (with_end)
        out_.jump_imm(BPF_JNE, r0, piece_bytes, ended);
    out_.alu_imm(BPF_ADD, length_reg, -1);
    out_.bind(ended);
}

// Jumps to `found` if `wanted` is in the bytes at `at`, of which r9 are valid, at most `capacity`.
// Jumps to `different` if the valid bytes end before byte `capacity`. Keeps r9.
void Generator::find(Location at, uint32_t capacity, const std::string &wanted, Label found,
                     Label different)
{
    constexpr uint32_t group = 8;  // the length is compared once for 8 bytes
    constexpr Reg window = r0, byte = r1, last = r4, mask = r5;
    uint32_t n = wanted.size(), bytes = std::min<uint32_t>(n, 8);  // in the window
    uint64_t end = 0;
    for (char c : wanted.substr(n - bytes))
        end = end << 8 | static_cast<uint8_t>(c);
    out_.set(window, 0);
    out_.set(last, end);
    if (bytes < 8)
        out_.set(mask, (uint64_t{1} << bytes * 8) - 1);
    if (at.offset + capacity > INT16_MAX) {
        address(r3, at);
        at = {r3, 0};
    }
    for (uint32_t i = 0; i < capacity; i++) {
        if (i % group == 0)
            out_.jump_imm(BPF_JLE, length_reg, i, different);
        out_.load(1, byte, at.base, at.offset + i);
        out_.alu_imm(BPF_LSH, window, 8);
        out_.alu(BPF_OR, window, byte);
        if (bytes < 8)
            out_.alu(BPF_AND, window, mask);
        if (i + 1 < n)
            continue;
        if (n <= 8) {
            out_.jump(BPF_JEQ, window, last, found);
            continue;
        }
        Label next = out_.label();
        out_.jump(BPF_JNE, window, last, next);
        compare_bytes(wanted.substr(0, n - 8),
                      {at.base, at.offset + static_cast<int32_t>(i + 1 - n)}, next);
        out_.jump(found);
        out_.bind(next);
    }
}

}  // namespace uscope::expr
