// Parses 64-bit little-endian ELF files: programs, libraries, debug files. Corrupt files cannot
// cause reads outside of the file.
//
// Two kinds of numbers must not be confused. A *virtual address* (vaddr) is an address as the
// linker assigned it; symbols and notes contain virtual addresses. A *file offset* is the position
// of a byte in the file; the kernel expects it for a uprobe. file_offset() and vaddr() convert one
// to the other, by the PT_LOAD segments.
//
// (image.cpp starts with an explanation of the format and a worked example.)
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <elf.h>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"

namespace uscope::elf {

struct Segment {  // a PT_LOAD
    uint64_t vaddr, offset, file_size, memory_size;
    bool executable, writable;
};

struct Section {
    std::string_view name;
    uint32_t type;
    uint64_t flags, vaddr, offset, size, entry_size;
    uint32_t link, info;
};

struct DebugLink {  // .gnu_debuglink
    std::string file;
    uint32_t crc;
};

class PclnTable;

class Image {
  public:
    // Maps the file, and reads only its headers. Errors, which name the path: the file cannot be
    // opened, is not an ELF file, is 32-bit or big-endian (not supported), or has corrupt program
    // headers. Corrupt section headers are not an error, because the kernel runs a program without
    // them: see section_damage().
    static Result<Image> open(const std::string &path);
    // Like open(), for bytes in memory, which must outlive the image. Errors call them `name`.
    static Result<Image> parse(Bytes bytes, std::string name);

    const std::string &name() const { return name_; }
    Bytes bytes() const { return bytes_; }
    bool is_file() const { return !file_.bytes().empty(); }  // from open(), not parse()
    uint16_t machine() const { return machine_; }            // EM_X86_64, EM_AARCH64, …
    uint16_t type() const { return type_; }                  // ET_EXEC, ET_DYN, …
    const std::vector<Segment> &segments() const { return segments_; }
    const std::vector<Section> &sections() const { return sections_; }  // empty: no section headers
    // If the section headers are corrupt: says how ("…lie outside the file"), and sections() is
    // empty. Else "".
    const std::string &section_damage() const { return section_damage_; }
    // Returns why the tools may find nothing to probe in the file: it is an object file, or it has
    // no section headers. Returns "" if neither is true.
    std::string why_bare() const;

    const Section *section(std::string_view name) const;
    // Returns the bytes of a section, decompressed if it is compressed; these live as long as the
    // image. Returns nullopt if the section has no bytes in the file (.bss), lies outside of the
    // file, is damaged, or is compressed with anything but zlib or to more than 1 GB.
    std::optional<Bytes> contents(const Section &section) const;

    // The next four functions return nullopt if the bytes at the address or offset are not in the
    // file or not mapped by a segment: addresses in .bss, for example.
    std::optional<uint64_t> file_offset(uint64_t vaddr) const;
    std::optional<uint64_t> vaddr(uint64_t file_offset) const;
    std::optional<Bytes> bytes_at(uint64_t vaddr, uint64_t length) const;
    std::optional<Bytes> bytes_from(uint64_t vaddr) const;  // to the end of the segment
    bool is_executable(uint64_t vaddr) const;
    // Is `vaddr` in a section with code or, if the file has no section headers, in the bytes of an
    // executable segment?
    bool is_in_code(uint64_t vaddr) const;
    // Returns the address of the end of this section or segment; 0 if is_in_code(vaddr) is false.
    uint64_t code_end(uint64_t vaddr) const;

    // Returns the size of the file's thread-local variables (PT_TLS), in bytes; 0 if it has none.
    uint64_t thread_bytes() const { return thread_bytes_; }
    // Is it a shared library: ET_DYN without a program interpreter (PT_INTERP)?
    bool is_library() const { return type_ == ET_DYN && !has_interpreter_; }

    // The section .eh_frame_hdr (elf/frames.h), as the program header PT_GNU_EH_FRAME describes it.
    struct FrameHeader {
        uint64_t vaddr = 0;
        Bytes bytes = {};
    };
    const FrameHeader &frame_header() const { return frame_header_; }
    // The address of the section .sframe (elf/sframe.h), as PT_GNU_SFRAME gives it; 0: none. The
    // size there is not the section's: GNU ld counts what follows as well.
    uint64_t sframe_vaddr() const { return sframe_vaddr_; }

    // The bytes of PT_DYNAMIC; empty for a static program.
    Bytes dynamic() const { return dynamic_; }

    std::string build_id() const;  // lower-case hexadecimal digits; "" if it has none
    std::optional<DebugLink> debug_link() const;
    // Was it compiled by Go: does it have Go's build info, function table or build id? The kernel's
    // return probes would break such a program (go/returns.h).
    bool is_go() const;
    // Returns Go's function table (elf/pclntab.h); null if the file has none. The first call
    // searches for the table and checks all of it; later calls return the same one. It lives as
    // long as the image, even if the image is moved.
    const PclnTable *go_functions() const;

  private:
    Result<> read_segments(const Elf64_Ehdr &header);
    Result<> read_sections(const Elf64_Ehdr &header);
    std::optional<Bytes> inflated(const Section &section) const;
    std::optional<Bytes> find_note(std::string_view owner, uint32_t type) const;
    bool has_go_build_info() const;

    std::string name_;
    MappedFile file_;
    Bytes bytes_;
    uint16_t machine_ = 0, type_ = 0;
    std::vector<Segment> segments_;
    std::vector<Section> sections_;
    std::string section_damage_;
    std::vector<Bytes> notes_;  // PT_NOTE
    Bytes dynamic_;
    FrameHeader frame_header_;
    uint64_t sframe_vaddr_ = 0;
    uint64_t thread_bytes_ = 0;
    bool has_interpreter_ = false;
    mutable std::optional<bool> is_go_;  // set by the first call of is_go()
    // Set by the first call of go_functions(); null: the file has no such table.
    mutable std::optional<std::shared_ptr<const PclnTable>> go_functions_;
    // Decompressed sections, by their offset in the file; "" for one that cannot be decompressed.
    mutable std::map<uint64_t, std::shared_ptr<const std::string>> inflated_;
};

}  // namespace uscope::elf
