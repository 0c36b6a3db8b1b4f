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
// call passes twice.) Code that the experimental JIT compiler has made passes nowhere.
//
// The table is the only one with these properties: 256 addresses of code; those of the instructions
// that this version does not have all the same, and none other; and behind the RESUMEs a store into
// the frame and a jump. Instructions have the same numbers in all of a version's releases.
#include "lang/python_calls.h"

#include <elf.h>
#include <algorithm>
#include <array>

#include "base/format.h"
#include "elf/pointers.h"
#include "insn/decode.h"

namespace uscope::lang {
namespace {

constexpr size_t instructions = 256;

struct Resume {
    const char *name;
    uint8_t number;
};

// Offsets are the same in all builds but those without the global lock.
struct Release {
    Version version;
    std::vector<Resume> resumes;
    uint8_t first_unused, last_unused;  // numbers without an instruction, as many as there are
    const char *code;                   // of the frame; "{}" is its register
    int text;                           // behind the beginning of a string
};
const Release releases[] = {
    {{3, 11}, {{"RESUME", 151}, {"RESUME_QUICK", 150}}, 181, 254, "*(uint64_t *)({} + 32)", 48},
    {{3, 12}, {{"RESUME", 151}, {"INSTRUMENTED_RESUME", 240}}, 177, 236, "*(uint64_t *){}", 40},
    {{3, 13},
     {{"RESUME", 149}, {"RESUME_CHECK", 207}, {"INSTRUMENTED_RESUME", 236}},
     223,
     235,
     "*(uint64_t *){}",
     40},
    // The lowest bit says that the reference is not counted.
    {{3, 14},
     {{"RESUME", 128}, {"RESUME_CHECK", 196}, {"INSTRUMENTED_RESUME", 245}},
     212,
     233,
     "(*(uint64_t *){} & -2)",
     40},
};
constexpr int frame_instruction = 56, code_file = 112, code_qualified_name = 128;

const Release *find_release(const Version &version)
{
    for (const Release &release : releases) {
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

struct Passage {
    uint64_t vaddr;     // of the jump
    const char *frame;  // the register
};

std::optional<Passage> find_passage(const elf::Image &image, uint64_t vaddr)
{
    constexpr uint64_t longest = 96;
    Bytes code = image.bytes_at(vaddr, longest).value_or(Bytes());
    const char *frame = nullptr;
    for (uint64_t at = 0; at < code.size();) {
        auto instruction = insn::decode(code.from(at));
        if (!instruction)
            break;
        if (instruction->kind == insn::Kind::JumpRelative)
            return frame ? std::optional(Passage{vaddr + at, frame}) : std::nullopt;
        bool goes_on = instruction->kind == insn::Kind::Other ||
                       instruction->kind == insn::Kind::EndBranch ||
                       instruction->kind == insn::Kind::Nop;
        if (!goes_on)
            break;
        if (!frame)
            frame = stored_frame(code.slice(at, instruction->length).value_or(Bytes()));
        at += instruction->length;
    }
    return std::nullopt;
}

using Table = std::array<uint64_t, instructions>;

// Has the table exactly these numbers without an instruction, in this part of it?
bool fits(const Table &table, const Release &release)
{
    uint64_t unknown = table[release.first_unused];
    for (unsigned i = release.first_unused; i <= release.last_unused; i++) {
        if (table[i] != unknown)
            return false;
    }
    return table[release.first_unused - 1] != unknown && table[release.last_unused + 1] != unknown;
}

Places places_of(const elf::Image &image, const Release &release, const Table &table)
{
    Places places;
    for (const Resume &resume : release.resumes) {
        auto passage = find_passage(image, table[resume.number]);
        if (!passage)
            return {};
        std::string frame = fmt::format("reg(\"{}\")", passage->frame),
                    code = fmt::format(fmt::runtime(release.code), frame);
        auto text = [&](int offset) {
            return fmt::format("str(*(uint64_t *)({} + {}) + {})", code, offset, release.text);
        };
        // The instruction, and of its operand what says where it stands.
        places[resume.name] = {
            passage->vaddr,
            fmt::format("(*(uint16_t *)*(uint64_t *)({} + {}) & 0x3ff) == {}", frame,
                        frame_instruction, resume.number),
            {{Role::Class, text(code_file)}, {Role::Method, text(code_qualified_name)}}};
    }
    return places;
}

}  // namespace

Places find_python_calls(const elf::Image &image, const Version &version)
{
    const Release *release = find_release(version);
    if (!release || image.machine() != EM_X86_64)
        return {};
    elf::Pointers pointers(image);
    std::vector<Places> found;
    for (const elf::Section &section : image.sections()) {
        if (section.name != ".rodata" && !section.name.starts_with(".data.rel.ro"))
            continue;
        std::vector<uint64_t> targets;  // in a row
        for (uint64_t at = 0; at + sizeof(uint64_t) <= section.size; at += sizeof(uint64_t)) {
            uint64_t target = pointers.read(section.vaddr + at).value_or(0);
            if (!image.is_executable(target)) {
                targets.clear();
                continue;
            }
            targets.push_back(target);
            if (targets.size() < instructions)
                continue;
            Table table;
            std::copy(targets.end() - instructions, targets.end(), table.begin());
            if (!fits(table, *release))
                continue;
            if (auto places = places_of(image, *release, table); !places.empty())
                found.push_back(std::move(places));
        }
    }
    return found.size() == 1 ? found[0] : Places();
}

}  // namespace uscope::lang
