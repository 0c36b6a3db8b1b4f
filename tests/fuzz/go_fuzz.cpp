// Reads any bytes as the code of a Go function, as build information with pointers into the same
// bytes, and as a program with types.
#include "elf/pclntab.h"
#include "go/build_info.h"
#include "go/entry.h"
#include "go/interface.h"
#include "go/returns.h"
#include "go/structures.h"
#include "go/types.h"
#include "insn/decode.h"
#include "require.h"

using namespace uscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Bytes bytes(data, size);
    require(go::entry_offset(bytes) < size || size == 0);
    require(go::call_offset(bytes) <= go::entry_offset(bytes));
    if (auto returns = go::return_offsets(bytes)) {
        require(!returns->empty());
        for (uint64_t offset : *returns) {
            auto instruction = insn::decode(bytes.from(offset));
            require(instruction && instruction->kind == insn::Kind::Return);
            require(insn::is_boundary(bytes, offset) == true);
        }
    }
    auto version = go::version_in(
        bytes, [&](uint64_t vaddr, uint64_t length) { return bytes.slice(vaddr, length); });
    if (version) {
        require(!version->empty() && bytes.text().find(*version) != std::string_view::npos);
        go::parse_version(*version);
    }
    if (auto image = elf::Image::parse(bytes, "fuzz")) {
        go::TypeNames names(*image);
        go::Interfaces interfaces(*image);
        output::Value held = {.kind = output::Value::Kind::Integer};
        for (const elf::Section &section : image->sections())
            for (uint64_t at : {0, 16, 64}) {
                require(names.name(section.vaddr + at).size() < size);
                held.integer = section.vaddr + at;
                require(!interfaces.describe(held, {}).empty());
            }
        go::Structures structures(*image);
        structures.offset("net/http", "http.response", "cw.wroteHeader");
        if (auto table = elf::PclnTable::find(*image))
            table->each([&](const elf::Symbol &symbol) {
                for (uint64_t at : {uint64_t{0}, symbol.size / 2})
                    for (bool is_exact : {false, true})
                        if (auto frame = table->frame(*image, symbol.vaddr + at, is_exact))
                            require(frame->row.row.cfa_register < elf::FrameRow::register_count);
            });
    }
    return 0;
}
