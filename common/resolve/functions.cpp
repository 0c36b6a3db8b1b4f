#include <map>
#include <utility>

#include <elf.h>

#include "base/text.h"
#include "elf/demangle.h"
#include "elf/functions.h"
#include "go/entry.h"
#include "insn/decode.h"
#include "resolve/files.h"
#include "resolve/go_returns.h"
#include "resolve/indirect.h"
#include "resolve/kinds.h"
#include "resolve/patterns.h"
#include "resolve/returns.h"

namespace uscope::resolve {
namespace {

using spec::ProbeKind;

// The function's bytes; of one whose size is not known, those up to and with the instruction at
// `offset`.
std::optional<Bytes> code_of(const elf::Image &image, const elf::Function &function,
                             uint64_t offset)
{
    constexpr uint64_t longest_instruction = 15;
    if (function.size)
        return image.bytes_at(function.vaddr, function.size);
    for (uint64_t length = longest_instruction; length > 0; length--) {
        if (auto code = image.bytes_at(function.vaddr, offset + length))
            return code;
    }
    return std::nullopt;
}

// Checks that the probe's place is the start of an instruction that the kernel accepts. A file that
// nobody runs yet hides the kernel's refusal, and the probe would silently never fire.
Result<> check_site(const spec::Probe &probe, const elf::Image &image,
                    const elf::Function &function, uint64_t offset)
{
    if (function.size && offset >= function.size) {
        return fail_at(probe.source, probe.function.column,
                       "{} is only {} bytes long: +{:#x} is outside", function.display,
                       function.size, offset);
    }
    auto code = code_of(image, function, offset);
    if (!code)
        return fail("{}: the code of {} is not in the file", image.name(), function.display);
    bool is_x86 = image.machine() == EM_X86_64;
    constexpr uint64_t arm_instruction = 4;
    if (is_x86 ? offset && !insn::is_boundary(*code, offset).value_or(false)
               : offset % arm_instruction != 0) {
        return fail_at(probe.source, probe.function.column,
                       "{}+{:#x} is not the start of an instruction: a probe there would corrupt "
                       "the program (objdump -d shows where they start)",
                       function.display, offset);
    }
    if (!is_x86)
        return {};
    auto instruction = insn::decode(code->from(offset));
    if (!instruction || instruction->kind == insn::Kind::Refused) {
        return fail("{}: the kernel refuses a probe on the instruction at {}+{:#x}", image.name(),
                    function.display, offset);
    }
    return {};
}

// Where in a function's code a probe on its entry goes. What is saved of a call for its return is
// saved anew when a goroutine's stack has grown.
uint64_t entry_offset(const spec::Probe &probe, const elf::Image &image, Bytes code)
{
    if (!image.is_go())
        return insn::entry_offset(code);
    return probe.kind == ProbeKind::Return ? go::call_offset(code) : go::entry_offset(code);
}

Result<Site> function_site(const spec::Probe &probe, const OpenedFile &opened,
                           const elf::Function &function)
{
    const elf::Image &image = *opened.image;
    uint64_t offset = probe.offset;
    if (offset == 0 && image.machine() == EM_X86_64) {
        if (auto code = image.bytes_at(function.vaddr, function.size))
            offset = entry_offset(probe, image, *code);
    }
    TRY(check_site(probe, image, function, offset));

    Site site;
    site.name = elf::without_parameters(function.display);
    if (probe.offset)
        site.name += fmt::format("+{:#x}", probe.offset);
    site.function_vaddr = function.vaddr;
    site.vaddr = function.vaddr + offset;
    site.file_offset = function.file_offset + offset;
    if (probe.kind == ProbeKind::Return && image.is_go())
        site.return_offsets = TRY(go_returns(image, opened.file.path, function));
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
    Site site;
    site.name = fmt::format("{:#x}", vaddr);
    site.vaddr = site.function_vaddr = vaddr;
    site.file_offset = *offset;
    return site;
}

// What stands for an indirect function: the implementations that the processes use.
Result<std::vector<elf::Function>> implementations(const spec::Probe &probe,
                                                   const OpenedFile &opened,
                                                   const elf::Function &function,
                                                   const std::vector<pid_t> &pids)
{
    auto used = chosen_implementations(*opened.image, opened.file.open_path, function, pids);
    if (!used.empty())
        return used;
    auto names = implementation_names(*opened.image, function,
                                      {.root = opened.file.root, .path = opened.file.path});
    std::string way = pids.empty() ? "give -p PID to trace what that process uses"
                                   : "which one the process uses cannot be seen";
    if (!names.empty())
        way += fmt::format(", {}name one: {}", pids.empty() ? "or " : "", fmt::join(names, ", "));
    return fail(
        "{}:{} is an indirect function (IFUNC): {} chooses its implementation when a program "
        "starts; {}",
        probe.library.text, function.display, opened.file.path, way);
}

// "f()" is a C++ function without parameters, or simply f.
Result<std::vector<elf::Function>> find_functions(const spec::Probe &probe,
                                                  const OpenedFile &opened)
{
    elf::SymbolOptions options = {.root = opened.file.root, .path = opened.file.path};
    if (probe.is_regex) {
        Regex regex = TRY(compile_regex(probe, probe.function));
        auto functions = TRY(elf::find_functions(*opened.image, regex, options));
        if (functions.empty())
            return fail("no function of {} matches '{}'", opened.file.path, probe.function.text);
        return functions;
    }
    if (probe.empty_parentheses) {
        auto exact = elf::find_functions(*opened.image, probe.function.text + "()", options);
        if (exact)
            return exact;
    }
    return elf::find_functions(*opened.image, probe.function.text, options);
}

// The sites of one file, by how their returns are seen.
class FileResolver {
  public:
    FileResolver(const spec::Probe &probe, const OpenedFile &opened, pid_t only)
        : probe_(probe), opened_(opened), chooser_(opened, only)
    {
        for (ReturnsBy by : all_ways)
            sites_[by] = {opened.file, opened.image, {}};
    }

    // A function that was asked for by name has to be one that can be probed; others are counted.
    Result<> add(std::vector<elf::Function> functions, const std::vector<pid_t> &pids)
    {
        bool single = functions.size() == 1;
        if (single && functions.front().is_indirect)
            functions = TRY(implementations(probe_, opened_, functions.front(), pids));
        for (const elf::Function &function : functions) {
            auto added = function.is_indirect ? Result<>(fail("")) : add_one(function);
            if (added)
                continue;
            if (single && !function.is_indirect)
                return added;
            refused_++;
        }
        chooser_.part_shared_exits(sites_[ReturnsBy::ExitSites]);
        return {};
    }

    Result<> add_address()
    {
        sites_[ReturnsBy::KernelProbe].sites.push_back(TRY(address_site(probe_, opened_)));
        return {};
    }

    void give_to(std::map<ReturnsBy, Group> &groups)
    {
        bool is_first = true;
        for (auto &[by, sites] : sites_) {
            if (sites.sites.empty())
                continue;
            Group &group = groups[by];
            group.returns_by = by;
            if (probe_.kind == ProbeKind::Return && by != ReturnsBy::GoReturns &&
                group.risk.empty())
                group.risk = chooser_.risk().why;
            group.refused += is_first ? std::exchange(refused_, 0) : 0;
            is_first = false;
            group.files.push_back(std::move(sites));
        }
    }

  private:
    static constexpr auto all_ways = {ReturnsBy::KernelProbe, ReturnsBy::ExitSites,
                                      ReturnsBy::GoReturns};

    Result<> add_one(const elf::Function &function)
    {
        Site site = TRY(function_site(probe_, opened_, function));
        ReturnsBy by = ReturnsBy::KernelProbe;
        if (probe_.kind == ProbeKind::Return) {
            by = opened_.image->is_go() ? ReturnsBy::GoReturns
                                        : TRY(chooser_.choose(function, site));
        }
        sites_[by].sites.push_back(std::move(site));
        return {};
    }

    const spec::Probe &probe_;
    const OpenedFile &opened_;
    ReturnChooser chooser_;
    std::map<ReturnsBy, FileSites> sites_;
    size_t refused_ = 0;
};

}  // namespace

Result<std::vector<Group>> resolve_functions(const spec::Probe &probe,
                                             const std::vector<pid_t> &pids, pid_t only)
{
    std::map<ReturnsBy, Group> found;
    std::optional<Error> first_error;
    for (OpenedFile &opened : TRY(find_files(probe.library.text, pids))) {
        if (probe.kind == ProbeKind::Return && opened.image->is_go())
            TRY(check_go_returns(*opened.image, opened.file.path));
        FileResolver file(probe, opened, only);
        if (probe.is_address) {
            TRY(file.add_address());
        } else {
            auto functions = find_functions(probe, opened);
            if (!functions) {
                if (!first_error)
                    first_error = functions.error();
                continue;
            }
            TRY(file.add(std::move(*functions), pids));
        }
        file.give_to(found);
    }
    std::vector<Group> groups;
    for (auto &[by, group] : found)
        groups.push_back(std::move(group));
    if (!groups.empty())
        return groups;
    if (first_error)
        return tl::unexpected(std::move(*first_error));
    return fail("{}: no function that {} matches can be probed", probe.library.text,
                probe.function.text);
}

}  // namespace uscope::resolve
