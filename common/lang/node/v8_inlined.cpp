// What V8 keeps for optimized code:
//
//     Code → deoptimization data → instructions of translations (bytes)
//                                → literals: functions and other objects
//                                → for each call: position in the bytecodes, its translation, …
//     machine code, then a table of its calls: return address → number in the deoptimization data
//
// A translation rebuilds the frames of a call, the outermost first:
//
//     BEGIN 0 2 2                   distance to a former translation; 2 frames, 2 of JavaScript
//     INTERPRETED_FRAME 26 1 …      literal 1 is the function; its call is at offset 26
//     REGISTER 3 …                  where its values are
//     INTERPRETED_FRAME 14 0 …      a function that is inlined there
//     …
//
// Since V8 11, a translation may refer to a former one, for instructions that are equal: a byte
// beyond the last instruction's code counts them. Before, codes were written like operands.
//
// The machine code begins 64 or more bytes after the beginning of an object, whose type tells that
// it is code; V8 11 and later keep what describes it in another object, to which it points.
#include "lang/node/v8_inlined.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "lang/memory.h"

namespace uscope::lang {
namespace {

constexpr uint64_t heap_word = 8, heap_tag = 1, length_at = 8, elements_at = 16;
constexpr uint32_t no_deoptimization = UINT32_MAX;

bool is_object(uint64_t value)
{
    return (value & 3) == heap_tag;
}

// Returns nullopt if there is no list.
std::optional<uint32_t> length_of(const Memory &memory, uint64_t list)
{
    if (!list)
        return std::nullopt;
    auto value = memory.read<uint64_t>(list - heap_tag + length_at);
    bool is_small = value && uint32_t(*value) == 0;
    return is_small ? std::optional(uint32_t(*value >> 32)) : std::nullopt;
}

// A small integer in a list; nullopt for other elements.
std::optional<uint32_t> number_in(const Memory &memory, uint64_t list, uint64_t index)
{
    auto value = memory.read<uint64_t>(list - heap_tag + elements_at + heap_word * index);
    bool is_small = value && uint32_t(*value) == 0;
    return is_small ? std::optional(uint32_t(*value >> 32)) : std::nullopt;
}

// An object in a list; 0 for other elements. The list's pointer may be a weak one.
uint64_t object_in(const Memory &memory, uint64_t list, uint64_t index)
{
    constexpr uint64_t weak = 2;
    auto value = memory.read<uint64_t>(list - heap_tag + elements_at + heap_word * index);
    return value && is_object(*value & ~weak) && uint32_t(*value) != (heap_tag | weak)
               ? *value & ~weak
               : 0;
}

// Reads numbers of 7 bits for each byte, the lowest first.
class Numbers {
  public:
    Numbers(Bytes bytes, uint64_t at) : bytes_(bytes), at_(at) {}
    bool is_at_end() const { return at_ >= bytes_.size(); }
    uint64_t at() const { return at_; }
    uint8_t byte() { return bytes_.read<uint8_t>(at_++).value_or(0); }
    uint32_t number()
    {
        uint64_t value = 0;
        uint8_t next = 0x80;
        for (unsigned shift = 0; next & 0x80 && shift < 35; shift += 7) {
            next = byte();
            value |= uint64_t(next & 0x7f) << shift;
        }
        return uint32_t(value);
    }
    int32_t signed_number()
    {
        uint32_t value = number();
        return value & 1 ? -int32_t(value >> 1) : int32_t(value >> 1);
    }

  private:
    Bytes bytes_;
    uint64_t at_;
};

}  // namespace

// `operands`: how many operands each instruction has, by its code. The codes from `begin` to
// `begin_last` begin a translation, those from `frame` to `frame_last` a function's frame.
struct V8Inlined::Version {
    int major, minor;
    std::string_view operands;
    uint8_t begin, begin_last, frame, frame_last;
    uint64_t table_header;  // bytes of the table of calls before its entries; 0: as in V8 9

    bool refers_back() const { return major >= 11; }
    bool has_own_header() const { return major >= 11; }
};

namespace {

constexpr std::string_view operands_9 = "2103113131111111115334111112",
                           operands_11 = "103311313111112111111115333401111121",
                           operands_12 = "5333213432103311111111111111111101111121",
                           operands_13 = "643321343331003311101111111111111111101111121";
constexpr V8Inlined::Version versions[] = {
    {9, 4, operands_9, 3, 3, 18, 18, 0},    {10, 2, operands_9, 3, 3, 18, 18, 8},
    {11, 3, operands_11, 2, 3, 23, 24, 8},  {12, 4, operands_12, 12, 13, 0, 1, 8},
    {13, 6, operands_13, 14, 15, 0, 1, 12}, {14, 1, operands_13, 14, 15, 0, 1, 12},
    {14, 6, operands_13, 14, 15, 0, 1, 12},
};

struct Instruction {
    uint32_t code;
    std::array<int32_t, 6> operands;
};
using Instructions = std::vector<Instruction>;

// Decodes the translation at an offset; nullopt if the bytes are not as they should be.
// `may_refer`: whether it may refer to a former one.
std::optional<Instructions> decode(const V8Inlined::Version &version, Bytes bytes, uint64_t at,
                                   bool may_refer)
{
    constexpr size_t max_instructions = 4096;
    const auto count = uint32_t(version.operands.size());
    const bool refers_back = version.refers_back();
    Numbers numbers(bytes, at);
    Instructions found, base;
    while (!numbers.is_at_end() && found.size() < max_instructions) {
        uint32_t code = refers_back ? numbers.byte() : uint32_t(numbers.signed_number());
        if (refers_back && code >= count - 1) {
            uint64_t equal = code == count - 1 ? numbers.number() : code - count;
            if (found.empty() || equal > base.size() - std::min(base.size(), found.size()))
                return std::nullopt;
            auto first = base.begin() + ptrdiff_t(found.size());
            found.insert(found.end(), first, first + ptrdiff_t(equal));
            continue;
        }
        bool begins = code >= version.begin && code <= version.begin_last;
        if (begins && !found.empty())
            return found;
        if (code >= count || begins != found.empty())
            return std::nullopt;
        Instruction instruction = {code, {}};
        uint32_t distance = begins && refers_back ? numbers.number() : 0;
        for (size_t i = begins && refers_back; i < size_t(version.operands[code] - '0'); i++)
            instruction.operands[i] = numbers.signed_number();
        if (distance) {
            auto former = may_refer && distance <= at ? decode(version, bytes, at - distance, false)
                                                      : std::nullopt;
            if (!former)
                return std::nullopt;
            base = std::move(*former);
        }
        found.push_back(instruction);
    }
    return found.size() < max_instructions ? std::optional(found) : std::nullopt;
}

}  // namespace

std::optional<V8Inlined> V8Inlined::open(const Memory &memory, int major, int minor)
{
    auto version = std::find_if(std::begin(versions), std::end(versions), [&](const Version &one) {
        return one.major == major && one.minor == minor;
    });
    if (version == std::end(versions))
        return std::nullopt;
    auto variable = [&](const char *name, uint64_t otherwise) {
        auto found = memory.variable<int32_t>(std::string("v8dbg_") + name);
        return found && *found > 0 ? uint64_t(*found) : otherwise;
    };
    V8Inlined found;
    found.version_ = version;
    bool is_apart = version->has_own_header();
    found.stream_type_ =
        uint16_t(is_apart ? variable("type_InstructionStream__INSTRUCTION_STREAM_TYPE", 0)
                          : variable("type_Code__CODE_TYPE", 0));
    found.header_ = is_apart ? variable("class_InstructionStream__instruction_start__uintptr_t", 0)
                             : variable("class_Code__instruction_start__uintptr_t", 0);
    found.size_at_ = variable("class_Code__instruction_size__int", 56);
    found.flags_at_ = variable("class_Code__flags__uint32_t", 48);
    found.maglev_ = uint32_t(variable("CodeKindBaseline", 11)) + 1;
    bool has_wrapper = variable("class_Code__wrapper__Tagged_CodeWrapper_", 0) != 0;
    found.data_at_ = has_wrapper ? 8 : 16;
    found.literals_ = variable("DeoptimizationDataLiteralArrayIndex", 2);
    found.first_call_ = variable("DeoptimizationDataInliningPositionsIndex", 7) + 4;
    found.list_types_ = {
        uint16_t(variable("type_FixedArray__FIXED_ARRAY_TYPE", 0)),
        uint16_t(variable("type_TrustedFixedArray__TRUSTED_FIXED_ARRAY_TYPE", 0)),
        uint16_t(variable("type_ProtectedFixedArray__PROTECTED_FIXED_ARRAY_TYPE", 0))};
    bool is_known = found.stream_type_ && found.header_ && found.list_types_[0];
    return is_known ? std::optional(found) : std::nullopt;
}

std::vector<V8Inlined::Call> V8Inlined::calls(const Memory &memory, uint64_t return_address) const
{
    auto code = find_code(memory, return_address);
    auto data = code ? memory.read<uint64_t>(code->object + data_at_) : std::nullopt;
    if (!data || !is_object(*data))
        return {};
    uint16_t type = type_of(memory, *data);
    if (!type || std::find(list_types_.begin(), list_types_.end(), type) == list_types_.end())
        return {};
    auto index = deoptimization(memory, *code, return_address - code->start);
    return index ? translate(memory, *data, *index) : std::vector<Call>();
}

// Returns 0 if it is not an object.
uint16_t V8Inlined::type_of(const Memory &memory, uint64_t object)
{
    constexpr uint64_t type_at = 12;
    auto map = memory.read<uint64_t>(object - heap_tag);
    return map && is_object(*map) ? memory.read<uint16_t>(*map - heap_tag + type_at).value_or(0)
                                  : 0;
}

std::optional<V8Inlined::Code> V8Inlined::find_code(const Memory &memory, uint64_t address) const
{
    constexpr uint64_t alignment = 32, max_distance = 1 << 20, start_at = 40;
    constexpr uint32_t kinds = 15;
    uint64_t start = address & ~(alignment - 1);
    for (uint64_t last = start - std::min(start, max_distance); start > last; start -= alignment) {
        uint64_t object = start - header_;
        if (type_of(memory, object + heap_tag) != stream_type_)
            continue;
        if (version_->has_own_header()) {
            auto described = memory.read<uint64_t>(object + heap_word);
            if (!described || !is_object(*described) ||
                memory.read<uint64_t>(*described - heap_tag + start_at) != start)
                continue;
            object = *described - heap_tag;
        }
        uint32_t size = memory.read<uint32_t>(object + size_at_).value_or(0);
        if (address - start > size)
            return std::nullopt;
        uint32_t kind = memory.read<uint32_t>(object + flags_at_).value_or(0) & kinds;
        return Code{start, object, size, version_->has_own_header() && kind == maglev_};
    }
    return std::nullopt;
}

// The table has, for each call, where it returns to, its number in the deoptimization data, where
// it returns to once V8 has dropped the code, and registers; Maglev's has a byte more, and a word
// more in its header.
//
// The number of the call that returns to an offset in the code.
std::optional<uint32_t> V8Inlined::deoptimization(const Memory &memory, const Code &code,
                                                  uint64_t offset) const
{
    constexpr uint32_t max_calls = 1 << 16;
    uint64_t table = code.start + code.size, at = version_->table_header;
    uint32_t count = memory.read<uint32_t>(table + (at ? at - 8 : 0)).value_or(0),
             sizes = memory.read<uint32_t>(table + (at ? at - 4 : 4)).value_or(0);
    bool has_data = !at || sizes & 1;
    if (!has_data || count > max_calls)
        return std::nullopt;
    // bytes of an offset, of a number, and of the rest of each entry
    uint32_t wide = at ? sizes >> 4 & 7 : 4, narrow = at ? sizes >> 7 & 7 : 4,
             others = (at ? sizes >> 1 & 7 : 0) + code.is_maglev;
    // Numbers are stored plus 1, except by V8 9.
    uint32_t added = at ? 1 : 0;
    at = (at ? at : 8) + (code.is_maglev ? sizeof(uint32_t) : 0);
    for (uint32_t i = 0; i < count; i++, at += 2 * wide + narrow + others) {
        auto returns_to = memory.number(table + at, wide),
             index = memory.number(table + at + wide, narrow),
             replaced_by = memory.number(table + at + wide + narrow, wide);
        if (!returns_to || !index || !replaced_by)
            return std::nullopt;
        bool has_number = uint32_t(*index - added) != no_deoptimization;
        bool is_call = *returns_to == offset || *replaced_by - added == offset;
        if (has_number && is_call)
            return uint32_t(*index - added);
    }
    return std::nullopt;
}

std::vector<V8Inlined::Call> V8Inlined::translate(const Memory &memory, uint64_t data,
                                                  uint32_t index) const
{
    constexpr uint32_t max_bytes = 1 << 20, entry_words = 3;
    auto length = length_of(memory, data);
    uint64_t entry = first_call_ + entry_words * uint64_t{index};
    if (!length || entry + entry_words > *length)
        return {};
    uint64_t text = object_in(memory, data, 0), literals = object_in(memory, data, literals_);
    auto at = number_in(memory, data, entry + 1);
    auto bytes = length_of(memory, text);
    auto literal_count = length_of(memory, literals);
    if (!at || !bytes || !literal_count || *bytes > max_bytes)
        return {};
    auto content = memory.bytes(text - heap_tag + elements_at, *bytes);
    if (!content)
        return {};
    auto translation = decode(*version_, Bytes(*content), *at, true);
    std::vector<Call> found;
    for (const Instruction &one : translation ? *translation : Instructions()) {
        if (one.code < version_->frame || one.code > version_->frame_last)
            continue;
        auto literal = uint32_t(one.operands[1]);
        uint64_t shared = literal < *literal_count ? object_in(memory, literals, literal) : 0;
        if (!shared)
            return {};
        found.push_back({shared, uint32_t(one.operands[0])});
    }
    std::reverse(found.begin(), found.end());
    return found;
}

}  // namespace uscope::lang
