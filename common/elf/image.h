// One ELF64 little-endian file over a checked view of its bytes.
//
// Two kinds of address must never be confused: a *virtual address* (what symbols and notes hold,
// relative to the file's own link base) and a *file offset* (what the kernel wants for a uprobe).
// They are converted through the PT_LOAD segments, and only there.
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
    // Maps the file and reads its headers only. Errors name the path and what is wrong: cannot be
    // opened, not an ELF file, 32-bit or big-endian (not supported), corrupt program headers.
    // Corrupt section headers are no error (a program runs without them): see section_damage().
    static Result<Image> open(const std::string &path);
    // The same over bytes that outlive the image; `name` is used in errors.
    static Result<Image> parse(Bytes bytes, std::string name);

    const std::string &name() const { return name_; }
    Bytes bytes() const { return bytes_; }
    bool is_file() const { return !file_.bytes().empty(); }
    uint16_t machine() const { return machine_; }  // EM_X86_64, EM_AARCH64, …
    uint16_t type() const { return type_; }        // ET_EXEC, ET_DYN, …
    const std::vector<Segment> &segments() const { return segments_; }
    const std::vector<Section> &sections() const { return sections_; }  // empty if stripped of them
    // What is wrong with the section headers ("…lie outside the file"); empty: nothing. If it is
    // not empty, sections() is.
    const std::string &section_damage() const { return section_damage_; }
    // Why nothing that is to be probed is found in it, if that is so: it is an object file, or has no section headers; "".
    std::string why_bare() const;

    const Section *section(std::string_view name) const;
    // A section's bytes; nothing when it has none in the file, lies outside, or is compressed by other means than
    // zlib. What was compressed is kept as long as the image.
    std::optional<Bytes> contents(const Section &section) const;

    // Only for addresses whose bytes are in the file (not .bss).
    std::optional<uint64_t> file_offset(uint64_t vaddr) const;
    std::optional<uint64_t> vaddr(uint64_t file_offset) const;
    std::optional<Bytes> bytes_at(uint64_t vaddr, uint64_t length) const;
    std::optional<Bytes> bytes_from(uint64_t vaddr) const;  // to the end of the segment
    bool is_executable(uint64_t vaddr) const;
    // In a section of code; of a file without section headers, the same.
    bool is_in_code(uint64_t vaddr) const;
    // Where that section ends.
    uint64_t code_end(uint64_t vaddr) const;

    // PT_TLS, the variables that each thread has; 0: there are none.
    uint64_t thread_bytes() const { return thread_bytes_; }
    // Is it something that other programs load (not started by itself, or by an interpreter)?
    bool is_library() const { return type_ == ET_DYN && !has_interpreter_; }

    // PT_GNU_EH_FRAME: .eh_frame_hdr (elf/frames.h).
    struct FrameHeader {
        uint64_t vaddr = 0;
        Bytes bytes = {};
    };
    const FrameHeader &frame_header() const { return frame_header_; }

    // The bytes of PT_DYNAMIC; empty for a static program. Other bytes are reached by address.
    Bytes dynamic() const { return dynamic_; }

    std::string build_id() const;  // lower-case hex digits; empty if there is none
    std::optional<DebugLink> debug_link() const;
    bool is_go() const;  // has Go's build info or pclntab: no uretprobe may be put there
    // Go's table of functions (elf/pclntab.h), which is looked for once: to prove one, all of it is read.
    // Null: there is none. Lives as long as the image, wherever that is moved.
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
    mutable std::optional<std::shared_ptr<const PclnTable>> go_functions_;  // once it was asked for
    mutable std::map<uint64_t, std::shared_ptr<const std::string>>
        inflated_;  // by the offset in the file
};

}  // namespace uscope::elf
