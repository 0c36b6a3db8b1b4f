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

Generator::Location operator+(Generator::Location at, int32_t bytes)
{
    return {at.base, at.offset + bytes};
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
    store_failure(to);
    out_.bind(done);
    available_ = before;
}

// Stores a StringSlot without text. Expects the error in r0.
void Generator::store_failure(Location to)
{
    out_.set(r1, 0);
    store(4, to, r0, r2);
    store(4, to + 4, r1, r2);
}

void Generator::parts(const Expr &expr, Location to)
{
    Label failed = out_.label(), done = out_.label();
    unsigned before = available_;
    uint64_t size = expr.type->size;
    for (size_t i = 0; i < expr.children.size(); i++) {
        uint64_t at = expr.offsets[i];
        word(*expr.children[i], r1, failed);
        for (uint64_t left = std::min<uint64_t>(size - at, 8), bytes = 0; left; left -= bytes) {
            bytes = std::bit_floor(left);
            store(bytes, to + static_cast<int32_t>(slot_bytes + at), r1, r2);
            at += bytes;
            if (bytes < left)
                out_.alu_imm(BPF_RSH, r1, bytes * 8);
        }
    }
    out_.set(r1, size);
    store(4, to, r1, r2);
    store(4, to + 4, r1, r2);
    if (expr.can_fail) {
        out_.jump(done);
        out_.bind(failed);
        store_failure(to);
        out_.bind(done);
    }
    available_ = before;
}

void Generator::text_value(const Expr &expr, Location to, uint32_t capacity, const Label *too_long)
{
    if (expr.source == TextSource::Saved)
        return saved_text(expr, to, capacity, too_long);
    if (expr.source == TextSource::Wide)
        return wide(expr, to, capacity);
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
    Label result = out_.label();
    address(r1, to + slot_bytes);
    if (expr.source == TextSource::CString) {
        out_.set(r0, -output::null_pointer);
        out_.jump_imm(BPF_JEQ, r3, 0, result);
    }
    out_.set(r2, size);
    read_string(space);
    out_.bind(result);
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
    Label result = out_.label();
    if (expr.source == TextSource::Counted) {
        Label has_address = out_.label();
        out_.jump_imm(BPF_JNE, r3, 0, has_address);
        out_.set(r0, -output::null_pointer);
        out_.jump_imm(BPF_JNE, length_reg, 0, result);
        out_.bind(has_address);
    }
    out_.move(r2, length_reg);
    read_memory(expr.space);
    out_.jump_imm(BPF_JNE, r0, 0, result);
    out_.move(r0, length_reg);
    out_.bind(result);
    store(4, to, r0, r1);
}

// Reads as many bytes as fit, because no helper knows the end of such a text. If not all of them
// can be read, reads those up to the end of the page.
void Generator::wide(const Expr &expr, Location to, uint32_t capacity)
{
    Label result = out_.label(), readable = out_.label();
    int16_t start = push(8);
    value(*expr.children[0], r3);
    out_.store(8, frame_reg, start, r3);
    auto read = [&] {
        address(r1, to + slot_bytes);
        out_.move(r2, length_reg);
        read_memory(expr.space);
    };
    out_.set(r0, -output::null_pointer);
    out_.jump_imm(BPF_JEQ, r3, 0, result);
    out_.set(length_reg, capacity);
    read();
    out_.jump_imm(BPF_JEQ, r0, 0, readable);

    out_.load(8, r3, frame_reg, start);
    out_.move(length_reg, r3);
    out_.negate(length_reg);
    out_.alu_imm(BPF_AND, length_reg, page_bytes - 1);
    out_.jump_imm(BPF_JEQ, length_reg, 0, result);
    out_.jump_imm(BPF_JGT, length_reg, capacity, result);
    read();
    out_.jump_imm(BPF_JNE, r0, 0, result);
    out_.bind(readable);
    out_.move(r0, length_reg);
    out_.bind(result);
    store(4, to, r0, r1);
    out_.set(r0, capacity + 1);  // the text is longer, unless its end is among what was read
    store(4, to + 4, r0, r1);
    pop(8);
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

}  // namespace uscope::expr
