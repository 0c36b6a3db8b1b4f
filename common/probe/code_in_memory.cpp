// Finds a file's mappings in a process and compares instructions there with the file's.
#include "probe/code_in_memory.h"

#include <algorithm>
#include <cstring>

#include "abi/registers.h"
#include "elf/image.h"
#include "insn/decode.h"

namespace uscope::probe {
namespace {

constexpr uint64_t page_bytes = 4096;

uint64_t page_of(uint64_t address)
{
    return address & ~(page_bytes - 1);
}

// Returns the bytes of the instruction at a file offset; none if it cannot be decoded.
Bytes instruction_at(const elf::Image &image, uint64_t offset)
{
    Bytes code = image.bytes().from(offset);
    if (abi::host_machine != abi::Machine::X86_64)
        return code.slice(0, 4).value_or(Bytes());
    auto instruction = insn::decode(code);
    return instruction ? code.slice(0, instruction->length).value_or(Bytes()) : Bytes();
}

// Returns how many bytes a breakpoint (of a debugger or another tool) covers: 1 for int3, 4 for
// arm64's brk, 0 if there is no breakpoint.
size_t breakpoint_bytes(const char *instruction)
{
    if (abi::host_machine == abi::Machine::X86_64)
        return uint8_t(*instruction) == 0xcc;
    uint32_t word = 0;
    memcpy(&word, instruction, sizeof(word));
    return (word & 0xffe0001f) == 0xd4200000 ? sizeof(word) : 0;
}

bool is_same(Bytes file, const char *memory)
{
    size_t covered = breakpoint_bytes(memory);
    return memcmp(file.data() + covered, memory + covered, file.size() - covered) == 0;
}

}  // namespace

CodeInMemory::CodeInMemory(std::vector<proc::Mapping> mappings, lang::Memory memory)
    : mappings_(std::move(mappings)), memory_(std::move(memory))
{
}

Result<CodeInMemory> CodeInMemory::open(pid_t pid)
{
    auto mappings = TRY(proc::read_maps(pid));
    return CodeInMemory(std::move(mappings), TRY(lang::Memory::open(pid)));
}

void CodeInMemory::choose(const std::string &path, const elf::Image &image)
{
    if (image_ == &image)
        return;
    image_ = &image;
    of_file_.clear();
    auto id = proc::file_id(path);
    for (const proc::Mapping &mapping : mappings_) {
        bool may_be_same = id && uint32_t(id->inode) == uint32_t(mapping.file.inode);
        if (mapping.is_file() && may_be_same && proc::is_same_file(path, mapping.file))
            of_file_.push_back(&mapping);
    }
}

const proc::Mapping *CodeInMemory::mapping() const
{
    auto found = std::find_if(of_file_.begin(), of_file_.end(),
                              [](const proc::Mapping *mapping) { return mapping->executable; });
    return found == of_file_.end() ? nullptr : *found;
}

const proc::Mapping *CodeInMemory::mapping_of(uint64_t offset) const
{
    auto has = [&](const proc::Mapping *mapping) {
        return mapping->executable && offset >= mapping->offset &&
               offset - mapping->offset < mapping->end - mapping->start;
    };
    auto found = std::find_if(of_file_.begin(), of_file_.end(), has);
    return found == of_file_.end() ? nullptr : *found;
}

// Is executable anonymous memory at the address where the code at this file offset would be mapped?
// That address follows from the addresses of the file's segments that are still mapped.
bool CodeInMemory::is_copied(uint64_t offset) const
{
    auto vaddr = image_->vaddr(offset);
    for (const proc::Mapping *mapping : of_file_) {
        for (const elf::Segment &segment : image_->segments()) {
            if (!vaddr || page_of(segment.offset) != mapping->offset)
                continue;
            uint64_t address = mapping->start - page_of(segment.vaddr) + *vaddr;
            return std::any_of(mappings_.begin(), mappings_.end(), [&](const proc::Mapping &other) {
                return other.executable && !other.is_file() && address >= other.start &&
                       address < other.end;
            });
        }
    }
    return false;
}

CodeInMemory::State CodeInMemory::at(uint64_t offset) const
{
    const proc::Mapping *mapping = mapping_of(offset);
    if (!mapping)
        return is_copied(offset) ? State::Copied : State::NotMapped;
    Bytes instruction = instruction_at(*image_, offset);
    char memory[insn::longest];
    uint64_t address = mapping->start + offset - mapping->offset;
    if (instruction.empty() || !memory_.read(address, memory, instruction.size()))
        return State::AsInFile;
    return is_same(instruction, memory) ? State::AsInFile : State::Changed;
}

std::optional<bool> CodeInMemory::has_breakpoint(uint64_t offset) const
{
    constexpr size_t longest_breakpoint = 4;
    const proc::Mapping *mapping = mapping_of(offset);
    char memory[longest_breakpoint];
    if (!mapping ||
        !memory_.read(mapping->start + offset - mapping->offset, memory, sizeof(memory)))
        return {};
    return breakpoint_bytes(memory) > 0;
}

}  // namespace uscope::probe
