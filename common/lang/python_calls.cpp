// A function of Python that calls another one does not call a C function for it, since 3.11: the
// interpreter goes on with another frame. But the code of every function has the instruction RESUME
// at its beginning, and the interpreter has a place for each instruction, which it jumps to through
// a table of 256 addresses. So calls pass at that place, and are all that does with the operand 0 (a
// generator that is resumed has another one; of its calls the first resumption is counted). As with
// 3.13:
//
//     code of def f(): …   RESUME 0    bytes 95 00
//     table                … 565038 … (entry 149, which is RESUME: 0x95)
//     the place            565038:  endbr64
//                          56503c:  mov    0x3c(%r14),%r13d
//                          565040:  mov    %rbp,0x38(%rbx)       the frame's instruction pointer
//                          565044:  add    $0x2,%rbp
//                          565048:  test   %r13d,%r13d
//                          56504b:  je     56a3e8                the probe
//
// The probe is on the first jump, for the kernel emulates jumps (insn/decode.h). By then the frame,
// here in %rbx, holds the address of the instruction. Jumps from elsewhere into the middle are told
// apart by that: a RESUME_CHECK that turns out to need RESUME has passed its own place already.
//
// Where a function was executed before, RESUME is replaced by RESUME_QUICK or RESUME_CHECK; under a
// debugger by INSTRUMENTED_RESUME. (When a debugger or profiler comes or goes, a function's next
// call passes twice.) 3.11 has no such instruction: under a debugger or profiler it executes what the
// code had before, so that RESUME's place is passed where the code has RESUME_QUICK. Code that the experimental JIT compiler has made passes nowhere.
//
// The table is the only one with these properties: 256 addresses of code; those of the instructions
// that this version does not have all the same, and none other; and behind the RESUMEs a store into
// the frame and a jump. Until 3.14 it is constant. Instructions have the same numbers in all of a version's releases.
//
// A flow wants more: each time that a frame is entered, a generator's resumptions too, and each time
// that it is left.
//
//     entered   RESUME with any operand; and where an exception is thrown into a generator, whose
//               next instruction is none: _PyEval_EvalFrameDefault(thread, frame, true)
//     left      _PyEval_FrameClearAndPop(thread, frame), which is exported since 3.13, and called at
//               every return and for every frame that an exception ends; and YIELD_VALUE
//
// Frames that were never entered are cleared there, too: calls that recurse too deeply, and frames
// of the interpreter's own that stand around __init__. So a frame only counts when its instruction
// pointer is past its RESUME, which the code has the index of. (Where a signal's handler raises an
// exception in RESUME itself, the return is missing.) 3.11 has a probe that tells of all that, and
// of nothing else: function__return. 3.12 has neither. 3.15 has both probes again, but its function__entry also fires when a
// generator or coroutine is made, which is neither a call that returns nor one that function__return tells of. Generator
// expressions of 3.15 pass a RESUME of their own before they are made (`iter()` of what they go through is called there); by
// Python's own profile that is no call either.
#include "lang/python_calls.h"

#include <elf.h>
#include <algorithm>
#include <array>

#include "base/format.h"
#include "elf/pointers.h"
#include "elf/symbols.h"
#include "insn/decode.h"

namespace uscope::lang {
namespace {

constexpr size_t instructions = 256;
constexpr size_t most_words = 8'000'000;  // that are looked at: ten times what there are

constexpr int frame_instruction = 56, code_file_at = 112, code_name_at = 120,
              code_qualified_at = 128;

struct Opcode {
    const char *name;
    uint8_t number;
    uint8_t replacement = 0;  // the code may have it in its place, and this one is executed
};

struct Leaving {
    uint8_t return_value;
    std::vector<Opcode> yields;
    int first_index, first;  // of the code: the index of its RESUME, and its instructions
};

struct Flow {
    int name;                        // of the code; 3.11: as its probe has it
    std::optional<Leaving> leaving;  // nothing: a probe tells
};

struct CallsRelease {
    Version version;
    std::vector<Opcode> resumes;
    uint8_t first_unused, last_unused;  // numbers without an instruction, as many as there are
    const char *code;                   // of the frame; "{}" is its register
    int text;                           // behind the beginning of a string
    std::optional<Flow> flow;
    // Of a RESUME's operand: the bits that say where it stands; and, not 0, what they say where a generator is not yet made.
    unsigned where = 3, before_made = 0;
};
const CallsRelease calls_releases[] = {
    {{3, 11},
     {{"RESUME", 151, 150}, {"RESUME_QUICK", 150}},
     181,
     254,
     "*(uint64_t *)({} + 32)",
     48,
     Flow{code_name_at, {}}},
    {{3, 12}, {{"RESUME", 151}, {"INSTRUMENTED_RESUME", 240}}, 177, 236, "*(uint64_t *){}", 40, {}},
    {{3, 13},
     {{"RESUME", 149}, {"RESUME_CHECK", 207}, {"INSTRUMENTED_RESUME", 236}},
     223,
     235,
     "*(uint64_t *){}",
     40,
     Flow{code_qualified_at,
          Leaving{36, {{"YIELD_VALUE", 118}, {"INSTRUMENTED_YIELD_VALUE", 241}}, 184, 200}}},
    // The lowest bit says that the reference is not counted.
    {{3, 14},
     {{"RESUME", 128}, {"RESUME_CHECK", 196}, {"INSTRUMENTED_RESUME", 245}},
     212,
     233,
     "(*(uint64_t *){} & -2)",
     40,
     Flow{code_qualified_at,
          Leaving{35, {{"YIELD_VALUE", 120}, {"INSTRUMENTED_YIELD_VALUE", 247}}, 192, 208}}},
    {{3, 15},
     {{"RESUME", 128},
      {"RESUME_CHECK", 200},
      {"RESUME_CHECK_JIT", 201},
      {"INSTRUMENTED_RESUME", 244}},
     219,
     232,
     "(*(uint64_t *){} & -2)",
     40,
     Flow{code_qualified_at,
          Leaving{33, {{"YIELD_VALUE", 119}, {"INSTRUMENTED_YIELD_VALUE", 246}}, 192, 208}},
     7,
     4},
};

const CallsRelease *find_calls_release(const Version &version)
{
    for (const CallsRelease &release : calls_releases) {
        if (release.version.major == version.major && release.version.minor == version.minor)
            return &release;
    }
    return nullptr;
}

// The register of the address at which `mov %REGISTER,56(%FRAME)` stores.
const char *stored_frame(Bytes instruction)
{
    constexpr const char *registers[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                         "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    auto byte = [&](size_t at) -> unsigned { return instruction.read<uint8_t>(at).value_or(0); };
    bool is_store = (byte(0) & 0xf8) == 0x48 && byte(1) == 0x89;  // REX.W
    unsigned form = byte(2) >> 6, base = byte(2) & 7;
    size_t last = 3;
    if (base == 4) {  // an address in two parts; %rsp and %r12 alone are written so, too
        if (byte(3) != 0x24)
            return nullptr;
        last = 4;
    }
    if (!is_store || form != 1 || instruction.size() != last + 1 || byte(last) != frame_instruction)
        return nullptr;
    return registers[base | (byte(0) & 1) << 3];
}

bool goes_on(insn::Kind kind)
{
    return kind == insn::Kind::Other || kind == insn::Kind::EndBranch || kind == insn::Kind::Nop;
}

// Calls visit(vaddr, kind, code) for the instructions from `vaddr` on, as long as it says so.
template <class Visit>
void each_instruction(const elf::Image &image, uint64_t vaddr, Visit &&visit)
{
    constexpr uint64_t longest = 128;
    Bytes code = image.bytes_at(vaddr, longest).value_or(Bytes());
    for (uint64_t at = 0; at < code.size();) {
        auto instruction = insn::decode(code.from(at));
        if (!instruction || !visit(vaddr + at, instruction->kind,
                                   code.slice(at, instruction->length).value_or(Bytes())))
            return;
        at += instruction->length;
    }
}

struct Passage {
    uint64_t vaddr;     // of the jump
    const char *frame;  // the register
};

// The first one with such a store before it.
std::optional<Passage> find_passage(const elf::Image &image, uint64_t vaddr)
{
    const char *frame = nullptr;
    std::optional<Passage> found;
    each_instruction(image, vaddr, [&](uint64_t at, insn::Kind kind, Bytes code) {
        if (kind == insn::Kind::JumpRelative && frame)
            found = {at, frame};
        if (!frame)
            frame = stored_frame(code);
        return goes_on(kind);
    });
    return found;
}

// Does a place that knows the frame by this register, too, store into it?
bool has_frame(const elf::Image &image, uint64_t vaddr, std::string_view frame)
{
    const char *found = nullptr;
    each_instruction(image, vaddr, [&](uint64_t, insn::Kind kind, Bytes code) {
        found = stored_frame(code);
        return !found && (goes_on(kind) || kind == insn::Kind::JumpRelative);
    });
    return found && found == frame;
}

// Is `function` the first that a place calls?
bool calls(const elf::Image &image, uint64_t vaddr, uint64_t function)
{
    bool found = false;
    each_instruction(image, vaddr, [&](uint64_t at, insn::Kind kind, Bytes code) {
        if (kind == insn::Kind::CallRelative)
            found = at + code.size() + code.read<int32_t>(1).value_or(0) == function;
        return goes_on(kind) || kind == insn::Kind::JumpRelative;
    });
    return found;
}

using JumpTable = std::array<uint64_t, instructions>;

// Has the table exactly these numbers without an instruction, in this part of it? The JIT compiler's own, behind which
// all other instructions are recorded, has, too: but one address on both sides.
bool fits(const JumpTable &table, const CallsRelease &release)
{
    uint64_t unknown = table[release.first_unused];
    for (unsigned i = release.first_unused; i <= release.last_unused; i++) {
        if (table[i] != unknown)
            return false;
    }
    uint64_t before = table[release.first_unused - 1], behind = table[release.last_unused + 1];
    return before != unknown && behind != unknown && before != behind;
}

std::optional<uint64_t> find_symbol(const elf::Image &image, std::string_view name)
{
    std::optional<uint64_t> found;
    for (const elf::SymbolTable &table : elf::symbol_tables(image)) {
        table.each_holding(name, [&](const elf::Symbol &symbol) {
            if (symbol.name == name)
                found = symbol.vaddr;
        });
    }
    return found;
}

uint64_t entry_of(const elf::Image &image, uint64_t function)
{
    constexpr uint64_t enough = 16;
    return function + insn::entry_offset(image.bytes_at(function, enough).value_or(Bytes()));
}

// Without the global lock: objects lie in memory otherwise.
bool is_free_threaded(const elf::Image &image)
{
    return find_symbol(image, "_Py_DecRefShared").has_value();
}

// What is at the places of one table.
class Finder {
  public:
    Finder(const elf::Image &image, const CallsRelease &release, const JumpTable &table)
        : image_(image), release_(release), table_(table)
    {
    }
    CodeSites find();

  private:
    CodeSites find_flow(const Flow &flow) const;
    std::optional<CodeSites> find_leaving(const Flow &flow) const;
    CodeSite place(uint64_t vaddr, std::string_view frame, std::string condition, int name) const;
    std::string code(std::string_view frame) const;
    std::string was_entered(const Leaving &leaving, const char *frame) const;

    const elf::Image &image_;
    const CallsRelease &release_;
    const JumpTable &table_;
    std::vector<Passage> resumes_;
};

std::string Finder::code(std::string_view frame) const
{
    return fmt::format(fmt::runtime(release_.code), fmt::format("reg(\"{}\")", frame));
}

CodeSite Finder::place(uint64_t vaddr, std::string_view frame, std::string condition,
                       int name) const
{
    auto text = [&](int offset) {
        return fmt::format("str(*(uint64_t *)({} + {}) + {})", code(frame), offset, release_.text);
    };
    return {
        vaddr,
        std::move(condition),
        {{Role::Class, text(code_file_at)}, {Role::Method, text(name)}, {Role::Code, code(frame)}}};
}

// At a RESUME: the instruction, and as much of its operand, which is behind it.
constexpr unsigned operand_shift = 8, no_operand = 0xff;

std::string resume_word(const Passage &passage, unsigned mask)
{
    return fmt::format("(*(uint16_t *)*(uint64_t *)(reg(\"{}\") + {}) & {:#x})", passage.frame,
                       frame_instruction, mask);
}

std::string is_at(const Passage &passage, unsigned mask, const Opcode &opcode)
{
    std::string found = resume_word(passage, mask);
    std::string is_it = fmt::format("{} == {}", found, opcode.number);
    return opcode.replacement ? fmt::format("({} || {} == {})", is_it, found, opcode.replacement)
                              : is_it;
}

CodeSites Finder::find()
{
    CodeSites places;
    for (const Opcode &resume : release_.resumes) {
        auto passage = find_passage(image_, table_[resume.number]);
        if (!passage)
            return {};
        resumes_.push_back(*passage);
        unsigned mask = no_operand | release_.where << operand_shift;
        places[resume.name] =
            place(passage->vaddr, passage->frame, is_at(*passage, mask, resume), code_qualified_at);
    }
    if (release_.flow)
        places.merge(find_flow(*release_.flow));
    return places;
}

CodeSites Finder::find_flow(const Flow &flow) const
{
    auto evaluate = find_symbol(image_, "_PyEval_EvalFrameDefault");
    auto leaving = flow.leaving ? find_leaving(flow) : CodeSites();
    if (!evaluate || !leaving)
        return {};
    CodeSites places = std::move(*leaving);
    for (size_t i = 0; i < resumes_.size(); i++) {
        const Opcode &resume = release_.resumes[i];
        std::string entered = is_at(resumes_[i], no_operand, resume);
        if (release_.before_made)
            entered += fmt::format(" && {} != {}",
                                   resume_word(resumes_[i], release_.where << operand_shift),
                                   release_.before_made << operand_shift);
        places[fmt::format("entry {}", resume.name)] =
            place(resumes_[i].vaddr, resumes_[i].frame, entered, flow.name);
    }
    std::string thrown = "(int32_t)reg(\"rdx\") != 0";
    if (flow.leaving)
        thrown += " && " + was_entered(*flow.leaving, "rsi");
    places["entry thrown"] = place(entry_of(image_, *evaluate), "rsi", thrown, flow.name);
    return places;
}

// Nothing: they are not all there.
std::optional<CodeSites> Finder::find_leaving(const Flow &flow) const
{
    const Leaving &leaving = *flow.leaving;
    auto clear = find_symbol(image_, "_PyEval_FrameClearAndPop");
    if (!clear || !calls(image_, table_[leaving.return_value], *clear))
        return std::nullopt;
    CodeSites places;
    places["return"] =
        place(entry_of(image_, *clear), "rsi", was_entered(leaving, "rsi"), flow.name);
    for (const Opcode &yield : leaving.yields) {
        const char *frame = resumes_[0].frame;
        if (!has_frame(image_, table_[yield.number], frame))
            return std::nullopt;
        places[yield.name] = place(table_[yield.number], frame, "", flow.name);
    }
    return places;
}

// Is the frame's instruction past its RESUME?
std::string Finder::was_entered(const Leaving &leaving, const char *frame) const
{
    std::string resume = fmt::format("{0} + {1} + 2 * *(int32_t *)({0} + {2})", code(frame),
                                     leaving.first, leaving.first_index);
    return fmt::format("*(uint64_t *)(reg(\"{}\") + {}) > {}", frame, frame_instruction, resume);
}

}  // namespace

CodeSites find_python_calls(const elf::Image &image, const Version &version)
{
    const CallsRelease *release = find_calls_release(version);
    if (!release || image.machine() != EM_X86_64 || is_free_threaded(image))
        return {};
    elf::Pointers pointers(image);
    std::vector<CodeSites> found;
    size_t left = most_words;
    for (const elf::Section &section : image.sections()) {
        bool may_have_table = section.name == ".rodata" || section.name == ".data" ||
                              section.name.starts_with(".data.rel.ro");
        if (!may_have_table)
            continue;
        std::vector<uint64_t> targets;  // in a row
        size_t words = image.contents(section).value_or(Bytes()).size() / sizeof(uint64_t);
        for (size_t i = 0; i < words && left > 0; i++, left--) {
            uint64_t target = pointers.read(section.vaddr + i * sizeof(uint64_t)).value_or(0);
            if (!image.is_executable(target)) {
                targets.clear();
                continue;
            }
            targets.push_back(target);
            if (targets.size() < instructions)
                continue;
            JumpTable table;
            std::copy(targets.end() - instructions, targets.end(), table.begin());
            if (!fits(table, *release))
                continue;
            if (auto places = Finder(image, *release, table).find(); !places.empty())
                found.push_back(std::move(places));
        }
    }
    return found.size() == 1 ? found[0] : CodeSites();
}

}  // namespace uscope::lang
