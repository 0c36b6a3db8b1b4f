// Chooses the instructions at which probes on functions and addresses go, and checks them.
#include "resolve/function_sites.h"

#include <algorithm>

#include <elf.h>

#include "base/format.h"
#include "base/text.h"
#include "dwarf/lines.h"
#include "elf/demangle.h"
#include "go/entry.h"
#include "insn/decode.h"
#include "resolve/go_returns.h"
#include "resolve/instruction.h"

namespace uscope::resolve {
namespace {

bool is_x86(const elf::Image &image)
{
    return image.machine() == EM_X86_64;
}

// Returns the function's bytes; if its size is unknown, those up to the end of the instruction at
// `offset`.
std::optional<Bytes> code_of(const elf::Image &image, const elf::Function &function,
                             uint64_t offset)
{
    if (function.size)
        return image.bytes_at(function.vaddr, function.size);
    return bytes_up_to(image, function.vaddr, offset + insn::longest);
}

Result<> check_inside(const spec::Probe &probe, const elf::Image &image,
                      const elf::Function &function)
{
    uint64_t offset = probe.offset;
    if (function.size && offset >= function.size) {
        return fail_at(probe.source, probe.function.column,
                       "{} is only {} bytes long: +{:#x} is outside", function.display,
                       function.size, offset);
    }
    auto code = code_of(image, function, offset);
    if (!code)
        return fail("{}: the code of {} is not in the file", image.name(), function.display);
    constexpr uint64_t arm_instruction = 4;
    if (is_x86(image) ? offset && !insn::is_boundary(*code, offset).value_or(false)
                      : offset % arm_instruction != 0) {
        return fail_at(probe.source, probe.function.column,
                       "{}+{:#x} is not the start of an instruction: a probe there would corrupt "
                       "the program (objdump -d shows where they start)",
                       function.display, offset);
    }
    return {};
}

// Returns the entry's offset if a probe there is as good as one on the function's first
// instruction.
std::optional<uint64_t> offset_if_as_good(const spec::Probe &probe, FileCode &code,
                                          const elf::Function &function,
                                          std::optional<insn::Entry> entry, uint64_t max_text)
{
    if (!entry)
        return std::nullopt;
    bool keeps = entry->keeps_arguments || probe.needs.arguments == spec::ArgumentUse::None ||
                 (probe.needs.arguments == spec::ArgumentUse::First && entry->keeps_first);
    bool is_as_good = keeps && code.is_as_good(function, entry->offset, max_text);
    return is_as_good ? std::optional(entry->offset) : std::nullopt;
}

// Returns the offset of an entry probe that avoids instructions that cannot have a probe, or
// nullopt.
std::optional<uint64_t> next_offset(const spec::Probe &probe, FileCode &code,
                                    const elf::Function &function)
{
    auto entry = insn::entry_after_vectors(code.bytes_of(function));
    return offset_if_as_good(probe, code, function, entry, SIZE_MAX);
}

// Returns the offset of an entry probe on an instruction that the kernel need not single-step, or
// nullopt. Only for segments where checking that nothing else leads there is cheap: it takes a
// millisecond for each megabyte of code.
std::optional<uint64_t> cheap_offset(const spec::Probe &probe, FileCode &code,
                                     const elf::Function &function)
{
    constexpr uint64_t max_text = 8 << 20;
    if (probe.needs.reads_registers)
        return std::nullopt;
    auto entry = insn::cheap_entry(code.bytes_of(function), probe.needs.may_miss_faults);
    return offset_if_as_good(probe, code, function, entry, max_text);
}

// Returns where in a function's code a probe on its entry goes. Go code may run the entry twice for
// one call; a program that saves data of a call for its return recognizes that at the stack check
// (expr/compile_call.cpp).
uint64_t entry_offset(const spec::Probe &probe, const elf::Image &image, Bytes code)
{
    if (!image.is_go())
        return insn::entry_offset(code);
    return probe.kind == spec::ProbeKind::Return ? go::call_offset(code) : go::entry_offset(code);
}

// Returns the offset from the function's start at which to place a probe.
OrRefused<uint64_t> probe_offset(const spec::Probe &probe, const elf::Image &image, FileCode &code,
                                 const elf::Function &function)
{
    if (auto inside = check_inside(probe, image, function); !inside)
        return refuse(inside.error(), "have no code in the file");
    if (!is_x86(image))
        return probe.offset;
    uint64_t offset = probe.offset;
    if (auto bytes = offset == 0 ? image.bytes_at(function.vaddr, function.size) : std::nullopt)
        offset = entry_offset(probe, image, *bytes);
    bool may_pass = probe.offset == 0 && !image.is_go();
    auto refusal = refusal_at(image, function.vaddr + offset, offset == 0);
    if (refusal == insn::Refusal::None) {
        auto cheap = may_pass && offset == 0 ? cheap_offset(probe, code, function) : std::nullopt;
        return cheap.value_or(offset);
    }
    if (auto next = may_pass ? next_offset(probe, code, function) : std::nullopt)
        return *next;
    std::string where = function.display;
    if (offset)
        where += fmt::format("+{:#x}", offset);
    return refuse(refused_error(image, where, refusal),
                  fmt::format("start with an instruction that {}", insn::describe(refusal)));
}

// Checks that `vaddr` is the start of an instruction of its function, if that is known.
Result<> check_address(const spec::Probe &probe, const OpenedFile &opened, uint64_t vaddr)
{
    const elf::Image &image = *opened.image;
    if (!is_x86(image))
        return {};
    bool at_start = false;
    elf::SymbolOptions options = {
        .root = opened.file.root, .path = opened.file.path, .demangle = false};
    if (auto functions = elf::all_functions(image, options)) {
        for (const elf::Function &function : *functions) {
            if (vaddr - function.vaddr >= function.size)
                continue;
            at_start |= vaddr == function.vaddr;
            auto code = image.bytes_at(function.vaddr, function.size);
            if (!code || insn::is_boundary(*code, vaddr - function.vaddr) != false)
                continue;
            return fail_at(
                probe.source, probe.function.column,
                "{:#x} is not the start of an instruction: a probe there would corrupt "
                "the program ({}+{:#x} is inside one; objdump -d shows where they start)",
                vaddr, function.name, vaddr - function.vaddr);
        }
    }
    auto refusal = refusal_at(image, vaddr, at_start);
    if (refusal != insn::Refusal::None)
        return Failure(refused_error(image, fmt::format("{:#x}", vaddr), refusal));
    return {};
}

}  // namespace

bool FileCode::is_as_good(const elf::Function &function, uint64_t offset, uint64_t max_text)
{
    const elf::Segment *segment = segment_of(function.vaddr);
    auto text = segment ? image_.bytes_at(segment->vaddr, segment->file_size) : std::nullopt;
    if (!text || text->size() > max_text)
        return false;
    auto &branches = branches_.try_emplace(segment->vaddr, *text).first->second;
    uint64_t start = function.vaddr - segment->vaddr;
    return !branches.lead_after(start, bytes_of(function).size(), offset);
}

Bytes FileCode::bytes_of(const elf::Function &function) const
{
    // Implementations of indirect functions have no size: assume that the code after their
    // start is theirs.
    constexpr uint64_t large = 2048;
    const elf::Segment *segment = segment_of(function.vaddr);
    uint64_t left = segment ? segment->vaddr + segment->file_size - function.vaddr : 0;
    uint64_t size = function.size ? function.size : std::min(left, large);
    return image_.bytes_at(function.vaddr, size).value_or(Bytes());
}

const elf::Segment *FileCode::segment_of(uint64_t vaddr) const
{
    for (const elf::Segment &segment : image_.segments()) {
        if (segment.executable && vaddr - segment.vaddr < segment.file_size)
            return &segment;
    }
    return nullptr;
}

OrRefused<Site> function_site(const spec::Probe &probe, const OpenedFile &opened, FileCode &code,
                              const elf::Function &function)
{
    const elf::Image &image = *opened.image;
    auto offset = probe_offset(probe, image, code, function);
    if (!offset)
        return Failure(std::move(offset.error()));

    Site site;
    site.name = elf::without_parameters(function.display);
    site.parameters = function.display.substr(site.name.size());
    if (size_t copy = site.parameters.find(" [clone "); copy != std::string::npos) {
        site.parameters.resize(copy);
        site.is_changed_copy = true;
    }
    if (probe.offset)
        site.name += fmt::format("+{:#x}", probe.offset);
    site.notes = function.notes;
    site.function_vaddr = function.vaddr;
    site.vaddr = function.vaddr + *offset;
    site.file_offset = function.file_offset + *offset;
    if (probe.kind == spec::ProbeKind::Return && image.is_go()) {
        auto returns = go_returns(image, opened.file.path, function);
        if (!returns)
            return refuse(std::move(returns.error()), "have returns that cannot be found");
        if (std::count(returns->begin(), returns->end(), function.file_offset))
            site.lone_return_offsets = {function.file_offset};
        site.return_offsets = std::move(*returns);
    }
    return site;
}

Result<Site> address_site(const spec::Probe &probe, const OpenedFile &opened)
{
    const elf::Image &image = *opened.image;
    uint64_t vaddr = parse_number(probe.function.text).value_or(0) + probe.offset;
    auto offset = image.file_offset(vaddr);
    if (!offset || !image.is_executable(vaddr)) {
        return fail_at(probe.source, probe.function.column, "{} has no code at address {:#x}",
                       opened.file.path, vaddr);
    }
    TRY(check_address(probe, opened, vaddr));
    Site site;
    site.name = fmt::format("{:#x}", vaddr);
    site.vaddr = site.function_vaddr = vaddr;
    site.file_offset = *offset;
    return site;
}

Result<std::vector<Site>> line_sites(const spec::Probe &probe, const OpenedFile &opened)
{
    auto lines =
        TRY(dwarf::Lines::open(*opened.image, opened.file.path, symbol_options(opened.file)));
    if (!lines)
        return fail("{}, so that its source lines are not known", without_debug(opened));
    auto codes = lines->code_of(probe.line.file, probe.line.number);
    if (codes.empty())
        return fail("{} has no code of {} from line {} on", opened.file.path, probe.line.file,
                    probe.line.number);
    std::vector<Site> sites;
    for (const dwarf::LineCode &code : codes) {
        spec::Probe at = probe;
        at.function.text = fmt::format("{:#x}", code.vaddr);
        sites.push_back(TRY(address_site(at, opened)));
        std::string_view file = code.file;
        sites.back().name = fmt::format("{}:{}", file.substr(file.rfind('/') + 1), code.line);
        sites.back().line = code.line;
        if (code.line != probe.line.number)
            sites.back().notes.push_back(fmt::format("{} line {} has no code: line {} is traced",
                                                     probe.line.file, probe.line.number,
                                                     code.line));
    }
    return sites;
}

}  // namespace uscope::resolve
