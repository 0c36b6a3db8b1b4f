// The list of instructions that the program instructions executes, and the library that it makes of
// them: an instruction is a function, with int3 before and after it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "insn/decode.h"
#include "insn/execute.h"
#include "insn/parts.h"

namespace instructions {

using namespace uscope;

using Code = std::vector<uint8_t>;

// The addresses of the code and of the data. The data are also mapped at some multiples of their
// address, so that a base plus a scaled index, which are both addresses of the data, leads to data.
constexpr uint64_t text_at = 0x70000000, data_at = 0x30000000, data_bytes = 0x4000;
constexpr uint64_t text_offset = 0x1000;  // in the file
// A function has a slot of this size. The distance of a short jump is a ModRM byte here, and with
// this size, no such jump leads to another instruction of the list.
constexpr uint64_t slot_bytes = 82, code_in_slot = 16;
constexpr uint64_t landing = text_at + 0x20;  // where returns lead: the first slot, which is empty
constexpr uint8_t filler = 0x10;              // every byte of an immediate or displacement

[[noreturn]] void die(const char *what)
{
    perror(what);
    exit(1);
}

std::string hex(const Code &code)
{
    std::string text;
    char digits[3];
    for (uint8_t byte : code) {
        snprintf(digits, sizeof(digits), "%02x", byte);
        text += digits;
    }
    return text;
}

// --- the list ------------------------------------------------------------------------------------

class Instructions {
  public:
    void add(const Code &prefixes, const Code &opcode, uint8_t modrm)
    {
        Code code = prefixes;
        code.insert(code.end(), opcode.begin(), opcode.end());
        code.push_back(modrm);
        bool has_sib = modrm >> 6 != 3 && (modrm & 7) == 4;
        if (has_sib)
            code.push_back(0x24);  // %rsp; as a vector of indexes: xmm4
        code.resize(code.size() + 12, filler);
        add(code);
    }

    // Adds the first instruction of `code`, unless it is already in the list.
    void add(Code code)
    {
        auto parts = insn::take_apart(Bytes(code.data(), code.size()));
        if (!parts || is_dangerous(*parts))
            return;
        code.resize(parts->length);
        if (known_.insert(code).second)
            all_.push_back(code);
    }

    const std::vector<Code> &all() const { return all_; }

  private:
    // Hypervisors may overwrite the instruction of a hypercall; sysenter does not return here.
    static bool is_dangerous(const insn::Parts &parts)
    {
        return parts.is_legacy(1) &&
               (parts.opcode == 0x34 ||
                (parts.opcode == 0x01 && (parts.modrm == 0xc1 || parts.modrm == 0xd9)));
    }

    std::set<Code> known_;
    std::vector<Code> all_;
};

// ModRM bytes whose operand is a register, memory relative to the ip, or memory on the stack.
constexpr uint8_t in_register = 0xc1, by_ip = 0x05, on_stack = 0x44;

void add_forms(Instructions &list, const Code &prefixes, const Code &opcode,
               std::initializer_list<unsigned> registers,
               std::initializer_list<uint8_t> forms = {in_register, by_ip, on_stack})
{
    for (unsigned reg : registers) {
        for (uint8_t form : forms)
            list.add(prefixes, opcode, form | reg << 3);
    }
}

void add_legacy(Instructions &list, const Code &prefixes, bool all, bool is_long)
{
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        auto byte = uint8_t(opcode);
        for (const Code &map : {Code{}, Code{0x0f}, Code{0x0f, 0x38}, Code{0x0f, 0x3a}}) {
            Code whole = map;
            whole.push_back(byte);
            if (!is_long)
                add_forms(list, prefixes, whole, {6}, {in_register, by_ip});
            else if (all && map.size() < 2)
                add_forms(list, prefixes, whole, {0, 1, 2, 3, 4, 5, 6, 7});
            else
                add_forms(list, prefixes, whole, {6});
        }
    }
}

void add_legacy(Instructions &list, bool is_long)
{
    const Code none, operand = {0x66}, repeated = {0xf3}, repeated_ne = {0xf2}, wide = {0x48},
                     other_base = {0x41};
    add_legacy(list, none, true, is_long);
    if (!is_long)
        return;
    for (const Code &prefixes : {operand, repeated, repeated_ne, wide, other_base})
        add_legacy(list, prefixes, true, true);
    for (const Code &prefixes :
         {Code{0x67}, Code{0x64}, Code{0x2e}, Code{0xf0}, Code{0x44}, Code{0x4d}, Code{0x49},
          Code{0x66, 0x48}, Code{0xf2, 0x48}, Code{0xf3, 0x48}, Code{0x66, 0x41}, Code{0x66, 0xf2},
          Code{0x66, 0xf3}})
        add_legacy(list, prefixes, false, true);
}

// Adds VEX instructions. Their second operand is register 1; in the long form also 6 and 7, because
// the kernel may use these registers itself while it single-steps.
void add_vex(Instructions &list, unsigned map, uint8_t opcode, unsigned prefix, bool is_long)
{
    auto last = [&](unsigned other, unsigned length) {
        return uint8_t((other ^ 15) << 3 | length << 2 | prefix);
    };
    constexpr uint8_t wide = 0x80;
    auto first = uint8_t(0xe0 | map);
    if (!is_long) {
        if (prefix < 2)
            add_forms(list, {0xc4, first, last(1, 0)}, {opcode}, {2}, {in_register});
        return;
    }
    if (map == 1)
        add_forms(list, {0xc5, uint8_t(last(1, 1) | 0x80)}, {opcode}, {2, 6});
    for (uint8_t width : {uint8_t(0), wide}) {
        add_forms(list, {0xc4, first, uint8_t(last(1, 1) | width)}, {opcode}, {2, 6});
        for (unsigned other : {1, 6, 7})
            add_forms(list, {0xc4, first, uint8_t(last(other, 0) | width)}, {opcode}, {2, 6, 7});
    }
}

void add_evex(Instructions &list, unsigned map, uint8_t opcode, unsigned prefix, bool is_long)
{
    constexpr uint8_t length_512 = 0x48, masked = 0x01, length_128 = 0x08, broadcast = 0x10;
    auto first = uint8_t(0xf0 | map);
    for (unsigned wide = 0; wide < 2; wide++) {
        auto second = uint8_t(wide << 7 | 0x74 | prefix);
        if (!is_long) {
            if (wide == 0 && prefix == 1)
                add_forms(list, {0x62, first, second, length_512}, {opcode}, {2}, {by_ip});
            continue;
        }
        for (uint8_t last : {length_512, uint8_t(length_512 | masked), length_128,
                             uint8_t(length_512 | broadcast)})
            add_forms(list, {0x62, first, second, last}, {opcode}, {2, 6});
    }
}

// Adds the instructions that uscope's BPF program can execute.
void add_executed(Instructions &list)
{
    Instructions all;
    add_legacy(all, {}, true, true);
    for (const Code &prefixes : {Code{0x48}, Code{0x41}, Code{0x44}, Code{0x49}, Code{0x4d}})
        add_legacy(all, prefixes, true, true);
    all.add({0xf3, 0x0f, 0x1e, 0xfa});
    all.add({0x48, 0x8b, 0x87, 0, 0, 0, 0x70});  // from unmapped memory
    all.add({0x8b, 0x87, 0, 0, 0, 0x80});
    for (const Code &code : all.all()) {
        if (insn::execution(Bytes(code.data(), code.size()), false))
            list.add(code);
    }
}

void add_vectors(Instructions &list, bool is_long)
{
    for (unsigned map = 1; map <= 3; map++) {
        for (unsigned opcode = 0; opcode < 256; opcode++) {
            for (unsigned prefix = 0; prefix < 4; prefix++) {
                add_vex(list, map, opcode, prefix, is_long);
                add_evex(list, map, opcode, prefix, is_long);
            }
        }
    }
}

// Returns what makes two instructions of the same kind: everything except the choice of registers
// and the values of constants.
Code kind_of(Bytes code, const insn::Parts &p)
{
    bool is_group = p.is_legacy(0) || p.is_legacy(1);
    uint8_t mod = p.modrm >> 6,
            rm = mod != 3 && ((p.modrm & 7) == 4 || (p.modrm & 7) == 5) ? p.modrm & 7 : 0;
    Code kind = {uint8_t(p.encoding),
                 p.map,
                 p.opcode,
                 uint8_t(p.rex & 8),
                 p.size_prefix,
                 p.lock_prefix,
                 p.segment_prefix,
                 p.repeat_prefix,
                 p.vector_prefix,
                 p.address_prefix,
                 mod,
                 rm,
                 uint8_t(is_group ? p.reg() : 0),
                 p.modrm_at};
    if (p.encoding == insn::Parts::Encoding::Evex)
        kind.push_back(code.read<uint8_t>(3).value_or(0) & 0xf7);
    if (p.encoding == insn::Parts::Encoding::Vex)
        kind.push_back(code.read<uint8_t>(p.modrm_at - 2).value_or(0) & 0x84);
    return kind;
}

void add_program(Instructions &list, const char *path)
{
    static std::set<Code> kinds;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0)
        return perror(path);
    void *map = mmap(nullptr, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (map == MAP_FAILED)
        die(path);
    close(file);
    Bytes bytes(map, status.st_size);
    auto header = bytes.read<Elf64_Ehdr>(0);
    for (unsigned i = 0; header && i < header->e_phnum; i++) {
        auto segment = bytes.read<Elf64_Phdr>(header->e_phoff + i * sizeof(Elf64_Phdr));
        if (!segment || segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        for (uint64_t at = segment->p_offset; at < segment->p_offset + segment->p_filesz;) {
            auto parts = insn::take_apart(bytes.from(at));
            if (parts && kinds.insert(kind_of(bytes.from(at), *parts)).second)
                list.add(Code(bytes.data() + at, bytes.data() + at + parts->length));
            at += parts ? parts->length : 1;
        }
    }
    munmap(map, status.st_size);
}

// --- the file ------------------------------------------------------------------------------------

void append(std::string &file, const void *data, size_t size)
{
    file.append(static_cast<const char *>(data), size);
}

template <class T>
void append(std::string &file, const T &value)
{
    append(file, &value, sizeof(value));
}

std::string text_of(std::vector<Code> &all)
{
    std::string text((all.size() + 1) * slot_bytes, '\xcc');
    for (size_t i = 0; i < all.size(); i++) {
        Code &code = all[i];
        uint64_t at = (i + 1) * slot_bytes + code_in_slot;
        auto parts = insn::take_apart(Bytes(code.data(), code.size()));
        if (parts->modrm_at && (parts->modrm & 0xc7) == 5) {
            auto displacement = int32_t(data_at + 0x2040 - (text_at + at + code.size()));
            memcpy(&code[parts->modrm_at + 1], &displacement, sizeof(displacement));
        }
        memcpy(&text[at], code.data(), code.size());
    }
    return text;
}

// Writes the library: an ELF header, two segments, .text, .symtab and .strtab.
void make(const char *path, std::vector<Code> all)
{
    std::string text = text_of(all);
    std::string names("\0", 1), symbols;
    append(symbols, Elf64_Sym{});
    for (size_t i = 0; i < all.size(); i++) {
        Elf64_Sym symbol = {};
        symbol.st_name = names.size();
        symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
        symbol.st_shndx = 1;
        symbol.st_value = text_offset + (i + 1) * slot_bytes + code_in_slot;
        symbol.st_size = all[i].size();
        append(symbols, symbol);
        names += "i" + std::to_string(i) + "_" + hex(all[i]);
        names += '\0';
    }
    uint64_t symbols_at = text_offset + text.size(), names_at = symbols_at + symbols.size();
    uint64_t titles_at = names_at + names.size();
    std::string titles("\0.text\0.symtab\0.strtab\0", 24);
    titles.resize((titles.size() + 7 + titles_at) / 8 * 8 - titles_at);

    Elf64_Ehdr header = {};
    memcpy(header.e_ident, "\177ELF\2\1\1", 7);
    header.e_type = ET_DYN;
    header.e_machine = EM_X86_64;
    header.e_version = 1;
    header.e_phoff = header.e_ehsize = sizeof(header);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 2;
    header.e_shoff = titles_at + titles.size();
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 4;
    header.e_shstrndx = 3;
    std::string file;
    append(file, header);
    append(file, Elf64_Phdr{PT_LOAD, PF_R, 0, 0, 0, text_offset, text_offset, 0x1000});
    append(file, Elf64_Phdr{PT_LOAD, PF_R | PF_X, text_offset, text_offset, text_offset,
                            text.size(), text.size(), 0x1000});
    file.resize(text_offset);
    uint64_t titles_start = names.size();
    file += text + symbols + names + titles;
    auto name = [&](const char *title) { return uint32_t(titles_start + titles.find(title)); };
    append(file, Elf64_Shdr{});
    append(file, Elf64_Shdr{name(".text"), SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, text_offset,
                            text_offset, text.size(), 0, 0, 64, 0});
    append(file, Elf64_Shdr{name(".symtab"), SHT_SYMTAB, 0, 0, symbols_at, symbols.size(), 3, 1, 8,
                            sizeof(Elf64_Sym)});
    append(file, Elf64_Shdr{name(".strtab"), SHT_STRTAB, 0, 0, names_at,
                            names.size() + titles.size(), 0, 0, 1, 0});
    FILE *out = fopen(path, "w");
    if (!out || fwrite(file.data(), 1, file.size(), out) != file.size() || fclose(out) != 0)
        die(path);
    printf("%zu instructions\n", all.size());
}

}  // namespace instructions
