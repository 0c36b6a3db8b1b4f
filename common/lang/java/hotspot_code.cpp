// The code cache is one to three heaps, each a range of memory in segments of 128 bytes. A table
// with one byte per segment leads to the start of the segment's block: n is "n segments before", 0
// "here", 255 "free":
//
//     segments     0  1  2  3 | 0  1 | 255 255 | 0 …
//     memory       block        block            block {HeapBlock, CodeBlob, code, data}
//
// All code is in CodeBlobs, which have names: "nmethod" and "native nmethod" (a compiled method,
// and the wrapper of a native one), "Interpreter", "StubRoutines (1)" … An nmethod has a PcDesc for
// each address to which one of its calls returns:
//
//     {pc_offset, scope_decode_offset, …}     sorted by pc_offset, between two sentinels
//
// A scope, at scope_decode_offset, consists of packed numbers: the offset of the scope of the
// method into which this one was inlined, the index of this method in the nmethod's list of
// metadata, and the index of the bytecode:
//
//     sender's offset (0: none)   method's index, from 1   bytecode index + 1   …
//
// A Method points to its ConstMethod, which is followed by the bytecodes and then by the table of
// lines. The ConstMethod points to a ConstantPool, which has the names and the class:
//
//     Method → ConstMethod → ConstantPool → InstanceKlass → Symbol "java/lang/Thread"
//                             [name index] → Symbol "run"        {length, modified UTF-8}
//
// The JVM's tables have the offsets of all these fields (hotspot_layout.cpp).
#include "lang/java/hotspot_code.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "lang/memory.h"

namespace uscope::lang {
namespace {

constexpr uint64_t pointer_bytes = 8;

// Reads numbers of 1 to 5 bytes, low bits first; a byte below 192 is the last one of a number.
// Since JDK 20 each byte is stored plus 1, so that none is 0.
class PackedReader {
  public:
    PackedReader(const Memory &memory, uint64_t at, uint32_t excluded)
        : memory_(memory), at_(at), excluded_(excluded)
    {
    }
    uint32_t take()
    {
        constexpr uint32_t low = 192, bits = 6, max = 5;
        uint32_t number = 0;
        for (uint32_t i = 0; i < max; i++) {
            uint32_t byte = take_byte();
            number += (byte - excluded_) << (bits * i);
            if (byte < low)
                break;
        }
        return number;
    }
    int32_t take_signed()
    {
        uint32_t number = take();
        return int32_t(number >> 1) ^ -int32_t(number & 1);
    }
    uint8_t take_byte()
    {
        uint8_t byte = take_plain();
        failed_ |= byte < excluded_;
        return byte;
    }
    // A byte that is not part of a number; it may be 0.
    uint8_t take_plain()
    {
        auto byte = memory_.read<uint8_t>(at_++);
        failed_ |= !byte;
        return byte.value_or(0);
    }
    bool failed() const { return failed_; }

  private:
    const Memory &memory_;
    uint64_t at_;
    uint32_t excluded_;
    bool failed_ = false;
};

// Converts from modified UTF-8, which encodes characters above U+FFFF as two surrogates of three
// bytes each.
std::string plain_utf8(std::string_view text)
{
    std::string made;
    auto surrogate = [&](size_t at, uint8_t kind) -> uint32_t {
        bool is_one = at + 3 <= text.size() && uint8_t(text[at]) == 0xed &&
                      (uint8_t(text[at + 1]) & 0xf0) == kind;
        return is_one ? (uint32_t(text[at + 1]) & 0xf) << 6 | (uint32_t(text[at + 2]) & 0x3f) |
                            1u << 16
                      : 0;
    };
    for (size_t at = 0; at < text.size();) {
        uint32_t high = surrogate(at, 0xa0), low = surrogate(at + 3, 0xb0);
        if (high && low) {
            append_utf8(made, 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff));
            at += 6;
        } else {
            made += text[at++];
        }
    }
    return made;
}

// "java/lang/Thread" -> "java.lang.Thread", "Main$$Lambda+0x7f8a" -> "Main$$Lambda/0x7f8a": the
// form of Class.getName().
std::string class_name(std::string name)
{
    std::replace(name.begin(), name.end(), '/', '.');
    if (auto at = name.rfind("+0x"); at != name.npos)
        name[at] = '/';
    return name;
}

}  // namespace

std::optional<HotspotCode> HotspotCode::open(const Memory &memory)
{
    auto layout = HotspotLayout::read(memory);
    HotspotCode code(layout.value_or(HotspotLayout()));
    return layout && !code.heaps(memory).empty() ? std::optional(code) : std::nullopt;
}

// --- blocks of code ----------------------------------------------------------------------------

std::vector<HotspotCode::Heap> HotspotCode::heaps(const Memory &memory) const
{
    constexpr uint64_t max_heaps = 8, max_bits = 16;
    std::vector<Heap> found;
    uint64_t array = value(memory, 0, jvm_.heaps);
    uint64_t count = array ? std::min(value(memory, array, jvm_.count), max_heaps) : 0;
    uint64_t elements = array ? value(memory, array, jvm_.data) : 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t heap = memory.read<uint64_t>(elements + i * pointer_bytes).value_or(0);
        if (!heap)
            continue;
        auto bound = [&](const HotspotField &space, const HotspotField &which) {
            return value(memory, heap + space.at, which);
        };
        Heap one = {bound(jvm_.memory, jvm_.low), bound(jvm_.memory, jvm_.high),
                    bound(jvm_.segmap, jvm_.low), bound(jvm_.segmap, jvm_.high),
                    uint32_t(value(memory, heap, jvm_.segment_bits))};
        if (one.low && one.segments && one.segment_bits && one.segment_bits < max_bits)
            found.push_back(one);
    }
    return found;
}

std::optional<uint64_t> HotspotCode::block_at(const Memory &memory, const Heap &heap,
                                              uint64_t pc) const
{
    constexpr uint8_t is_free = 255;
    constexpr unsigned max_steps = 4096;
    uint64_t segment = (pc - heap.low) >> heap.segment_bits;
    for (unsigned i = 0; i < max_steps; i++) {
        uint64_t at = heap.segments + segment;
        auto back = at < heap.segments_end ? memory.read<uint8_t>(at) : std::nullopt;
        if (!back || *back == is_free || *back > segment)
            return std::nullopt;
        if (*back == 0)
            return heap.low + (segment << heap.segment_bits);
        segment -= *back;
    }
    return std::nullopt;
}

std::optional<HotspotCode::Blob> HotspotCode::find(const Memory &memory, uint64_t pc) const
{
    for (const Heap &heap : heaps(memory)) {
        if (pc < heap.low || pc >= heap.high)
            continue;
        auto block = block_at(memory, heap, pc);
        if (!block || value(memory, *block, jvm_.used) != 1)
            return std::nullopt;
        auto blob = read_blob(memory, *block + jvm_.block_bytes);
        // A return address may be the end of the code: a call may be the last instruction.
        return blob && pc >= blob->code_begin && pc <= blob->code_end ? blob : std::nullopt;
    }
    return std::nullopt;
}

bool HotspotCode::holds(const Memory &memory, uint64_t pc) const
{
    auto all = heaps(memory);
    return std::any_of(all.begin(), all.end(),
                       [&](const Heap &heap) { return pc >= heap.low && pc < heap.high; });
}

std::optional<HotspotCode::Blob> HotspotCode::read_blob(const Memory &memory,
                                                        uint64_t address) const
{
    constexpr uint64_t max_frame_words = 1 << 12;
    Blob blob = {.address = address};
    if (jvm_.code_begin.bytes) {
        blob.code_begin = value(memory, address, jvm_.code_begin);
        blob.code_end = value(memory, address, jvm_.code_end);
    } else {
        blob.code_begin = address + value(memory, address, jvm_.code_offset);
        blob.code_end = address + value(memory, address, jvm_.data_offset);
    }
    auto text = memory.string(value(memory, address, jvm_.name));
    if (!text)
        return std::nullopt;
    blob.name = std::move(*text);
    uint64_t words = value(memory, address, jvm_.frame_words);
    blob.frame_bytes = words < max_frame_words ? words * pointer_bytes : 0;
    // The offset is -1 if the frame is never complete.
    uint64_t complete = value(memory, address, jvm_.complete);
    blob.complete_at = complete < blob.code_end - blob.code_begin ? complete : 0;
    if (blob.name == "Interpreter")
        blob.kind = Blob::Kind::Interpreter;
    if (blob.name == "nmethod" || blob.name == "native nmethod") {
        blob.kind = Blob::Kind::Method;
        blob.method = value(memory, address, jvm_.method);
        blob.compile_id = uint32_t(value(memory, address, jvm_.compile_id));
        blob.compile_id_at = address + jvm_.compile_id.at;
        auto handler = [&](const HotspotField &pointer, const HotspotField &offset) {
            return pointer.bytes ? value(memory, address, pointer)
                                 : address + value(memory, address, offset);
        };
        blob.deoptimises_at = {handler(jvm_.deopt, jvm_.deopt_offset),
                               handler(jvm_.deopt_handles, jvm_.deopt_handles_offset)};
        blob.own_pc_at = value(memory, address, jvm_.own_pc);
    }
    return blob;
}

// --- methods -----------------------------------------------------------------------------------

std::optional<HotspotCode::Scopes> HotspotCode::scopes_of(const Memory &memory, uint64_t blob) const
{
    Scopes found = {};
    if (jvm_.immutable_data.bytes) {
        uint64_t from = value(memory, blob, jvm_.immutable_data);
        found.pcs = from + value(memory, blob, jvm_.pcs_offset);
        found.data = found.pcs_end = from + value(memory, blob, jvm_.scopes_offset);
    } else {
        found.pcs = blob + value(memory, blob, jvm_.pcs_offset);
        found.pcs_end = blob + value(memory, blob, jvm_.pcs_end);
        found.data = value(memory, blob, jvm_.scopes_begin);
    }
    if (jvm_.mutable_data.bytes)
        found.metadata =
            value(memory, blob, jvm_.mutable_data) + value(memory, blob, jvm_.relocation);
    else
        found.metadata = blob + value(memory, blob, jvm_.metadata_offset) +
                         (jvm_.immutable_data.bytes ? value(memory, blob, jvm_.data_offset) : 0);
    constexpr uint64_t max_bytes = 64 << 20;
    bool is_sane =
        found.data && found.pcs <= found.pcs_end && found.pcs_end - found.pcs < max_bytes;
    return is_sane ? std::optional(found) : std::nullopt;
}

// Returns the offset of the scope for `offset` in the code. Between calls, that is the scope of the
// next call.
std::optional<int32_t> HotspotCode::scope_at(const Memory &memory, const Scopes &scopes,
                                             uint64_t offset, bool is_return) const
{
    auto offset_of = [&](uint64_t index) {
        return int32_t(value(memory, scopes.pcs + index * jvm_.pc_desc_bytes, jvm_.pc_offset));
    };
    uint64_t count = (scopes.pcs_end - scopes.pcs) / jvm_.pc_desc_bytes, first = 0, last = count;
    int64_t wanted = int64_t(offset) + !is_return;
    while (first < last) {
        uint64_t middle = first + (last - first) / 2;
        if (offset_of(middle) < wanted)
            first = middle + 1;
        else
            last = middle;
    }
    // The last PcDesc is a sentinel.
    if (first + 1 >= count || (is_return && offset_of(first) != wanted))
        return std::nullopt;
    auto scope = int32_t(value(memory, scopes.pcs + first * jvm_.pc_desc_bytes, jvm_.scope_offset));
    return scope > 0 ? std::optional(scope) : std::nullopt;
}

std::vector<HotspotCode::Method> HotspotCode::methods(const Memory &memory, const Blob &blob,
                                                      uint64_t pc, bool is_return) const
{
    constexpr size_t max_inlined = 128;
    std::vector<Method> found;
    auto scopes = scopes_of(memory, blob.address);
    auto scope = scopes ? scope_at(memory, *scopes, pc - blob.code_begin, is_return) : std::nullopt;
    for (int64_t at = scope.value_or(0); at > 0 && found.size() < max_inlined;) {
        PackedReader reader(memory, scopes->data + uint64_t(at), jvm_.excluded);
        uint32_t sender = reader.take(), number = reader.take();
        int64_t bci = int64_t(int32_t(reader.take())) - 1;
        uint64_t method =
            number
                ? memory.read<uint64_t>(scopes->metadata + (number - 1) * pointer_bytes).value_or(0)
                : 0;
        auto info = reader.failed() ? std::nullopt : method_info(memory, method);
        // The outermost method must be the compiled one. If not, other code is here by now.
        if (!info || sender >= at || (!sender && method != blob.method)) {
            found.clear();
            break;
        }
        found.push_back(at_bytecode(memory, *info, uint64_t(bci)));
        at = sender;
    }
    // No scopes: the wrapper of a native method, or code that waits to be deoptimised.
    if (found.empty())
        if (auto info = method_info(memory, blob.method))
            found.push_back(std::move(info->method));
    return found;
}

std::optional<HotspotCode::Method> HotspotCode::interpreted(const Memory &memory, uint64_t method,
                                                            uint64_t bytecode) const
{
    constexpr uint64_t mask = (1ULL << bytecode_bits) - 1;
    auto info = method_info(memory, method);
    if (!info)
        return std::nullopt;
    return at_bytecode(memory, *info, bytecode ? (bytecode - info->bytecodes) & mask : mask);
}

// A `bci` after the method's bytecodes is not in the method: it gets no line.
HotspotCode::Method HotspotCode::at_bytecode(const Memory &memory, const MethodInfo &info,
                                             uint64_t bci) const
{
    Method method = info.method;
    bool is_inside = info.lines && bci < info.code_bytes;
    if (uint32_t line = is_inside ? line_at(memory, info.lines, bci) : 0)
        method.source += fmt::format(":{}", line);
    return method;
}

std::optional<HotspotCode::MethodInfo> HotspotCode::method_info(const Memory &memory,
                                                                uint64_t method) const
{
    constexpr uint64_t has_lines = 1;
    uint64_t code = method ? value(memory, method, jvm_.const_method) : 0;
    uint64_t constants = code ? value(memory, code, jvm_.constants) : 0;
    uint64_t holder = constants ? value(memory, constants, jvm_.holder) : 0;
    auto in_pool = [&](uint64_t index) -> std::optional<std::string> {
        uint64_t slot = constants + jvm_.constants_bytes + index * pointer_bytes;
        return symbol(memory, memory.read<uint64_t>(slot).value_or(0) & ~uint64_t{1});
    };
    auto own = holder ? in_pool(value(memory, code, jvm_.name_index)) : std::nullopt;
    auto type = own ? symbol(memory, value(memory, holder, jvm_.class_name)) : std::nullopt;
    if (!type || type->empty() || own->empty())
        return std::nullopt;
    MethodInfo info = {code + jvm_.const_method_bytes, value(memory, code, jvm_.code_size), {}, 0};
    info.method.function = class_name(std::move(*type)) + "." + *own;
    // A native method has no bytecodes and no line in a file.
    uint64_t file = info.code_bytes ? value(memory, constants, jvm_.file_index) : 0;
    if (file)
        info.method.source = in_pool(file).value_or("");
    if (value(memory, code, jvm_.flags) & has_lines && !info.method.source.empty())
        info.lines = info.bytecodes + info.code_bytes;
    return info;
}

std::optional<std::string> HotspotCode::symbol(const Memory &memory, uint64_t address) const
{
    constexpr uint64_t max = 512;
    auto length = address ? jvm_.symbol_length.read(memory, address) : std::nullopt;
    if (!length)
        return std::nullopt;
    auto text = memory.bytes(address + jvm_.symbol_text.at, std::min(*length, max));
    return text ? std::optional(plain_utf8(*text)) : std::nullopt;
}

// Returns the line of the bytecode at index `bci`. The entries of the table are pairs: the
// distances from the previous entry in bytecodes and in lines. A pair is a byte with 5 and 3 bits,
// or the byte 255 and two packed numbers.
uint32_t HotspotCode::line_at(const Memory &memory, uint64_t table, uint64_t bci) const
{
    constexpr unsigned max_entries = 1 << 16, escape = 255, line_bits = 3;
    PackedReader reader(memory, table, jvm_.excluded);
    int64_t at = 0, line = 0, best = -1, best_line = 0;
    for (unsigned i = 0; i < max_entries; i++) {
        uint8_t byte = reader.take_plain();
        if (byte == 0)
            break;
        if (byte == escape) {
            at += reader.take_signed();
            line += reader.take_signed();
        } else {
            at += byte >> line_bits;
            line += byte & ((1 << line_bits) - 1);
        }
        if (reader.failed())
            return 0;
        if (at <= int64_t(bci) && at >= best) {
            best = at;
            best_line = line;
        }
    }
    return uint32_t(best_line);
}

}  // namespace uscope::lang
