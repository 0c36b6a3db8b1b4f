// Builds a file with what find_python_calls() looks for: the table of bytecode instructions of
// CPython 3.13, and the machine code of each of them:
//
//     endbr64; mov %rbp,0x38(%rbx); add $0x2,%rbp; je …
#pragma once

#include <cstring>
#include <string>

#include "common/elf/elf_builder.h"

namespace uscope::lang::tests {

struct Interpreter {
    std::string store = {"\x48\x89\x6b\x38", 4};
    int tables = 1;
    uint16_t machine = EM_X86_64;
    bool is_free_threaded = false;
    bool has_flow = false;      // has the symbols of the functions that enter and clear frames
    bool clears_frames = true;  // RETURN_VALUE calls the function that clears frames

    // Returns the address of the jump in the machine code of this bytecode instruction.
    uint64_t jump(unsigned instruction) const
    {
        return vaddr(instruction) + endbr.size() + store.size() + add.size();
    }

    uint64_t vaddr(unsigned instruction) const
    {
        uint64_t first = elf::ElfBuilder::base + sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
        return first + instruction * (endbr.size() + store.size() + add.size() + je.size());
    }
    uint64_t clear() const { return vaddr(256); }
    uint64_t evaluate() const { return clear() + endbr.size() + push.size(); }

    std::string build() const
    {
        std::string code, table;
        for (unsigned i = 0; i < 256; i++) {
            code += i == 36 && clears_frames ? call(clear() - vaddr(i)) : endbr + store + add + je;
            bool is_unused = (i >= 119 && i <= 148) || (i >= 223 && i <= 235) || i == 255;
            uint64_t target = vaddr(is_unused ? 255 : i);
            table.append(reinterpret_cast<char *>(&target), sizeof target);
        }
        code += endbr + push + endbr + push;
        elf::ElfBuilder file;
        file.header.e_machine = machine;
        file.add_section(".text", SHT_PROGBITS, code);
        if (has_flow) {
            file.add_function("_PyEval_FrameClearAndPop", clear());
            file.add_function("_PyEval_EvalFrameDefault", evaluate());
            file.add_symbol_table(".dynsym", SHT_DYNSYM);
        }
        if (is_free_threaded) {
            file.add_function("_Py_DecRefShared", vaddr(0));
            file.add_symbol_table(".dynsym", SHT_DYNSYM);
        }
        for (int i = 0; i < tables; i++)
            file.add_section(".rodata", SHT_PROGBITS, table);
        return file.build();
    }

  private:
    std::string call(uint32_t distance) const
    {
        std::string code(endbr.size() + store.size() + add.size() + je.size(), '\x90');
        code[0] = '\xe8';
        distance -= 5;  // relative to the end of the call
        memcpy(&code[1], &distance, sizeof distance);
        return code;
    }

    static inline const std::string endbr = {"\xf3\x0f\x1e\xfa", 4}, add = {"\x48\x83\xc5\x02", 4},
                                    je = {"\x74\x10", 2}, push = {"\x55", 1};
};

}  // namespace uscope::lang::tests
