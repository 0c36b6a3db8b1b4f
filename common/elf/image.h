// Parses an ELF64 little-endian file, through a bounds-checked view of its bytes.
//
// Two kinds of address must never be confused: a *virtual address* (in symbols and notes; relative
// to the file's own link base) and a *file offset* (the kernel wants it for a uprobe). They are
// converted through the PT_LOAD segments, and only there.
//
// (The implementation file opens with an explanation of the format and one worked example.)
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
    // Maps the file and reads only its headers. Errors name the path and the cause: it cannot be
    // opened, is not an ELF file, is 32-bit or big-endian (not supported), has corrupt program
    // headers. Corrupt section headers are no error (a program runs without them): see
    // section_damage().
    static Result<Image> open(const std::string &path);
    // Like open(), for bytes that outlive the image; errors use `name`.
    static Result<Image> parse(Bytes bytes, std::string name);

    const std::string &name() const { return name_; }
    Bytes bytes() const { return bytes_; }
    bool is_file() const { return !file_.bytes().empty(); }
    uint16_t machine() const { return machine_; }  // EM_X86_64, EM_AARCH64, …
    uint16_t type() const { return type_; }        // ET_EXEC, ET_DYN, …
    const std::vector<Segment> &segments() const { return segments_; }
    const std::vector<Section> &sections() const { return sections_; }  // empty if stripped
    // Describes the damage if the section headers are corrupt ("…lie outside the file"), else "".
    // If it is not "", sections() is empty.
    const std::string &section_damage() const { return section_damage_; }
    // Says why the file has nothing to probe: it is an object file, or has no section headers.
    // Returns "" if neither is so.
    std::string why_bare() const;

    const Section *section(std::string_view name) const;
    // Returns a section's bytes; nullopt if it has none in the file, lies outside of it, or uses a
    // compression other than zlib. Decompressed bytes live as long as the image.
    std::optional<Bytes> contents(const Section &section) const;

    // These four return nullopt for addresses or offsets whose bytes are not in the file (such as
    // .bss).
    std::optional<uint64_t> file_offset(uint64_t vaddr) const;
    std::optional<uint64_t> vaddr(uint64_t file_offset) const;
    std::optional<Bytes> bytes_at(uint64_t vaddr, uint64_t length) const;
    std::optional<Bytes> bytes_from(uint64_t vaddr) const;  // to the end of the segment
    bool is_executable(uint64_t vaddr) const;
    // Is `vaddr` in a code section? Without section headers: in an executable segment's part of the
    // file.
    bool is_in_code(uint64_t vaddr) const;
    // Returns the end of that section or segment; 0 if `vaddr` is not in code.
    uint64_t code_end(uint64_t vaddr) const;

    // The size of PT_TLS, the thread-local variables; 0: there are none.
    uint64_t thread_bytes() const { return thread_bytes_; }
    // Is it a shared library? (A program has an interpreter, or is not ET_DYN.)
    bool is_library() const { return type_ == ET_DYN && !has_interpreter_; }

    // PT_GNU_EH_FRAME: .eh_frame_hdr (elf/frames.h).
    struct FrameHeader {
        uint64_t vaddr = 0;
        Bytes bytes = {};
    };
    const FrameHeader &frame_header() const { return frame_header_; }

    // The bytes of PT_DYNAMIC; empty for a static program.
    Bytes dynamic() const { return dynamic_; }

    std::string build_id() const;  // lower-case hex digits; empty if there is none
    std::optional<DebugLink> debug_link() const;
    bool is_go() const;  // has Go's build info or pclntab: uretprobes would break it
    // Go's function table (elf/pclntab.h), or null if there is none. It is searched once, because
    // proving that a table is valid reads all of it. It lives as long as the image, even if the
    // image is moved.
    const PclnTable *go_functions() const;

  private:
    Result<> read_segments(const Elf64_Ehdr &header);
    Result<> read_sections(const Elf64_Ehdr &header);
    std::optional<Bytes> inflated(const Section &section) const;
    std::optional<Bytes> find_note(std::string_view owner, uint32_t type) const;

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
    uint64_t thread_bytes_ = 0;
    bool has_interpreter_ = false;
    // Set by the first go_functions().
    mutable std::optional<std::shared_ptr<const PclnTable>> go_functions_;
    // Decompressed sections by their offset in the file; "": they could not be decompressed.
    mutable std::map<uint64_t, std::shared_ptr<const std::string>> inflated_;
};

}  // namespace uscope::elf
