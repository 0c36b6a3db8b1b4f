#include <algorithm>
#include <map>
#include <utility>

#include <elf.h>

#include "base/text.h"
#include "elf/demangle.h"
#include "elf/functions.h"
#include "elf/name_pattern.h"
#include "go/entry.h"
#include "insn/decode.h"
#include "insn/entry.h"
#include "resolve/files.h"
#include "resolve/go_returns.h"
#include "resolve/indirect.h"
#include "resolve/instruction.h"
#include "resolve/kinds.h"
#include "resolve/patterns.h"
#include "resolve/returns.h"

namespace uscope::resolve {
namespace {

using spec::ProbeKind;

// A function where no probe can be: what is said when it was asked for by name, and why when it is
// one of many.
struct Refused {
    Error error;
    std::string reason;
};
template <class T>
using OrRefused = tl::expected<T, Refused>;

tl::unexpected<Refused> refuse(Error error, std::string reason)
{
    return tl::unexpected(Refused{std::move(error), std::move(reason)});
}

bool is_x86(const elf::Image &image)
{
    return image.machine() == EM_X86_64;
}

// The function's bytes; of one whose size is not known, those up to and with the instruction at
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

// The segment's bytes that `vaddr` is in, and where they are.
std::optional<std::pair<Bytes, uint64_t>> text_around(const elf::Image &image, uint64_t vaddr)
{
    for (const elf::Segment &segment : image.segments()) {
        if (!segment.executable || vaddr - segment.vaddr >= segment.file_size)
            continue;
        if (auto bytes = image.bytes_at(segment.vaddr, segment.file_size))
            return std::pair(*bytes, segment.vaddr);
    }
    return std::nullopt;
}

// How far behind the start a probe can be that is as good as one on the entry: behind what no probe
// can be on.
std::optional<uint64_t> next_place(const spec::Probe &probe, const elf::Image &image,
                                   const elf::Function &function)
{
    auto text = text_around(image, function.vaddr);
    if (!text)
        return std::nullopt;
    auto [bytes, vaddr] = *text;
    // Implementations of indirect functions have no size: what is behind them counts as theirs.
    constexpr uint64_t large = 2048;
    uint64_t start = function.vaddr - vaddr, left = bytes.size() - start;
    uint64_t size = function.size ? function.size : std::min(left, large);
    auto entry = insn::entry_behind(bytes, start, size);
    bool is_as_good = entry && (entry->keeps_arguments || probe.only_counts);
    return is_as_good ? std::optional(entry->offset) : std::nullopt;
}

// Where in a function's code a probe on its entry goes. What is saved of a call for its return is
// saved anew when a goroutine's stack has grown.
uint64_t entry_offset(const spec::Probe &probe, const elf::Image &image, Bytes code)
{
    if (!image.is_go())
        return insn::entry_offset(code);
    return probe.kind == ProbeKind::Return ? go::call_offset(code) : go::entry_offset(code);
}

// The offset from the function's start of the instruction that a probe goes on.
OrRefused<uint64_t> place_in(const spec::Probe &probe, const elf::Image &image,
                             const elf::Function &function)
{
    if (auto inside = check_inside(probe, image, function); !inside)
        return refuse(inside.error(), "have no code in the file");
    if (!is_x86(image))
        return probe.offset;
    uint64_t offset = probe.offset;
    if (auto code = offset == 0 ? image.bytes_at(function.vaddr, function.size) : std::nullopt)
        offset = entry_offset(probe, image, *code);
    auto refusal = refusal_at(image, function.vaddr + offset, offset == 0);
    if (refusal == insn::Refusal::None)
        return offset;
    if (auto next =
            probe.offset == 0 && !image.is_go() ? next_place(probe, image, function) : std::nullopt)
        return *next;
    std::string place = function.display;
    if (offset)
        place += fmt::format("+{:#x}", offset);
    return refuse(refused_place(image, place, refusal),
                  fmt::format("begin with an instruction that {}", insn::describe(refusal)));
}

OrRefused<Site> function_site(const spec::Probe &probe, const OpenedFile &opened,
                              const elf::Function &function)
{
    const elf::Image &image = *opened.image;
    auto offset = place_in(probe, image, function);
    if (!offset)
        return tl::unexpected(std::move(offset.error()));

    Site site;
    site.name = elf::without_parameters(function.display);
    if (probe.offset)
        site.name += fmt::format("+{:#x}", probe.offset);
    site.function_vaddr = function.vaddr;
    site.vaddr = function.vaddr + *offset;
    site.file_offset = function.file_offset + *offset;
    if (probe.kind == ProbeKind::Return && image.is_go()) {
        auto returns = go_returns(image, opened.file.path, function);
        if (!returns)
            return refuse(std::move(returns.error()), "have returns that cannot be found");
        site.return_offsets = std::move(*returns);
    }
    return site;
}

// An address is the start of an instruction of the function that it is in, if one is known.
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
        return tl::unexpected(refused_place(image, fmt::format("{:#x}", vaddr), refusal));
    return {};
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

// "f()" is a C++ function without parameters, or simply f. Behind a pattern the parentheses say
// nothing: "*()" is every function.
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
    bool is_pattern =
        elf::is_name_glob(probe.function.text) && !probe.function.text.ends_with("operator*");
    if (probe.empty_parentheses && !is_pattern) {
        auto exact = elf::find_functions(*opened.image, probe.function.text + "()", options);
        if (exact)
            return exact;
    }
    return elf::find_functions(*opened.image, probe.function.text, options);
}

// The sites of one file, by how their returns are seen.
class FileResolver {
  public:
    FileResolver(const spec::Probe &probe, const OpenedFile &opened)
        : probe_(probe), opened_(opened), chooser_(opened)
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
            auto added = add_one(function);
            if (!added && single)
                return tl::unexpected(std::move(added.error().error));
            if (!added)
                refusals_[added.error().reason]++;
        }
        chooser_.part_shared_exits(sites_[ReturnsBy::ExitSites]);
        return {};
    }

    Result<> add_address()
    {
        sites_[ReturnsBy::KernelProbe].sites.push_back(TRY(address_site(probe_, opened_)));
        return {};
    }

    // Refusals that belong to no group are added to `refusals`.
    void give_to(std::map<ReturnsBy, Group> &groups, Refusals &refusals)
    {
        for (auto &[by, sites] : sites_) {
            if (sites.sites.empty())
                continue;
            Group &group = groups[by];
            group.returns_by = by;
            for (const auto &[reason, count] : std::exchange(refusals_, {}))
                group.refusals[reason] += count;
            group.files.push_back(std::move(sites));
        }
        for (const auto &[reason, count] : refusals_)
            refusals[reason] += count;
    }

  private:
    static constexpr auto all_ways = {ReturnsBy::KernelProbe, ReturnsBy::ExitSites,
                                      ReturnsBy::GoReturns};

    OrRefused<void> add_one(const elf::Function &function)
    {
        if (function.is_indirect)
            return refuse({}, "are indirect (IFUNC)");
        auto site = function_site(probe_, opened_, function);
        if (!site)
            return tl::unexpected(std::move(site.error()));
        ReturnsBy by = ReturnsBy::KernelProbe;
        bool is_return = probe_.kind == ProbeKind::Return;
        if (is_return && opened_.image->is_go()) {
            by = ReturnsBy::GoReturns;
        } else if (is_return) {
            auto chosen = chooser_.choose(function, *site);
            if (!chosen)
                return refuse(std::move(chosen.error()), "have ways out that are not all known");
            by = *chosen;
        }
        sites_[by].sites.push_back(std::move(*site));
        return {};
    }

    const spec::Probe &probe_;
    const OpenedFile &opened_;
    ReturnChooser chooser_;
    std::map<ReturnsBy, FileSites> sites_;
    Refusals refusals_;
};

}  // namespace

Result<std::vector<Group>> resolve_functions(const spec::Probe &probe,
                                             const std::vector<pid_t> &pids)
{
    std::map<ReturnsBy, Group> found;
    Refusals refusals;
    std::optional<Error> first_error;
    for (OpenedFile &opened : TRY(find_files(probe.library.text, pids))) {
        if (probe.kind == ProbeKind::Return && opened.image->is_go())
            TRY(check_go_returns(*opened.image, opened.file.path));
        FileResolver file(probe, opened);
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
        file.give_to(found, refusals);
    }
    std::vector<Group> groups;
    for (auto &[by, group] : found)
        groups.push_back(std::move(group));
    if (!groups.empty())
        return groups;
    if (first_error)
        return tl::unexpected(std::move(*first_error));
    return fail("{}: no function that {} matches can be probed: {}", probe.library.text,
                probe.function.text, describe(refusals));
}

}  // namespace uscope::resolve
