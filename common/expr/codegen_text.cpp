// Generates code for strings and for reads of the target's memory.
//
// bpf_probe_read_user() and its variants never fault a page in: they cannot read memory that the
// target has mapped but not touched yet (such as a string constant). After such a failure,
// sleepable programs call bpf_copy_from_user(), which faults the page in. That slow path is a local
// function, generated once.
#include "expr/codegen.h"

#include <algorithm>
#include <bit>

namespace uscope::expr {
namespace {

constexpr uint32_t slot_bytes = sizeof(StringSlot);
constexpr uint64_t page_bytes = 4096;

uint32_t aligned(uint32_t bytes)
{
    return (bytes + 7) & ~7u;
}

Generator::Location operator+(Generator::Location at, int32_t bytes)
{
    return {at.base, at.offset + bytes};
}

// Returns the number of loads needed to compare `bytes` bytes; the size of each load is a power of
// two.
size_t chunks(size_t bytes)
{
    return bytes / 8 + std::popcount(bytes % 8);
}

}  // namespace

void Generator::read_memory(Space space)
{
    if (space == Space::Kernel)
        return out_.call(BPF_FUNC_probe_read_kernel);
    reads_user_memory_ = true;
    if (!request_.sleepable)
        return out_.call(BPF_FUNC_probe_read_user);
    if (!memory_function_)
        memory_function_ = out_.label();
    out_.call(*memory_function_);
}

void Generator::read_string(Space space)
{
    if (space == Space::Kernel)
        return out_.call(BPF_FUNC_probe_read_kernel_str);
    reads_user_memory_ = true;
    if (!request_.sleepable)
        return out_.call(BPF_FUNC_probe_read_user_str);
    if (!string_function_)
        string_function_ = out_.label();
    out_.call(*string_function_);
}

void Generator::finish()
{
    if (memory_function_)
        read_memory_function();
    if (string_function_)
        read_string_function();
}

// Calls bpf_probe_read_user(), and if that fails, bpf_copy_from_user().
void Generator::read_memory_function()
{
    Label done = out_.label();
    out_.bind(*memory_function_);
    out_.move(BPF_REG_6, r1);
    out_.move(BPF_REG_7, r2);
    out_.move(BPF_REG_8, r3);
    out_.call(BPF_FUNC_probe_read_user);
    out_.jump_imm(BPF_JEQ, r0, 0, done);
    out_.move(r1, BPF_REG_6);
    out_.move(r2, BPF_REG_7);
    out_.move(r3, BPF_REG_8);
    out_.call(BPF_FUNC_copy_from_user);
    out_.bind(done);
    out_.exit();
}

// Calls bpf_probe_read_user_str(); while that fails, reads a byte of the string's next page by
// bpf_copy_from_user() and tries again. The loop counts down from a constant, so that the verifiers
// of all kernels see that it ends.
void Generator::read_string_function()
{
    constexpr int16_t cursor = -8, byte = -16;
    uint64_t pages = std::max<uint64_t>(request_.string_bytes, page_bytes) / page_bytes + 2;
    Label again = out_.label(), done = out_.label();
    auto read = [&] {
        out_.call(BPF_FUNC_probe_read_user_str);
        out_.jump_imm(BPF_JSGT, r0, 0, done);
    };
    out_.bind(*string_function_);
    out_.move(BPF_REG_6, r1);
    out_.move(BPF_REG_7, r2);
    out_.move(BPF_REG_8, r3);
    read();
    out_.store(8, frame_reg, cursor, BPF_REG_8);
    out_.set(BPF_REG_9, pages);

    out_.bind(again);
    stack_address(r1, byte);
    out_.set(r2, 1);
    out_.load(8, r3, frame_reg, cursor);
    out_.call(BPF_FUNC_copy_from_user);
    out_.jump_imm(BPF_JNE, r0, 0, done);
    out_.move(r1, BPF_REG_6);
    out_.move(r2, BPF_REG_7);
    out_.move(r3, BPF_REG_8);
    read();
    out_.load(8, r1, frame_reg, cursor);  // move the cursor to the next page's first byte
    out_.alu_imm(BPF_OR, r1, page_bytes - 1);
    out_.alu_imm(BPF_ADD, r1, 1);
    out_.store(8, frame_reg, cursor, r1);
    out_.alu_imm(BPF_ADD, BPF_REG_9, -1);
    out_.jump_imm(BPF_JNE, BPF_REG_9, 0, again);
    out_.bind(done);
    out_.exit();
}

void Generator::load(const Expr &expr, Reg dst)
{
    const types::Type &type = *expr.type;
    uint8_t bytes = expr.bit_size ? (expr.bit_offset + expr.bit_size + 7) / 8 : type.size;
    uint8_t loaded = std::bit_ceil(bytes);  // a bit-field may span 3 bytes
    int16_t buffer = push(8);
    value(*expr.children[0], r3);
    out_.add(r3, expr.number, r2);
    if (loaded != bytes)
        out_.store_imm(8, frame_reg, buffer, 0);
    stack_address(r1, buffer);
    out_.set(r2, bytes);
    read_memory(expr.children[0]->space);
    out_.jump_imm(BPF_JNE, r0, 0, *failed_);
    out_.load(loaded, dst, frame_reg, buffer);
    pop(8);
    if (expr.bit_size) {
        out_.alu_imm(BPF_LSH, dst, 64 - expr.bit_offset - expr.bit_size);
        out_.alu_imm(type.is_signed ? BPF_ARSH : BPF_RSH, dst, 64 - expr.bit_size);
    } else if (type.kind == types::Type::Kind::Integer && type.is_signed) {
        out_.extend(dst, type.size, true);
    }
}

// Sets r3 to the address of the text.
void Generator::text_address(const Expr &text)
{
    if (text.source == TextSource::CString || text.source == TextSource::Counted)
        return value(*text.children[0], r3);
    if (text.source == TextSource::DataLoc) {
        out_.load(4, r3, ctx_reg, text.number);
        out_.alu_imm(BPF_AND, r3, 0xffff);
        out_.alu(BPF_ADD, r3, ctx_reg);
        return;
    }
    address(r3, {ctx_reg, static_cast<int32_t>(text.number)});
}

// Sets r9 to the length in bytes of a text that has a length of its own (all but CString and Comm).
void Generator::text_length(const Expr &text)
{
    if (text.source == TextSource::Counted)
        return value(*text.children[1], length_reg);
    if (text.source == TextSource::ContextArray)
        return out_.set(length_reg, text.bound);
    out_.load(4, length_reg, ctx_reg, text.number);
    out_.alu_imm(BPF_RSH, length_reg, 16);
}

void Generator::text(const Expr &expr, Location to, uint32_t capacity, const Label *too_long)
{
    bool operand_can_fail = std::any_of(expr.children.begin(), expr.children.end(),
                                        [](const ExprRef &child) { return child->can_fail; });
    if (expr.source == TextSource::Saved || !operand_can_fail)
        return text_value(expr, to, capacity, too_long);
    Label failed = out_.label(), done = out_.label();
    unsigned before = available_;
    failed_ = &failed;
    text_value(expr, to, capacity, too_long);
    failed_ = nullptr;
    out_.jump(done);
    out_.bind(failed);
    out_.set(r1, 0);
    store(4, to, r0, r2);
    store(4, to + 4, r1, r2);
    out_.bind(done);
    available_ = before;
}

void Generator::text_value(const Expr &expr, Location to, uint32_t capacity, const Label *too_long)
{
    if (expr.source == TextSource::Saved)
        return saved_text(expr, to, capacity, too_long);
    if (expr.source == TextSource::Counted || expr.is_bytes)
        return counted(expr, to, capacity, too_long);
    c_string(expr, to, capacity, too_long);
}

void Generator::c_string(const Expr &expr, Location to, uint32_t capacity, const Label *too_long)
{
    Space space = expr.space;
    // One byte more than the string and its NUL shows whether a string just fits or is longer.
    uint32_t size = capacity + 2;
    if (expr.source == TextSource::Comm) {
        comm();
        stack_address(r3, slot(Slot::Comm));
        space = Space::Kernel;
        size = 16;
    } else {
        text_address(expr);
        if (expr.bound)
            size = std::min(size, expr.bound + 1);
    }
    address(r1, to + slot_bytes);
    out_.set(r2, size);
    read_string(space);
    store_string_result(to, capacity, too_long);
}

// Expects in r0 the number of bytes that the helper has read, including the NUL, or an error.
// Stores the StringSlot's status and length.
void Generator::store_string_result(Location to, uint32_t capacity, const Label *too_long)
{
    Label result = out_.label();
    out_.move(r1, r0);
    out_.jump_imm(BPF_JSLT, r0, 1, result);
    out_.alu_imm(BPF_ADD, r0, -1);
    if (too_long)
        out_.jump_imm(BPF_JGT, r0, capacity, *too_long);
    out_.move(r1, r0);
    if (!too_long) {
        out_.jump_imm(BPF_JLE, r1, capacity, result);
        out_.set(r1, capacity);
    }
    out_.bind(result);
    store(4, to, r1, r2);
    store(4, to + 4, r0, r2);
}

// Expects the requested length in r9. Stores it in the StringSlot, and limits r9 to the capacity,
// so that the verifier knows a bound.
void Generator::clamp_length(bool is_signed, Location to, uint32_t capacity, const Label *too_long)
{
    if (is_signed) {
        Label positive = out_.label();
        out_.jump_imm(BPF_JSGE, length_reg, 0, positive);
        out_.set(length_reg, 0);
        out_.bind(positive);
    }
    Label storable = out_.label();
    out_.jump_imm(BPF_JLE, length_reg, INT32_MAX, storable);
    out_.set(length_reg, INT32_MAX);
    out_.bind(storable);
    store(4, to + 4, length_reg, r1);
    if (too_long)
        return out_.jump_imm(BPF_JGT, length_reg, capacity, *too_long);
    Label fits = out_.label();
    out_.jump_imm(BPF_JLE, length_reg, capacity, fits);
    out_.set(length_reg, capacity);
    out_.bind(fits);
}

void Generator::counted(const Expr &expr, Location to, uint32_t capacity, const Label *too_long)
{
    text_length(expr);
    bool is_signed = expr.source == TextSource::Counted && expr.children[1]->type->is_signed;
    clamp_length(is_signed, to, capacity, too_long);
    text_address(expr);
    address(r1, to + slot_bytes);
    out_.move(r2, length_reg);
    read_memory(expr.space);
    Label result = out_.label();
    out_.jump_imm(BPF_JNE, r0, 0, result);
    out_.move(r0, length_reg);
    out_.bind(result);
    store(4, to, r0, r1);
}

void Generator::saved_text(const Expr &expr, Location to, uint32_t capacity, const Label *too_long)
{
    Location from = {saved_reg, static_cast<int32_t>(saved_item(*expr.children[0]).offset)};
    Label readable = out_.label(), done = out_.label();
    address(r3, from);
    out_.load(4, r1, r3, 4);
    store(4, to + 4, r1, r2);
    out_.load(4, length_reg, r3, 0);
    out_.extend(length_reg, 4, true);
    out_.jump_imm(BPF_JSGE, length_reg, 0, readable);
    store(4, to, length_reg, r1);
    out_.jump(done);

    out_.bind(readable);
    if (too_long) {
        out_.jump_imm(BPF_JGT, length_reg, capacity, *too_long);
    } else {
        Label fits = out_.label();
        out_.jump_imm(BPF_JLE, length_reg, capacity, fits);
        out_.set(length_reg, capacity);
        out_.bind(fits);
    }
    store(4, to, length_reg, r1);
    address(r1, to + slot_bytes);
    out_.move(r2, length_reg);
    address(r3, from + slot_bytes);
    read_memory(Space::Kernel);
    out_.bind(done);
}

void Generator::text_equal(const Expr &expr, Label target, bool when)
{
    const Expr &text = *expr.children[0];
    Label different = when ? out_.label() : target;
    unsigned before = available_ | (text.source == TextSource::Comm ? has_comm : 0u);
    if (expr.match == TextMatch::Inside)
        contains(text, expr.text, different);
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
    uint32_t buffer_bytes = aligned(size);
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
    uint32_t buffer_bytes = aligned(length);
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
        compare_bytes(test.text, slot + slot_bytes, different);
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
