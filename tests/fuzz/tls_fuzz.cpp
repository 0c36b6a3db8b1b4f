// In a program with any code and the texts of the TLS libraries, the places found are code of the
// file, and begin with an instruction. TLS records have the same lengths in pieces of any size.
#include <string>

#include <elf.h>

#include "insn/decode.h"
#include "require.h"
#include "tls/finder.h"
#include "tls/trial.h"

using namespace uscope;

namespace {

constexpr uint64_t base = 0x10000;

// A file with one segment: the headers, the texts and the code.
std::string program_of(const uint8_t *data, size_t size)
{
    Elf64_Ehdr header = {};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_machine = EM_X86_64;
    header.e_type = size && data[0] & 1 ? ET_EXEC : ET_DYN;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phoff = sizeof header;
    header.e_phnum = 1;
    std::string contents = std::string(1, '\0') + "ssl/ssl_lib.cc" + '\0' +
                           "assertion failed: self.next_pre_encrypt_action() != "
                           "PreEncryptAction::Refuse/rustls-0.23.40/";
    contents.resize(256);
    contents.append(reinterpret_cast<const char *>(data), size);
    Elf64_Phdr segment = {};
    segment.p_type = PT_LOAD;
    segment.p_flags = PF_R | PF_X;
    segment.p_vaddr = base;
    segment.p_filesz = segment.p_memsz = sizeof header + sizeof segment + contents.size();
    return std::string(reinterpret_cast<char *>(&header), sizeof header) +
           std::string(reinterpret_cast<char *>(&segment), sizeof segment) + contents;
}

std::vector<uint32_t> records_of(Bytes stream, size_t piece)
{
    tls::RecordLengths records;
    for (size_t at = 0; at < stream.size(); at += piece) {
        Bytes bytes = *stream.slice(at, std::min(piece, stream.size() - at));
        records.add(bytes, bytes.size());
    }
    return records.lengths();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    require(records_of(Bytes(data, size), 1) == records_of(Bytes(data, size), 7));
    std::string file = program_of(data, size);
    auto image = elf::Image::parse(Bytes(file), "fuzz");
    if (!image)
        return 0;
    auto finding = tls::find_library(*image);
    require(finding.places.empty() || finding.places.size() == 2);
    require(finding.places.empty() == !finding.missing.empty() || finding.library.empty());
    for (const tls::Place &place : finding.places) {
        auto code = image->bytes_at(place.code.start, place.code.size());
        require(code && place.code.size() > 0 && insn::decode(*code));
    }
    return 0;
}
