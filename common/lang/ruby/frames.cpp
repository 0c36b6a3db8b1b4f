// A thread-local variable, ruby_current_ec, points to the execution context; each fiber has its
// own. The frames are consecutive, at the end of the context's stack, the newest one first. The
// oldest one is not the frame of a method.
//
//     context   0  stack   8  its words   16  newest frame   48  thread, with its object at 16
//     frame     0  pc   16  iseq: the code; 0 in a function in C   32  ep: address of its flags
//     flags     bit 5: C called the evaluation loop for this frame (FINISH); bit 7: C code (CFRAME)
//     iseq      16 body: 0  type, size   8  instructions   64  path   72, 80  label   and its lines
//
// The frame of a function in C has no iseq; its name is found by its method entry, which is 16
// before the flags, as in other frames:
//
//     entry     0  flags   8  class   16  definition, with the name's number at 32
//               24  the number of the name by which it is called
//
// These numbers are indices in a table of all names. The code of rb_id2str() shows the table's
// address:
//
//     rb_id2str()     cmp $0xa9,%rdi    (or %rax) greater ones are shifted; then it may
//                                       jump on, with the kind of the name in %esi
//                     cmp %edi,0x1a9e71(%rip)   the number of names
//                     mov 0x1a9e78(%rip),%rdi   16 after that: an array of arrays
//
// An instruction is the address of the code that executes it, inside vm_exec_core(), followed by
// its operands. When a frame has called another one, its pc is after the instruction that made the
// call. The loop keeps pc in r14 and the frame in r15; the pc in memory is only updated by
// instructions that may call something.
//
// The loop has no symbol. But it has a table of the addresses of all its instructions: some 200
// consecutive pointers into the same function, which no other function has. rb_thread_current()
// returns the object of the context's thread, so this function's code shows where the thread-local
// variable is (thread_variable.h).
//
// In Ruby 2.7, a single variable of the process points to the context of the thread that holds the
// lock. But each thread keeps its own state under a key, also without the lock, and the state has
// the thread's context at 32:
//
//     ruby_native_thread_p()   mov 0x16913e(%rip),%edi        the key
//                              call pthread_getspecific
#include "lang/ruby/frames.h"

#include <elf.h>
#include <algorithm>
#include <bit>

#include "elf/pointers.h"
#include "insn/parts.h"
#include "lang/field_reader.h"
#include "lang/thread_variable.h"
#include "lang/version.h"

namespace uscope::lang {
namespace {

constexpr uint64_t ruby_word = sizeof(uint64_t);
// Offsets in a context, a frame, an iseq and its body.
constexpr uint8_t newest_at = 16, thread_at = 48, object_at = 16;
constexpr uint8_t context_at = 32;  // in a thread's state
constexpr uint8_t pc_at = 0, iseq_at = 16, ep_at = 32, frame_bytes = 40;
constexpr uint8_t iseq_body_at = 16;
constexpr uint8_t size_at = 4, instructions_at = 8, path_at = 64, label_at = 80, body_bytes = 96;
constexpr uint8_t finish_bit = 5, of_c = 0x80;
constexpr uint8_t entry_before = 16, class_at = 8, definition_at = 16, ruby_name_at = 32;
// Flags of a method entry: the number of a bit that the type of an iseq's body never has; and which
// bits identify an entry, and their values.
constexpr uint8_t entry_bit = 4;
constexpr uint64_t entry_mask = 0xf01f, entry_kind = 0x601a;

struct RubyRelease {
    Version version;
    uint8_t stride;  // of frames
    uint8_t lines;   // in the body; their number and their index follow
    uint8_t line_count, line_index;
    uint8_t line_bytes;
    bool has_long_strings;  // embedded strings also have a word for the length
    bool has_key;           // for the thread's state; else a thread-local variable
    uint8_t parent = 0;     // in the body: the iseq around it, if code for eval() has no name
};
constexpr RubyRelease ruby_releases[] = {
    {{2, 7}, 56, 120, 136, 144, 8, false, true},
    {{3, 1}, 64, 120, 136, 144, 12, false, false},
    {{3, 3}, 56, 112, 128, 136, 12, true, false},
    {{3, 4}, 56, 112, 128, 136, 12, true, false, 160},
};

struct RubySymbols {
    elf::Symbol version, thread, native_thread, names;
};

RubySymbols find_ruby_symbols(const elf::Image &image)
{
    RubySymbols found;
    find_symbols(image, {{"ruby_api_version", &found.version},
                         {"rb_thread_current", &found.thread},
                         {"ruby_native_thread_p", &found.native_thread},
                         {"rb_id2str", &found.names}});
    return found;
}

Version find_ruby_version(const elf::Image &image, uint64_t vaddr)
{
    auto numbers = image.bytes_at(vaddr, 2 * sizeof(uint32_t));
    return numbers ? Version{*numbers->read<uint32_t>(0), *numbers->read<uint32_t>(4)} : Version();
}

// Returns the address of the pair (module, offset) of the variable that rb_thread_current() reads.
std::optional<uint64_t> find_variable(const elf::Image &image, uint64_t function)
{
    auto found = find_thread_variable(image, function);
    bool is_it = found && found->state_by == UNWIND_STATE_BY_MODULE &&
                 found->loads == std::vector<int>{0, thread_at, object_at};
    return is_it ? std::optional(found->key) : std::nullopt;
}

// Returns the address of the key that ruby_native_thread_p() reads.
std::optional<uint64_t> find_ruby_key(const elf::Image &image, uint64_t function)
{
    constexpr uint64_t max_bytes = 32;
    constexpr uint8_t load = 0x8b, to_argument = 0x3d;
    Bytes code = image.bytes_at(function, max_bytes).value_or(Bytes());
    for (uint64_t at = 0; at < code.size();) {
        auto parts = insn::take_apart(code.from(at));
        if (!parts)
            return std::nullopt;
        uint64_t operand = at + parts->modrm_at + 1, next = at + parts->length;
        if (parts->is_legacy(0) && parts->opcode == load && parts->modrm == to_argument)
            return function + next + uint64_t(int64_t(code.read<int32_t>(operand).value_or(0)));
        at = next;
    }
    return std::nullopt;
}

// The table of names.
struct NameTable {
    uint64_t vaddr = 0;      // of the pointer to it
    uint64_t unshifted = 0;  // the greatest number that is itself an index
};

// Finds the table in code that first compares a number with the number of names: that of
// rb_id2str() (2.7), or of the function to which rb_id2str() jumps. Returns nullopt if the code is
// not as expected.
std::optional<NameTable> find_names(const elf::Image &image, uint64_t function)
{
    constexpr unsigned max_instructions = 60;
    constexpr uint64_t max_bytes = 15, table_distance = 16;
    constexpr uint8_t compare_number = 0x81, number = 0xff, compare_rax = 0x3d;
    constexpr uint8_t jump = 0xe9, wide = 8;
    constexpr uint8_t compare = 0x39, swapped = 0x3b, load = 0x8b, by_next_instruction = 5;
    NameTable found;
    uint64_t vaddr = function, count = 0;
    for (unsigned i = 0; i < max_instructions; i++) {
        Bytes code = image.bytes_at(vaddr, max_bytes).value_or(Bytes());
        auto parts = insn::take_apart(code);
        if (!parts)
            return std::nullopt;
        uint64_t next = vaddr + parts->length;
        auto operand = code.read<int32_t>(parts->modrm_at + 1).value_or(0);
        uint64_t address = next + uint64_t(int64_t{operand});
        uint8_t opcode = parts->is_legacy(0) ? parts->opcode : 0;
        bool is_near = (parts->modrm & 0xc7) == by_next_instruction, is_wide = parts->rex & wide;
        if (is_wide && opcode == compare_number && parts->modrm == number)
            found.unshifted = uint32_t(operand);
        else if (is_wide && opcode == compare_rax)
            found.unshifted = code.read<uint32_t>(parts->length - sizeof(uint32_t)).value_or(0);
        else if (is_near && !is_wide && (opcode == compare || opcode == swapped))
            count = address;
        else if (is_near && is_wide && opcode == load && count) {
            found.vaddr = address;
            return address == count + table_distance && found.unshifted ? std::optional(found)
                                                                        : std::nullopt;
        }
        vaddr = opcode == jump ? address : next;
    }
    return std::nullopt;
}

// Returns the function whose instructions are in the table: the one into which at least `fewest`
// consecutive pointers lead; 0 if there is none.
uint64_t find_instructions(const elf::Image &image, const elf::Frames &frames)
{
    constexpr size_t fewest = 150;  // the matcher of regular expressions has 98
    uint64_t found = 0, before = 0;
    size_t count = 0;
    elf::Frame piece;
    elf::Pointers pointers(image);
    for (auto [vaddr, target] : pointers.relocations()) {
        bool is_inside = target >= piece.start && target < piece.end;
        if (!is_inside) {
            auto next = image.is_executable(target) ? frames.at(target) : std::nullopt;
            piece = next.value_or(elf::Frame());
        }
        count = is_inside && vaddr == before + ruby_word ? count + 1 : 1;
        before = vaddr;
        if (count >= fewest)
            found = piece.start;
    }
    return found;
}

unwind_interpreter ruby_interpreter(const RubyRelease &release)
{
    unwind_interpreter made = {};
    made.state_by = release.has_key ? UNWIND_STATE_BY_KEY : UNWIND_STATE_BY_MODULE;
    made.values_at = release.has_key ? glibc_values_at : 0;
    made.blocks_at = glibc_blocks_at;
    made.current_at = release.has_key ? context_at : newest_at;
    made.has_inner = release.has_key;
    made.inner_at = newest_at;
    made.frame_bytes = frame_bytes;
    made.stride = release.stride;
    made.code_at = iseq_at;
    made.body_at = iseq_body_at;
    made.position_at = pc_at;
    made.position_mask = UINT64_MAX;
    made.position_shift = std::countr_zero(ruby_word);
    made.start_at = instructions_at;
    made.flags_at = ep_at;
    made.mark_at = UNWIND_FLAGS_AT;
    made.ends_marks = 1;
    made.mark_shift = finish_bit;
    made.shim_mark = of_c;                  // the lowest bit is always set as well
    made.first_words_at = instructions_at;  // in a method entry: class, definition
    made.check_words_at = path_at;
    made.check_bytes = body_bytes;
    made.has_native = 1;
    made.native_shift = entry_bit;
    made.native_words_at = class_at;
    made.native_before = entry_before;
    made.is_swapped = 1;
    return made;
}

// --- methods and blocks ------------------------------------------------------------------------

constexpr uint64_t kind_mask = 31, kind_string = 5, kind_array = 7;
// In a string: its text is not embedded. In an array: its words are embedded.
constexpr uint64_t flag_elsewhere = 1 << 13;

std::string read_ruby_text(FieldReader &from, const RubyRelease &release, uint64_t string)
{
    constexpr uint64_t second = 16, third = 24, max_bytes = 16384;
    constexpr unsigned length_shift = 14, length_mask = 31;
    uint64_t flags = from.read(string);
    from.expect((flags & kind_mask) == kind_string);
    bool is_elsewhere = flags & flag_elsewhere;
    uint64_t length = is_elsewhere || release.has_long_strings
                          ? from.read(string + second)
                          : flags >> length_shift & length_mask;
    uint64_t text = is_elsewhere ? from.read(string + third)
                                 : string + (release.has_long_strings ? third : second);
    return from.bytes(text, length, max_bytes);
}

uint64_t read_element(FieldReader &from, uint64_t array, uint64_t index)
{
    constexpr uint64_t words_at = 16, words_address_at = 32, few = 3;
    uint64_t flags = from.read(array);
    from.expect((flags & kind_mask) == kind_array);
    bool is_inside = flags & flag_elsewhere;
    uint64_t count = is_inside ? few : from.read(array + words_at);
    uint64_t words = is_inside ? array + words_at : from.read(array + words_address_at);
    from.expect(index < count);
    return from.read(words + index * ruby_word);
}

// `path` may be an array: the path, and the absolute path.
std::string read_path(FieldReader &from, const RubyRelease &release, uint64_t path)
{
    FieldReader array(from.memory());
    uint64_t first = read_element(array, path, 0);
    return read_ruby_text(from, release, array.failed() ? path : first);
}

// Turns "(eval at /srv/app.rb:12)" into "(eval at app.rb:12)".
std::string without_folder(std::string path)
{
    constexpr std::string_view begin = "(eval at ";
    size_t folder = path.rfind('/');
    if (path.starts_with(begin) && folder != std::string::npos)
        path.erase(begin.size(), folder + 1 - begin.size());
    return path;
}

// Lines of instructions. A set of bits marks the positions at which a line begins; the number of
// marks up to a position is the index of its line. For the first 54 positions, this number is
// stored, 9 in a word; then come blocks of 512 positions:
//
//     0  marks before this block (4 bytes)   8  marks before each word, 9 bits each   16  bits
class Lines {
  public:
    static Lines read(FieldReader &from, const RubyRelease &release, uint64_t body)
    {
        constexpr uint32_t max = 1 << 16;
        Lines found;
        found.size_ = from.read<uint32_t>(body + size_at);
        found.line_bytes_ = release.line_bytes;
        uint32_t size = found.size_, count = from.read<uint32_t>(body + release.line_count);
        uint64_t lines = from.read(body + release.lines);
        uint64_t index = from.read(body + release.line_index);
        uint32_t blocks = size > counted ? (size - counted - 1) / block_positions + 1 : 0;
        from.expect(size <= max * 8 && count <= max);
        found.lines_ = from.bytes(lines, count * release.line_bytes, max * release.line_bytes);
        if (count > 1)
            found.index_ = from.bytes(index, head_bytes + blocks * block_bytes, UINT32_MAX);
        return found;
    }

    // Returns 0 if unknown: the pc of a frame that has just begun may still be its caller's.
    uint32_t at(uint64_t position) const
    {
        if (position >= size_)
            return 0;
        uint64_t entry = index_.empty() ? 0 : rank(position) - 1;
        return Bytes(lines_).read<uint32_t>(entry * line_bytes_).value_or(0);
    }

  private:
    static constexpr uint32_t counted = 54, in_word = 9, bits = 7;
    static constexpr uint32_t head_bytes = counted / in_word * ruby_word, block_positions = 512;
    static constexpr uint32_t block_bytes = 80, ranks_at = 8, bits_at = 16, rank_bits = 9;

    uint64_t rank(uint64_t position) const
    {
        Bytes index(index_);
        if (position < counted) {
            uint64_t counts = index.read<uint64_t>(position / in_word * ruby_word).value_or(0);
            return counts >> position % in_word * bits & ((1 << bits) - 1);
        }
        position -= counted;
        Bytes block = index.from(head_bytes + position / block_positions * block_bytes);
        uint64_t at = position % block_positions / 64, bit = position % 64;
        uint64_t set = block.read<uint64_t>(bits_at + at * ruby_word).value_or(0);
        uint64_t ranks = block.read<uint64_t>(ranks_at).value_or(0);
        uint64_t before = at ? ranks >> (at - 1) * rank_bits & ((1 << rank_bits) - 1) : 0;
        return block.read<uint32_t>(0).value_or(0) + before +
               uint64_t(std::popcount(set << (63 - bit)));
    }

    uint32_t size_ = 0;  // positions
    uint32_t line_bytes_ = 0;
    std::string lines_, index_;
};

// Code for eval() has the name of the code that calls eval(), as in Ruby's own backtraces.
std::string read_label(FieldReader &from, const RubyRelease &release, uint64_t body)
{
    constexpr unsigned max_nested = 8;
    std::string label = read_ruby_text(from, release, from.read(body + label_at));
    for (unsigned i = 0; release.parent && label == "<compiled>" && i < max_nested; i++) {
        body = from.follow(body, {release.parent, iseq_body_at});
        label = read_ruby_text(from, release, from.read(body + label_at));
    }
    return label;
}

std::optional<Code> read_body(const Memory &memory, const RubyRelease &release, uint64_t body)
{
    FieldReader from(memory);
    std::string file = read_path(from, release, from.read(body + path_at));
    std::string function = read_label(from, release, body);
    Lines lines = Lines::read(from, release, body);
    Code code = {std::move(function), without_folder(std::move(file))};
    // The position is after the instruction.
    code.line = [lines = std::move(lines)](uint64_t at) { return lines.at(at ? at - 1 : 0); };
    return from.result(std::move(code));
}

// Names a function in C by its method entry.
std::optional<Code> read_entry(const Memory &memory, const RubyRelease &release,
                               const NameTable &names, uint64_t bias, uint64_t entry)
{
    constexpr uint64_t shift = 4, in_array = 512, words_each = 2;
    if (!names.vaddr)
        return Code{.function = "[unknown]", .file = "internal"};
    FieldReader from(memory);
    uint64_t number = from.follow(entry, {definition_at, ruby_name_at});
    uint64_t index = number > names.unshifted ? number >> shift : number;
    uint64_t array = read_element(from, from.read(bias + names.vaddr), index / in_array);
    uint64_t name = read_element(from, array, index % in_array * words_each);
    return from.result(Code{.function = read_ruby_text(from, release, name), .file = "internal"});
}

}  // namespace

bool is_ruby(std::string_view file_name)
{
    return file_name.starts_with("libruby") && file_name.find(".so") != std::string_view::npos;
}

std::optional<Interpreter> find_ruby_frames(const elf::Image &image, const elf::Frames &frames,
                                            std::string *unknown)
{
    RubySymbols symbols = find_ruby_symbols(image);
    if (image.machine() != EM_X86_64 || !symbols.version.vaddr || !symbols.thread.vaddr)
        return std::nullopt;
    Version version = find_ruby_version(image, symbols.version.vaddr);
    const RubyRelease *release = find_release(ruby_releases, version);
    if (!release)
        return is_unknown(unknown, "Ruby", version);
    auto key = release->has_key ? find_ruby_key(image, symbols.native_thread.vaddr)
                                : find_variable(image, symbols.thread.vaddr);
    uint64_t loop = key ? find_instructions(image, frames) : 0;
    if (!loop)
        return is_unknown(unknown, "Ruby", version);
    auto names = find_names(image, symbols.names.vaddr);
    Interpreter found = {ruby_interpreter(*release), find_loop(image, frames, loop)};
    found.frames.key = *key;
    found.use_registers();
    found.read = [release, names = names.value_or(NameTable())](const Memory &memory, uint64_t bias,
                                                                uint64_t code) {
        auto flags = memory.read<uint64_t>(code).value_or(0);
        return (flags & entry_mask) == entry_kind ? read_entry(memory, *release, names, bias, code)
                                                  : read_body(memory, *release, code);
    };
    return found;
}

}  // namespace uscope::lang
