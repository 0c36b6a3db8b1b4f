// Builds small ELF files for tests, valid and invalid ones.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <elf.h>

namespace uscope::elf {

// A single segment (PT_LOAD) maps the whole file at `base`, executable. Sections are in the order
// in which they were added.
class ElfBuilder {
  public:
    static constexpr uint64_t base = 0x10000;

    Elf64_Ehdr header = {};

    ElfBuilder()
    {
        memcpy(header.e_ident, ELFMAG, SELFMAG);
        header.e_ident[EI_CLASS] = ELFCLASS64;
        header.e_ident[EI_DATA] = ELFDATA2LSB;
        header.e_type = ET_DYN;
        header.e_machine = EM_X86_64;
        header.e_phentsize = sizeof(Elf64_Phdr);
        header.e_shentsize = sizeof(Elf64_Shdr);
        add_segment(PT_LOAD, PF_R | PF_X);
        add_section("", SHT_NULL, "");
    }

    size_t add_segment(uint32_t type, uint32_t flags)
    {
        Elf64_Phdr segment = {};
        segment.p_type = type;
        segment.p_flags = flags;
        segments.push_back(segment);
        return segments.size() - 1;
    }

    size_t add_section(std::string_view name, uint32_t type, std::string contents,
                       uint32_t link = 0, uint64_t entry_size = 0)
    {
        Elf64_Shdr section = {};
        section.sh_name = names_.size();
        section.sh_type = type;
        section.sh_link = link;
        section.sh_entsize = entry_size;
        names_ += std::string(name) + '\0';
        sections.push_back(section);
        contents_.push_back(std::move(contents));
        return sections.size() - 1;
    }

    void add_function(std::string_view name, uint64_t vaddr, uint8_t type = STT_FUNC,
                      uint64_t size = 16)
    {
        Elf64_Sym symbol = {};
        symbol.st_name = strings_.size();
        symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, type);
        symbol.st_shndx = 1;
        symbol.st_value = vaddr;
        symbol.st_size = size;
        strings_ += std::string(name) + '\0';
        symbols_.push_back(symbol);
    }

    // Adds a function whose name is that of the last one without its first `skipped` bytes. The two
    // share the bytes in the table of names, as linkers store such names.
    void add_function_named_by_tail(size_t skipped, uint64_t vaddr)
    {
        Elf64_Sym symbol = symbols_.back();
        symbol.st_name += skipped;
        symbol.st_value = vaddr;
        symbols_.push_back(symbol);
    }

    // Puts the functions added since the last call into a symbol table of this name and section
    // type.
    void add_symbol_table(std::string_view name, uint32_t type)
    {
        size_t strings = add_section(type == SHT_DYNSYM ? ".dynstr" : ".strtab", SHT_STRTAB,
                                     std::exchange(strings_, std::string(1, '\0')));
        auto symbols = std::exchange(symbols_, std::vector<Elf64_Sym>(1));
        add_section(name, type,
                    std::string(reinterpret_cast<char *>(symbols.data()),
                                symbols.size() * sizeof(Elf64_Sym)),
                    strings, sizeof(Elf64_Sym));
    }

    // Returns the file. `after` may change its headers when all offsets are known, before it is
    // written.
    template <class After>
    std::string build(After &&after)
    {
        header.e_shstrndx = add_section(".shstrtab", SHT_STRTAB, "");
        contents_.back() = names_;
        header.e_phnum = segments.size();
        header.e_shnum = sections.size();
        header.e_phoff = sizeof header;
        std::string body;
        uint64_t start = sizeof header + segments.size() * sizeof(Elf64_Phdr);
        for (size_t i = 1; i < sections.size(); ++i) {
            body.resize((body.size() + 7) & ~size_t{7});
            sections[i].sh_offset = start + body.size();
            sections[i].sh_addr = base + sections[i].sh_offset;
            sections[i].sh_size = contents_[i].size();
            body += contents_[i];
        }
        header.e_shoff = start + body.size();
        segments[0].p_vaddr = base;
        segments[0].p_filesz = segments[0].p_memsz =
            header.e_shoff + sections.size() * sizeof(Elf64_Shdr);
        after(*this);
        std::string file = bytes_of(&header, 1);
        file += bytes_of(segments.data(), segments.size()) + body;
        return file + bytes_of(sections.data(), sections.size());
    }
    std::string build()
    {
        return build([](ElfBuilder &) {});
    }

    std::vector<Elf64_Phdr> segments;
    std::vector<Elf64_Shdr> sections;

  private:
    template <class T>
    static std::string bytes_of(const T *items, size_t count)
    {
        return std::string(reinterpret_cast<const char *>(items), count * sizeof(T));
    }

    std::vector<std::string> contents_;
    std::string names_, strings_ = std::string(1, '\0');
    std::vector<Elf64_Sym> symbols_ = std::vector<Elf64_Sym>(1);
};

// Returns an ELF note as it is stored in a file.
inline std::string elf_note(std::string_view owner, uint32_t type, std::string_view description)
{
    auto padded = [](std::string text) {
        text.resize((text.size() + 3) & ~size_t{3});
        return text;
    };
    Elf64_Nhdr note = {static_cast<uint32_t>(owner.size() + 1),
                       static_cast<uint32_t>(description.size()), type};
    return std::string(reinterpret_cast<char *>(&note), sizeof note) +
           padded(std::string(owner) + '\0') + padded(std::string(description));
}

}  // namespace uscope::elf
