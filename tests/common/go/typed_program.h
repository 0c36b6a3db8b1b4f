// Builds a Go program with one function, and with the types that a test defines.
#pragma once

#include <functional>
#include <string>

#include "common/elf/elf_builder.h"
#include "elf/image.h"

namespace uscope::go {

template <class T>
void put(std::string &bytes, size_t at, T value)
{
    bytes.resize(std::max(bytes.size(), at + sizeof value));
    memcpy(bytes.data() + at, &value, sizeof value);
}

struct TypedProgram {
    std::string version = "go1.23.5";
    uint64_t types_word = 37, end_word = 38;
    // Returns the descriptions of the types. The program will have them at the address `vaddr`.
    std::function<std::string(uint64_t vaddr)> types;

    uint64_t vaddr = 0;  // their address
    std::string file = {};

    // Builds the file twice, because the types depend on the address that the first build gives
    // them.
    elf::Image build()
    {
        uint64_t table = 0;
        for (int round = 0; round < 2; round++) {
            elf::ElfBuilder builder;
            builder.segments[0].p_flags |= PF_W;
            std::string functions;
            put(functions, 0, 0xfffffff1u);
            put(functions, 6, uint16_t{0x0801});
            for (uint64_t word : {1, 0, int(elf::ElfBuilder::base + 0x40), 72, 0, 0, 0, 80})
                put(functions, functions.size(), word);
            functions += std::string("f\0\0\0\0\0\0\0", 8);
            for (uint32_t word : {0, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
                put(functions, functions.size(), word);
            std::string data = types(vaddr), module(40 * 8, '\0');
            put(module, 0, table);
            put(module, 8, table + 72);
            put(module, 16 * 8, table + 80);
            put(module, 20 * 8, elf::ElfBuilder::base + 0x40);
            put(module, 22 * 8, elf::ElfBuilder::base + 0x40);
            put(module, types_word * 8, vaddr);
            put(module, end_word * 8, vaddr + data.size());
            std::string info = "\xff Go buildinf:\x08\x02";
            info.resize(32);
            info += char(version.size()) + version;
            builder.add_section(".go.buildinfo", SHT_PROGBITS, info);
            builder.add_section(".gopclntab", SHT_PROGBITS, functions);
            builder.add_section(".go.module", SHT_PROGBITS, module);
            builder.add_section(".types", SHT_PROGBITS, data);
            file = builder.build([&](elf::ElfBuilder &made) {
                table = made.sections[2].sh_addr;
                vaddr = made.sections[4].sh_addr;
            });
        }
        auto image = elf::Image::parse(Bytes(file), "x");
        if (!image)
            abort();
        return std::move(*image);
    }
};

}  // namespace uscope::go
