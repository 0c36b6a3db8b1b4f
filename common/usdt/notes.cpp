// Parses USDT notes, which describe the probes that a program's authors put into its source.
//
// DTRACE_PROBE2(p, n, a, b) compiles to a nop instruction and to a note in the section
// .note.stapsdt. The note has the address of the nop, and says where the values of a and b are when
// the program executes the nop. The program never reads the note; only tracers do. (The format is
// that of SystemTap's sys/sdt.h; libstapsdt and others write the same.) A note is:
//
//     4-byte words: length of the owner's name with its NUL, length of the description, type
//     name          "stapsdt", padded to 4 bytes (the parser skips notes of other owners, and
//                   types other than 3)
//     description   8-byte words: the probe's address, base, address of the semaphore or 0;
//                   then strings: provider, name, arguments (usdt/operands.h); padded to 4 bytes
//
//  - The parser finds the section by the section headers, because it may be in no segment and in
//    no PT_NOTE (as in OpenJDK's libjvm.so): programs do not need it in memory.
//  - prelink changes the addresses in a file, but not those in the notes. To correct for that,
//    `base` is the address that the linker gave to the one-byte section .stapsdt.base. If the
//    section now has another address, the difference must be added to the addresses of the probe
//    and of its semaphore.
//  - The semaphore is a 2-byte counter, in the section .probes. If it is 0, the program does not
//    compute arguments that are expensive to compute. The kernel increments it while a probe is
//    attached, if the tracer passes the file offset of the semaphore (ref_ctr_offset, Linux 4.20).
//  - One probe can have many notes, because the compiler inlined the code with the probe several
//    times. Their operands may differ.
//
// Worked example, PostgreSQL 15, by readelf -nSl:
//     owner stapsdt, 0x41 bytes, type 3
//     Provider postgresql, Name clog__checkpoint__start, Arguments -4@$1
//     Location 0x1d89c4, Base 0x7a0cc0, Semaphore 0x894a76
//     .stapsdt.base is at 0x7a0cc0, so there is no difference to add. In this file, file offsets
//     equal addresses: the nop is at 0x1d89c4, the semaphore at 0x894a76.
#include "usdt/notes.h"

#include <unordered_map>

#include <elf.h>

namespace uscope::usdt {

namespace {

constexpr std::string_view note_section = ".note.stapsdt";
constexpr std::string_view base_section = ".stapsdt.base";
constexpr std::string_view owner = "stapsdt";
constexpr uint32_t probe_type = 3;

struct Note {
    uint64_t vaddr, base, semaphore;
    std::string_view provider, name, arguments;
};

uint64_t padded(uint64_t length)
{
    return (length + 3) & ~uint64_t{3};
}

// Parses a note's description; nullopt if one of its fields runs past the end.
std::optional<Note> parse_description(Bytes description)
{
    auto vaddr = description.read<uint64_t>(0);
    auto base = description.read<uint64_t>(8);
    auto semaphore = description.read<uint64_t>(16);
    if (!semaphore)
        return std::nullopt;
    Bytes strings = description.from(24);
    auto provider = strings.cstring(0);
    if (!provider)
        return std::nullopt;
    auto name = strings.cstring(provider->size() + 1);
    if (!name)
        return std::nullopt;
    auto arguments = strings.cstring(provider->size() + 1 + name->size() + 1);
    if (!arguments)
        return std::nullopt;
    return Note{*vaddr, *base, *semaphore, *provider, *name, *arguments};
}

// Combines the notes of one file into probes.
class Collector {
  public:
    explicit Collector(const elf::Image &image) : image_(image)
    {
        if (const elf::Section *base = image.section(base_section))
            base_ = base->vaddr;
    }

    Result<> add(const Note &note)
    {
        // The linker removed the code with the probe (--gc-sections) but not the note.
        if (note.vaddr == 0)
            return {};
        uint64_t shift = base_ && note.base ? *base_ - note.base : 0;
        uint64_t vaddr = note.vaddr + shift;
        auto offset = image_.file_offset(vaddr);
        if (!offset)
            return fail("{}: the USDT probe {}:{} is at address {:#x}, which is not in the file",
                        image_.name(), note.provider, note.name, vaddr);
        Probe *probe = TRY(find(note, note.semaphore ? note.semaphore + shift : 0));
        probe->locations.push_back({vaddr, *offset, std::string(note.arguments)});
        return {};
    }

    std::vector<Probe> take() { return std::move(probes_); }

  private:
    // Returns the note's probe; adds it if it is new.
    Result<Probe *> find(const Note &note, uint64_t semaphore)
    {
        key_.assign(note.provider);
        key_.push_back('\0');
        key_.append(note.name);
        key_.push_back('\0');
        key_.append(reinterpret_cast<const char *>(&semaphore), sizeof semaphore);
        auto [entry, is_new] = index_.try_emplace(key_, probes_.size());
        if (is_new) {
            uint64_t offset = 0;
            if (semaphore) {
                auto found = image_.file_offset(semaphore);
                if (!found)
                    return fail(
                        "{}: the semaphore of the USDT probe {}:{} is at address {:#x}, "
                        "which is not in the file",
                        image_.name(), note.provider, note.name, semaphore);
                offset = *found;
            }
            probes_.push_back(
                {std::string(note.provider), std::string(note.name), semaphore, offset, {}});
        }
        return &probes_[entry->second];
    }

    const elf::Image &image_;
    std::optional<uint64_t> base_;
    std::vector<Probe> probes_;
    std::unordered_map<std::string, size_t> index_;  // provider, name, semaphore -> probe
    std::string key_;
};

Result<> read_section(const elf::Image &image, Bytes notes, Collector &probes)
{
    uint64_t at = 0;
    while (at < notes.size()) {
        auto header = notes.read<Elf64_Nhdr>(at);
        uint64_t name_at = at + sizeof(Elf64_Nhdr);
        auto name = header ? notes.slice(name_at, header->n_namesz) : std::nullopt;
        uint64_t description_at = header ? name_at + padded(header->n_namesz) : 0;
        auto description = name ? notes.slice(description_at, header->n_descsz) : std::nullopt;
        if (!description)
            return fail("{}: the note at byte {:#x} of {} runs past the section's end",
                        image.name(), at, note_section);
        if (header->n_type == probe_type && name->cstring(0) == owner) {
            auto note = parse_description(*description);
            if (!note)
                return fail(
                    "{}: the note at byte {:#x} of {} is not a USDT probe: its fields run "
                    "past its end",
                    image.name(), at, note_section);
            TRY(probes.add(*note));
        }
        at = description_at + padded(header->n_descsz);
    }
    return {};
}

}  // namespace

Result<std::vector<Probe>> read_probes(const elf::Image &image)
{
    if (!image.section_damage().empty())
        return fail("{}: cannot look for USDT probes: {}", image.name(), image.section_damage());
    Collector probes(image);
    for (const elf::Section &section : image.sections()) {
        if (section.type != SHT_NOTE || section.name != note_section)
            continue;
        auto notes = image.contents(section);
        if (!notes)
            return fail("{}: its section {} is compressed or lies outside the file", image.name(),
                        note_section);
        TRY(read_section(image, *notes, probes));
    }
    return probes.take();
}

std::string why_bare(const std::string &path)
{
    auto image = elf::Image::open(path);
    return image ? image->why_bare() : "";
}

}  // namespace uscope::usdt
