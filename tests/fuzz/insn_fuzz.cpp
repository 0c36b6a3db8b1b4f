// Any bytes decode to instructions that end within the bytes, or are refused. The offsets chosen
// for probes are at instructions.
#include "insn/decode.h"
#include "insn/entry.h"
#include "require.h"

using namespace uscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Bytes code(data, size);
    size_t at = 0;
    while (auto instruction = insn::decode(code.from(at))) {
        require(instruction->length >= 1 && instruction->length <= 15);
        // Decoding needs all of the instruction's bytes, and no others.
        auto exact = insn::decode(*code.slice(at, instruction->length));
        require(exact && exact->length == instruction->length && exact->kind == instruction->kind);
        require(!insn::decode(*code.slice(at, instruction->length - 1)));
        at += instruction->length;
    }
    require(insn::is_boundary(code, at) == true);
    require(!insn::is_boundary(code, size + 1));
    uint64_t entry = insn::entry_offset(code);
    require(entry == 0 || insn::is_boundary(code, entry) == true);
    // A probe that is moved into a function is at the start of an instruction: either after those
    // that cannot have a probe, or at one that the kernel emulates.
    uint64_t start = size / 3, length = size / 2;
    Bytes function = *code.slice(start, length);
    insn::Branches branches(code);
    if (auto moved = insn::entry_after_vectors(function)) {
        require(insn::is_boundary(function, moved->offset) == true);
        require(insn::decode(function)->kind == insn::Kind::Refused);
        require(insn::decode(function.from(moved->offset))->kind != insn::Kind::Refused);
        branches.lead_after(start, length, moved->offset);
    }
    for (bool passes_reads : {false, true}) {
        auto cheap = insn::cheap_entry(function, passes_reads);
        if (!cheap)
            continue;
        require(cheap->offset > 0 && insn::is_boundary(function, cheap->offset) == true);
        require(insn::decode(function.from(cheap->offset))->kind != insn::Kind::Other);
        // The result must be the same if other functions were looked up before.
        bool once = branches.lead_after(start, length, cheap->offset);
        require(once == branches.lead_after(start, length, cheap->offset));
        require(once == insn::Branches(code).lead_after(start, length, cheap->offset));
    }
    return 0;
}
