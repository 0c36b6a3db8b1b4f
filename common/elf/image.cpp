// Parses the parts of ELF files that a tracer needs.
//
// A file starts with a 64-byte header, which has the offsets of two tables. The *program headers*
// say what the kernel maps: for PT_LOAD {offset, vaddr, file size, memory size, flags}, it maps the
// bytes from `offset` in the file to the address `vaddr`, plus a random base for
// position-independent files. The *section headers* are for linkers and debuggers: they have the
// names, types and offsets of .symtab, .dynsym, .text and so on. A program runs without them, so
// missing or corrupt section headers are not an error here.
//
// Worked example, /usr/sbin/mariadbd (readelf -lW):
//     LOAD  Offset 0x682000  VirtAddr 0x682000  FileSiz 0x930269  R E
//     LOAD  Offset 0x168a9d0 VirtAddr 0x168b9d0 FileSiz 0x253630  RW     (4 KiB apart!)
// The symbol dispatch_command has the vaddr 0x83a5d0, which is in the first segment: its file
// offset is also 0x83a5d0. A USDT semaphore has the vaddr 0x168c000, which is in the second
// segment: its file offset is 0x168b000.
//
// Numbers that do not fit into the header's 16-bit fields are in section header 0. If e_shnum is 0,
// its sh_size is the number of sections; if e_shstrndx is SHN_XINDEX, its sh_link is the index of
// the section with the sections' names. (If e_phnum is PN_XNUM, its sh_info is the number of
// program headers. Only core files have this many: the kernel refuses a program with more than 64
// KiB of program headers.)
#include "elf/image.h"

#include <elf.h>
#include <zlib.h>

#include "base/format.h"
#include "elf/pclntab.h"

namespace uscope::elf {
namespace {

constexpr size_t max_segments = 65536 / sizeof(Elf64_Phdr);  // load_elf_phdrs() in fs/binfmt_elf.c
constexpr uint32_t pt_gnu_sframe = 0x6474e554;               // newer than some <elf.h>
constexpr unsigned max_notes = 1 << 20;  // limit of one search, against hostile files

constexpr uint64_t align4(uint64_t value)
{
    return (value + 3) & ~uint64_t{3};
}

// Returns the bytes of [offset, offset + size) that are in the file. May be empty.
Bytes clipped(Bytes file, uint64_t offset, uint64_t size)
{
    Bytes rest = file.from(offset);
    return Bytes(rest.data(), std::min<uint64_t>(rest.size(), size));
}

// Returns the description (the data) of the first note with this owner and type in `notes`. A note
// consists of three 4-byte words: the length of the owner's name with its NUL, the length of the
// description, the type; then the name and the description, each padded to 4 bytes. `budget`: how
// many notes may still be read.
std::optional<Bytes> find_note_in(Bytes notes, std::string_view owner, uint32_t type,
                                  unsigned &budget)
{
    while (auto header = notes.read<Elf64_Nhdr>(0)) {
        if (budget-- == 0)
            break;
        uint64_t description_at = sizeof *header + align4(header->n_namesz);
        auto name = notes.slice(sizeof *header, header->n_namesz);
        auto description = notes.slice(description_at, header->n_descsz);
        if (!name || !description)
            break;
        if (header->n_type == type && name->cstring(0) == owner)
            return description;
        notes = notes.from(description_at + align4(header->n_descsz));
    }
    return std::nullopt;
}

}  // namespace

Result<Image> Image::open(const std::string &path)
{
    MappedFile file = TRY(MappedFile::open(path));
    Image image = TRY(parse(file.bytes(), path));
    image.file_ = std::move(file);
    return image;
}

Result<Image> Image::parse(Bytes bytes, std::string name)
{
    Image image;
    image.name_ = std::move(name);
    image.bytes_ = bytes;

    auto magic = bytes.slice(0, SELFMAG);
    if (!magic || magic->text() != ELFMAG)
        return fail("{} is not an ELF file", image.name_);
    auto header = bytes.read<Elf64_Ehdr>(0);
    if (!header)
        return fail("{} is truncated within its ELF header", image.name_);
    if (header->e_ident[EI_CLASS] != ELFCLASS64)
        return fail("{} is a 32-bit ELF file: only 64-bit ones are supported", image.name_);
    if (header->e_ident[EI_DATA] != ELFDATA2LSB)
        return fail("{} is a big-endian ELF file: only little-endian ones are supported",
                    image.name_);
    image.machine_ = header->e_machine;
    image.type_ = header->e_type;

    TRY(image.read_segments(*header));
    if (auto sections = image.read_sections(*header); !sections) {
        image.sections_.clear();
        image.section_damage_ = std::move(sections.error().text);
    }
    return image;
}

Result<> Image::read_segments(const Elf64_Ehdr &header)
{
    size_t count = header.e_phnum;
    if (count == 0)  // an object file
        return {};
    if (count > max_segments)
        return fail(
            "{} is not a program or library: it has {} program headers, Linux accepts at most {}",
            name_, count, max_segments);
    if (header.e_phentsize != sizeof(Elf64_Phdr))
        return fail("{} is corrupt: its program headers have {} bytes each, not {}", name_,
                    header.e_phentsize, sizeof(Elf64_Phdr));
    auto table = bytes_.slice(header.e_phoff, count * sizeof(Elf64_Phdr));
    if (!table)
        return fail("{} is truncated or corrupt: {} program headers at offset {:#x} lie outside it",
                    name_, count, header.e_phoff);

    for (size_t i = 0; i < count; ++i) {
        Elf64_Phdr entry = *table->read<Elf64_Phdr>(i * sizeof entry);
        Bytes contents = clipped(bytes_, entry.p_offset, entry.p_filesz);
        if (entry.p_type == PT_LOAD)
            segments_.push_back({entry.p_vaddr, entry.p_offset, contents.size(), entry.p_memsz,
                                 (entry.p_flags & PF_X) != 0, (entry.p_flags & PF_W) != 0});
        else if (entry.p_type == PT_NOTE)
            notes_.push_back(contents);
        else if (entry.p_type == PT_DYNAMIC)
            dynamic_ = contents;
        else if (entry.p_type == PT_GNU_EH_FRAME)
            frame_header_ = {entry.p_vaddr, contents};
        else if (entry.p_type == pt_gnu_sframe)
            sframe_vaddr_ = entry.p_vaddr;
        else if (entry.p_type == PT_TLS)
            thread_bytes_ = entry.p_memsz;
        else if (entry.p_type == PT_INTERP)
            has_interpreter_ = true;
    }
    return {};
}

Result<> Image::read_sections(const Elf64_Ehdr &header)
{
    if (header.e_shoff == 0)
        return {};
    if (header.e_shentsize != sizeof(Elf64_Shdr))
        return fail("its section headers have {} bytes each, not {}", header.e_shentsize,
                    sizeof(Elf64_Shdr));
    Bytes table = bytes_.from(header.e_shoff);
    auto first = table.read<Elf64_Shdr>(0);
    if (!first)
        return fail("its section headers at offset {:#x} lie outside the file", header.e_shoff);
    uint64_t count = header.e_shnum ? header.e_shnum : first->sh_size;
    uint64_t names_index = header.e_shstrndx == SHN_XINDEX ? first->sh_link : header.e_shstrndx;
    if (count > table.size() / sizeof(Elf64_Shdr))
        return fail("its {} section headers at offset {:#x} lie outside the file", count,
                    header.e_shoff);

    sections_.reserve(count);
    for (uint64_t i = 0; i < count; ++i) {
        Elf64_Shdr entry = *table.read<Elf64_Shdr>(i * sizeof entry);
        sections_.push_back({{},
                             entry.sh_type,
                             entry.sh_flags,
                             entry.sh_addr,
                             entry.sh_offset,
                             entry.sh_size,
                             entry.sh_entsize,
                             entry.sh_link,
                             entry.sh_info});
    }
    if (names_index == SHN_UNDEF)
        return {};
    auto names = names_index < count ? contents(sections_[names_index]) : std::nullopt;
    if (!names)
        return fail("its section names (section {} of {}) are missing", names_index, count);
    for (uint64_t i = 0; i < count; ++i) {
        Elf64_Shdr entry = *table.read<Elf64_Shdr>(i * sizeof entry);
        sections_[i].name = names->cstring(entry.sh_name).value_or("");
    }
    return {};
}

std::string Image::why_bare() const
{
    if (type_ == ET_REL)
        return "it is an object file, which no process runs: name the program or library that it "
               "is linked into";
    return sections_.empty() && section_damage_.empty() ? "it has no section headers" : "";
}

const Section *Image::section(std::string_view name) const
{
    for (const Section &section : sections_)
        if (section.name == name)
            return &section;
    return nullptr;
}

std::optional<Bytes> Image::contents(const Section &section) const
{
    if (section.type == SHT_NOBITS || section.type == SHT_NULL)
        return std::nullopt;
    if (section.flags & SHF_COMPRESSED)
        return inflated(section);
    return bytes_.slice(section.offset, section.size);
}

// Decompresses a section. A header before the compressed bytes has the algorithm and the original
// size.
std::optional<Bytes> Image::inflated(const Section &section) const
{
    constexpr uint64_t best_ratio = 1032, max_bytes = 1 << 30;  // the best that zlib can reach
    auto packed = bytes_.slice(section.offset, section.size);
    auto header = packed ? packed->read<Elf64_Chdr>(0) : std::nullopt;
    if (!header || header->ch_type != ELFCOMPRESS_ZLIB || header->ch_size > max_bytes ||
        header->ch_size / best_ratio > packed->size())
        return std::nullopt;
    auto &kept = inflated_[section.offset];
    if (!kept) {
        Bytes from = packed->from(sizeof *header);
        std::string text(header->ch_size, '\0');
        uLongf length = text.size();
        if (uncompress(reinterpret_cast<Bytef *>(text.data()), &length, from.data(), from.size()) !=
                Z_OK ||
            length != text.size())
            text.clear();
        kept = std::make_shared<const std::string>(std::move(text));
    }
    return kept->empty() ? std::nullopt : std::optional(Bytes(*kept));
}

std::optional<uint64_t> Image::file_offset(uint64_t vaddr) const
{
    for (const Segment &segment : segments_)
        if (vaddr >= segment.vaddr && vaddr - segment.vaddr < segment.file_size)
            return segment.offset + (vaddr - segment.vaddr);
    return std::nullopt;
}

std::optional<uint64_t> Image::vaddr(uint64_t file_offset) const
{
    for (const Segment &segment : segments_)
        if (file_offset >= segment.offset && file_offset - segment.offset < segment.file_size)
            return segment.vaddr + (file_offset - segment.offset);
    return std::nullopt;
}

std::optional<Bytes> Image::bytes_from(uint64_t vaddr) const
{
    for (const Segment &segment : segments_)
        if (vaddr >= segment.vaddr && vaddr - segment.vaddr < segment.file_size)
            return clipped(bytes_, segment.offset, segment.file_size).from(vaddr - segment.vaddr);
    return std::nullopt;
}

std::optional<Bytes> Image::bytes_at(uint64_t vaddr, uint64_t length) const
{
    auto bytes = bytes_from(vaddr);
    return bytes ? bytes->slice(0, length) : std::nullopt;
}

bool Image::is_executable(uint64_t vaddr) const
{
    for (const Segment &segment : segments_)
        if (segment.executable && vaddr >= segment.vaddr &&
            vaddr - segment.vaddr < segment.memory_size)
            return true;
    return false;
}

uint64_t Image::code_end(uint64_t vaddr) const
{
    for (const Section &section : sections_) {
        bool is_code = section.flags & SHF_ALLOC && section.flags & SHF_EXECINSTR;
        if (is_code && vaddr >= section.vaddr && vaddr - section.vaddr < section.size)
            return section.vaddr + section.size;
    }
    for (const Segment &segment : segments_)
        if (sections_.empty() && segment.executable && vaddr >= segment.vaddr &&
            vaddr - segment.vaddr < segment.file_size)
            return segment.vaddr + segment.file_size;
    return 0;
}

bool Image::is_in_code(uint64_t vaddr) const
{
    return code_end(vaddr) != 0;
}

std::optional<Bytes> Image::find_note(std::string_view owner, uint32_t type) const
{
    unsigned budget = max_notes;
    for (Bytes notes : notes_)
        if (auto found = find_note_in(notes, owner, type, budget))
            return found;
    // Also search the sections: the program headers of debug files may be wrong, and object files
    // have no program headers.
    for (const Section &section : sections_)
        if (section.type == SHT_NOTE)
            if (auto found = find_note_in(contents(section).value_or(Bytes()), owner, type, budget))
                return found;
    return std::nullopt;
}

std::string Image::build_id() const
{
    std::string digits;
    Bytes note = find_note("GNU", NT_GNU_BUILD_ID).value_or(Bytes());
    for (uint8_t byte : note.text())
        digits += fmt::format("{:02x}", byte);
    return digits;
}

// The section .gnu_debuglink is a file name with its NUL, padded to 4 bytes, then a CRC-32.
std::optional<DebugLink> Image::debug_link() const
{
    const Section *link = section(".gnu_debuglink");
    auto bytes = link ? contents(*link) : std::nullopt;
    auto file = bytes ? bytes->cstring(0) : std::nullopt;
    auto crc = file ? bytes->read<uint32_t>(align4(file->size() + 1)) : std::nullopt;
    if (!crc || file->empty())
        return std::nullopt;
    return DebugLink{std::string(*file), *crc};
}

bool Image::is_go() const
{
    if (!is_go_)
        is_go_ = has_go_build_info();
    return *is_go_;
}

bool Image::has_go_build_info() const
{
    for (auto name : {".go.buildinfo", ".gopclntab", ".data.rel.ro.gopclntab", ".note.go.buildid"})
        if (section(name))
            return true;
    constexpr uint32_t go_build_id = 4;
    if (find_note("Go", go_build_id))
        return true;
    // A file without section headers that was linked with an empty build id can still be
    // recognized: its writable data start with the build info.
    if (!sections_.empty())
        return false;
    constexpr std::string_view build_info = "\xff Go buildinf:";
    constexpr uint64_t searched = 64 * 1024, alignment = 16;
    for (const Segment &segment : segments_) {
        if (!segment.writable)
            continue;
        Bytes data = clipped(bytes_, segment.offset, std::min(segment.file_size, searched));
        for (uint64_t at = 0; at < data.size(); at += alignment)
            if (data.from(at).text().starts_with(build_info))
                return true;
    }
    return false;
}

const PclnTable *Image::go_functions() const
{
    if (!go_functions_) {
        auto table = PclnTable::find(*this);
        go_functions_ = table ? std::make_shared<const PclnTable>(std::move(*table)) : nullptr;
    }
    return go_functions_->get();
}

}  // namespace uscope::elf
