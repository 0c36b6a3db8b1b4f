// Since 3.11, a Python function calls another one without calling a C function: the interpreter
// goes on with another frame. But the code of every function begins with the instruction RESUME,
// and the interpreter jumps to the code of each instruction through a table of 256 addresses. So
// the code of RESUME runs once per call. Its operand is 0 for calls only; it has other values when
// a generator is resumed. (For a generator, the first resumption counts as the call.) In 3.13:
//
//     code of def f(): …   RESUME 0    bytes 95 00
//     table                … 565038 … (entry 149, which is RESUME: 0x95)
//     code of RESUME       565038:  endbr64
//                          56503c:  mov    0x3c(%r14),%r13d
//                          565040:  mov    %rbp,0x38(%rbx)       the frame's instruction pointer
//                          565044:  add    $0x2,%rbp
//                          565048:  test   %r13d,%r13d
//                          56504b:  je     56a3e8                the probe
//
// The probe is on the first jump, because the kernel emulates jumps (insn/decode.h). By then the
// frame, here in %rbx, has the address of the instruction. The probe's condition looks at that
// instruction, because other code may jump into the middle of the code of RESUME: a RESUME_CHECK
// that turns out to need RESUME has already passed its own probe.
//
// When a function is executed again, the interpreter has replaced RESUME by RESUME_QUICK or
// RESUME_CHECK; under a debugger, by INSTRUMENTED_RESUME. (After a debugger or profiler starts or
// stops, the next call of a function counts twice.) 3.11 has no INSTRUMENTED_RESUME: under a
// debugger or profiler it executes the original instruction, so the code of RESUME runs although
// the bytecode has RESUME_QUICK. Code of the experimental JIT compiler reaches none of these
// probes.
//
// The table is the only one with these properties: it has 256 addresses of code; the instruction
// numbers that this version does not use, and only these, share one address; and the code of each
// kind of RESUME stores into the frame and then has a jump. Until 3.14 the table is constant.
// Instructions have the same numbers in all releases of a version.
//
// A flow of calls and returns needs more: every entry into a frame, including a generator's
// resumptions, and every exit.
//
//     entered   RESUME with any operand; and _PyEval_EvalFrameDefault(thread, frame, true): it
//               throws an exception into a generator, which then executes no RESUME
//     left      _PyEval_FrameClearAndPop(thread, frame), exported since 3.13 and called at each
//               return and for each frame that an exception ends; and YIELD_VALUE
//
// _PyEval_FrameClearAndPop() also clears frames that were never entered: calls that recurse too
// deeply, and the interpreter's own frames around __init__. So a frame only counts if its
// instruction pointer is past its RESUME, whose index is in the code object. (If a signal handler
// raises an exception in RESUME itself, the return is missing.) 3.11 has a probe for exactly these
// events: function__return. 3.12 has neither this probe nor the exported function. 3.15 has probes
// for both entries and returns again, but its function__entry also fires when a generator or
// coroutine is created, which is no call and has no function__return. In 3.15, generator
// expressions execute a RESUME of their own before they are created (to call `iter()`); Python's
// own profiler does not count that as a call either.
#include "lang/python/calls.h"

#include <elf.h>
#include <algorithm>
#include <array>

#include "base/format.h"
#include "elf/pointers.h"
#include "insn/decode.h"
#include "lang/interpreter.h"

namespace uscope::lang {
namespace {

constexpr size_t instructions = 256;
constexpr size_t max_words = 8'000'000;  // searched at most: ten times what CPython has

constexpr int frame_instruction = 56, code_file_at = 112, code_name_at = 120,
              code_qualified_at = 128;

struct Opcode {
    const char *name;
    uint8_t number;
    uint8_t replacement = 0;  // the bytecode may have this number instead
};

struct Leaving {
    uint8_t return_value;
    std::vector<Opcode> yields;
    // Offsets in the code object: of its RESUME's index, of its instructions.
    int first_index, first;
};

struct Flow {
    int name;                        // in the code object; 3.11: the name that its probe passes
    std::optional<Leaving> leaving;  // nullopt: a USDT probe reports exits
};

struct CallsRelease {
    Version version;
    std::vector<Opcode> resumes;
    uint8_t first_unused, last_unused;  // range of numbers without an instruction
    const char *code;                   // expression for the frame's code; "{}": the register
    int text;                           // offset of the characters in a string
    std::optional<Flow> flow;
    // In the operand of RESUME: the bits that say where in the function this RESUME is, and their
    // value (if not 0) if it belongs to a generator that is not created yet.
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
    // The lowest bit of a reference marks it as not counted.
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

// Returns FRAME of an instruction `mov %REGISTER,56(%FRAME)`; null if it is another instruction.
const char *stored_frame(Bytes instruction)
{
    constexpr const char *registers[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                         "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    auto byte = [&](size_t at) -> unsigned { return instruction.read<uint8_t>(at).value_or(0); };
    bool is_store = (byte(0) & 0xf8) == 0x48 && byte(1) == 0x89;  // REX.W
    unsigned form = byte(2) >> 6, base = byte(2) & 7;
    size_t last = 3;
    if (base == 4) {  // a SIB byte; needed for %rsp and %r12 alone
        if (byte(3) != 0x24)
            return nullptr;
        last = 4;
    }
    if (!is_store || form != 1 || instruction.size() != last + 1 || byte(last) != frame_instruction)
        return nullptr;
    return registers[base | (byte(0) & 1) << 3];
}

bool falls_through(insn::Kind kind)
{
    return kind == insn::Kind::Other || kind == insn::Kind::EndBranch || kind == insn::Kind::Nop;
}

// Calls visit(vaddr, kind, code) for the instructions from `vaddr` on, until it returns false.
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

struct JumpSite {
    uint64_t vaddr;     // of the jump
    const char *frame;  // the register with the frame
};

// Finds the first relative jump after a store into the frame.
std::optional<JumpSite> find_jump(const elf::Image &image, uint64_t vaddr)
{
    const char *frame = nullptr;
    std::optional<JumpSite> found;
    each_instruction(image, vaddr, [&](uint64_t at, insn::Kind kind, Bytes code) {
        if (kind == insn::Kind::JumpRelative && frame)
            found = {at, frame};
        if (!frame)
            frame = stored_frame(code);
        return falls_through(kind);
    });
    return found;
}

// Does the code of a bytecode instruction store into a frame whose address is in this register?
bool has_frame(const elf::Image &image, uint64_t vaddr, std::string_view frame)
{
    const char *found = nullptr;
    each_instruction(image, vaddr, [&](uint64_t, insn::Kind kind, Bytes code) {
        found = stored_frame(code);
        return !found && (falls_through(kind) || kind == insn::Kind::JumpRelative);
    });
    return found && found == frame;
}

// Is `function` the first function that the code calls?
bool calls(const elf::Image &image, uint64_t vaddr, uint64_t function)
{
    bool found = false;
    each_instruction(image, vaddr, [&](uint64_t at, insn::Kind kind, Bytes code) {
        if (kind == insn::Kind::CallRelative)
            found = at + code.size() + code.read<int32_t>(1).value_or(0) == function;
        return falls_through(kind) || kind == insn::Kind::JumpRelative;
    });
    return found;
}

using JumpTable = std::array<uint64_t, instructions>;

// Does the table have the same address for exactly this range of unused numbers? The table of the
// JIT compiler, which leads all other instructions to the compiler's recorder, has one address on
// both sides of the range.
bool fits(const JumpTable &table, const CallsRelease &release)
{
    uint64_t unknown = table[release.first_unused];
    for (unsigned i = release.first_unused; i <= release.last_unused; i++) {
        if (table[i] != unknown)
            return false;
    }
    uint64_t before = table[release.first_unused - 1], after = table[release.last_unused + 1];
    return before != unknown && after != unknown && before != after;
}

std::optional<uint64_t> find_symbol(const elf::Image &image, std::string_view name)
{
    elf::Symbol found;
    find_symbols(image, {{name, &found}});
    return found.vaddr ? std::optional(found.vaddr) : std::nullopt;
}

uint64_t entry_of(const elf::Image &image, uint64_t function)
{
    constexpr uint64_t enough = 16;
    return function + insn::entry_offset(image.bytes_at(function, enough).value_or(Bytes()));
}

// Is it a build without the global lock? There, objects have another layout.
bool is_free_threaded(const elf::Image &image)
{
    return find_symbol(image, "_Py_DecRefShared").has_value();
}

// Finds the sites by a table that may be the interpreter's.
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
    CodeSite site(uint64_t vaddr, std::string_view frame, std::string condition, int name) const;
    std::string code(std::string_view frame) const;
    std::string was_entered(const Leaving &leaving, const char *frame) const;

    const elf::Image &image_;
    const CallsRelease &release_;
    const JumpTable &table_;
    std::vector<JumpSite> resumes_;
};

std::string Finder::code(std::string_view frame) const
{
    return fmt::format(fmt::runtime(release_.code), fmt::format("reg(\"{}\")", frame));
}

CodeSite Finder::site(uint64_t vaddr, std::string_view frame, std::string condition, int name) const
{
    auto text = [&](int offset) {
        return fmt::format("str(*(uint64_t *)({} + {}) + {})", code(frame), offset, release_.text);
    };
    return {
        vaddr,
        std::move(condition),
        {{Role::Class, text(code_file_at)}, {Role::Method, text(name)}, {Role::Code, code(frame)}}};
}

// The two bytes of a RESUME, read as a number, have the instruction's number in the low byte and
// the operand in the high one. no_operand: a mask for the instruction's number alone.
constexpr unsigned operand_shift = 8, no_operand = 0xff;

std::string resume_word(const JumpSite &jump, unsigned mask)
{
    return fmt::format("(*(uint16_t *)*(uint64_t *)(reg(\"{}\") + {}) & {:#x})", jump.frame,
                       frame_instruction, mask);
}

std::string executes(const JumpSite &jump, unsigned mask, const Opcode &opcode)
{
    std::string found = resume_word(jump, mask);
    std::string is_it = fmt::format("{} == {}", found, opcode.number);
    return opcode.replacement ? fmt::format("({} || {} == {})", is_it, found, opcode.replacement)
                              : is_it;
}

CodeSites Finder::find()
{
    CodeSites sites;
    for (const Opcode &resume : release_.resumes) {
        auto jump = find_jump(image_, table_[resume.number]);
        if (!jump)
            return {};
        resumes_.push_back(*jump);
        unsigned mask = no_operand | release_.where << operand_shift;
        sites[resume.name] =
            site(jump->vaddr, jump->frame, executes(*jump, mask, resume), code_qualified_at);
    }
    if (release_.flow)
        sites.merge(find_flow(*release_.flow));
    return sites;
}

CodeSites Finder::find_flow(const Flow &flow) const
{
    auto evaluate = find_symbol(image_, "_PyEval_EvalFrameDefault");
    auto leaving = flow.leaving ? find_leaving(flow) : CodeSites();
    if (!evaluate || !leaving)
        return {};
    CodeSites sites = std::move(*leaving);
    for (size_t i = 0; i < resumes_.size(); i++) {
        const Opcode &resume = release_.resumes[i];
        std::string entered = executes(resumes_[i], no_operand, resume);
        if (release_.before_made)
            entered += fmt::format(" && {} != {}",
                                   resume_word(resumes_[i], release_.where << operand_shift),
                                   release_.before_made << operand_shift);
        sites[fmt::format("entry {}", resume.name)] =
            site(resumes_[i].vaddr, resumes_[i].frame, entered, flow.name);
    }
    std::string thrown = "(int32_t)reg(\"rdx\") != 0";
    if (flow.leaving)
        thrown += " && " + was_entered(*flow.leaving, "rsi");
    sites["entry thrown"] = site(entry_of(image_, *evaluate), "rsi", thrown, flow.name);
    return sites;
}

// Returns nullopt if some of the sites are missing.
std::optional<CodeSites> Finder::find_leaving(const Flow &flow) const
{
    const Leaving &leaving = *flow.leaving;
    auto clear = find_symbol(image_, "_PyEval_FrameClearAndPop");
    if (!clear || !calls(image_, table_[leaving.return_value], *clear))
        return std::nullopt;
    CodeSites sites;
    sites["return"] = site(entry_of(image_, *clear), "rsi", was_entered(leaving, "rsi"), flow.name);
    for (const Opcode &yield : leaving.yields) {
        const char *frame = resumes_[0].frame;
        if (!has_frame(image_, table_[yield.number], frame))
            return std::nullopt;
        sites[yield.name] = site(table_[yield.number], frame, "", flow.name);
    }
    return sites;
}

// Returns an expression: is the frame's instruction pointer past its RESUME?
std::string Finder::was_entered(const Leaving &leaving, const char *frame) const
{
    std::string resume = fmt::format("{0} + {1} + 2 * *(int32_t *)({0} + {2})", code(frame),
                                     leaving.first, leaving.first_index);
    return fmt::format("*(uint64_t *)(reg(\"{}\") + {}) > {}", frame, frame_instruction, resume);
}

}  // namespace

CodeSites find_python_calls(const elf::Image &image, const Version &version)
{
    const CallsRelease *release = find_release(calls_releases, version);
    if (!release || image.machine() != EM_X86_64 || is_free_threaded(image))
        return {};
    elf::Pointers pointers(image);
    std::vector<CodeSites> found;
    size_t left = max_words;
    for (const elf::Section &section : image.sections()) {
        bool may_have_table = section.name == ".rodata" || section.name == ".data" ||
                              section.name.starts_with(".data.rel.ro");
        if (!may_have_table)
            continue;
        std::vector<uint64_t> targets;  // consecutive words that are addresses of code
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
            if (auto sites = Finder(image, *release, table).find(); !sites.empty())
                found.push_back(std::move(sites));
        }
    }
    return found.size() == 1 ? found[0] : CodeSites();
}

}  // namespace uscope::lang
