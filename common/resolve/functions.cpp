// Resolves probes on functions and addresses of programs and libraries.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <elf.h>

#include "base/format.h"
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

// A function that cannot be probed: the message for a probe that names it, and the reason to count
// if it is one of many.
struct Refused {
    Error error;
    std::string reason;
};
template <class T>
using OrRefused = Result<T, Refused>;

Failure<Refused> refuse(Error error, std::string reason)
{
    return Failure(Refused{std::move(error), std::move(reason)});
}

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

// A file's code, by segments.
class Code {
  public:
    explicit Code(const elf::Image &image) : image_(image) {}

    // Is `offset` as good for an entry probe as the function's start? It is if nothing else leads
    // there.
    bool is_as_good(const elf::Function &function, uint64_t offset, uint64_t most_text)
    {
        const elf::Segment *segment = segment_of(function.vaddr);
        auto text = segment ? image_.bytes_at(segment->vaddr, segment->file_size) : std::nullopt;
        if (!text || text->size() > most_text)
            return false;
        auto &branches = branches_.try_emplace(segment->vaddr, *text).first->second;
        uint64_t start = function.vaddr - segment->vaddr;
        return !branches.lead_after(start, bytes_of(function).size(), offset);
    }

    Bytes bytes_of(const elf::Function &function) const
    {
        // Implementations of indirect functions have no size: assume that the code after their
        // start is theirs.
        constexpr uint64_t large = 2048;
        const elf::Segment *segment = segment_of(function.vaddr);
        uint64_t left = segment ? segment->vaddr + segment->file_size - function.vaddr : 0;
        uint64_t size = function.size ? function.size : std::min(left, large);
        return image_.bytes_at(function.vaddr, size).value_or(Bytes());
    }

  private:
    const elf::Segment *segment_of(uint64_t vaddr) const
    {
        for (const elf::Segment &segment : image_.segments()) {
            if (segment.executable && vaddr - segment.vaddr < segment.file_size)
                return &segment;
        }
        return nullptr;
    }

    const elf::Image &image_;
    std::map<uint64_t, insn::Branches> branches_;  // by their segment's address
};

// Returns the entry's offset if a probe there is as good as one on the function's first
// instruction.
std::optional<uint64_t> offset_if_as_good(const spec::Probe &probe, Code &code,
                                          const elf::Function &function,
                                          std::optional<insn::Entry> entry, uint64_t most_text)
{
    if (!entry)
        return std::nullopt;
    bool keeps = entry->keeps_arguments || probe.arguments == spec::ArgumentUse::None ||
                 (probe.arguments == spec::ArgumentUse::First && entry->keeps_first);
    bool is_as_good = keeps && code.is_as_good(function, entry->offset, most_text);
    return is_as_good ? std::optional(entry->offset) : std::nullopt;
}

// Returns the offset of an entry probe that avoids instructions that cannot have a probe, or
// nullopt.
std::optional<uint64_t> next_offset(const spec::Probe &probe, Code &code,
                                    const elf::Function &function)
{
    auto entry = insn::entry_after_vectors(code.bytes_of(function));
    return offset_if_as_good(probe, code, function, entry, SIZE_MAX);
}

// Returns the offset of an entry probe on an instruction that the kernel need not single-step, or
// nullopt. Only for segments where checking that nothing else leads there is cheap: it takes a
// millisecond for each megabyte of code.
std::optional<uint64_t> cheap_offset(const spec::Probe &probe, Code &code,
                                     const elf::Function &function)
{
    constexpr uint64_t most_text = 8 << 20;
    if (probe.reads_registers)
        return std::nullopt;
    auto entry = insn::cheap_entry(code.bytes_of(function), probe.may_miss_faults);
    return offset_if_as_good(probe, code, function, entry, most_text);
}

// Returns where in a function's code a probe on its entry goes. Go code may run the entry twice for
// one call; a program that saves data of a call for its return recognizes that at the stack check
// (expr/compile_call.cpp).
uint64_t entry_offset(const spec::Probe &probe, const elf::Image &image, Bytes code)
{
    if (!image.is_go())
        return insn::entry_offset(code);
    return probe.kind == ProbeKind::Return ? go::call_offset(code) : go::entry_offset(code);
}

// Returns the offset from the function's start at which to place a probe.
OrRefused<uint64_t> probe_offset(const spec::Probe &probe, const elf::Image &image, Code &code,
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

OrRefused<Site> function_site(const spec::Probe &probe, const OpenedFile &opened, Code &code,
                              const elf::Function &function)
{
    const elf::Image &image = *opened.image;
    auto offset = probe_offset(probe, image, code, function);
    if (!offset)
        return Failure(std::move(offset.error()));

    Site site;
    site.name = elf::without_parameters(function.display);
    site.parameters = function.display.substr(site.name.size());
    if (size_t copy = site.parameters.find(" [clone "); copy != std::string::npos)
        site.parameters.resize(copy);
    if (probe.offset)
        site.name += fmt::format("+{:#x}", probe.offset);
    site.notes = function.notes;
    site.function_vaddr = function.vaddr;
    site.vaddr = function.vaddr + *offset;
    site.file_offset = function.file_offset + *offset;
    if (probe.kind == ProbeKind::Return && image.is_go()) {
        auto returns = go_returns(image, opened.file.path, function);
        if (!returns)
            return refuse(std::move(returns.error()), "have returns that cannot be found");
        if (std::count(returns->begin(), returns->end(), function.file_offset))
            site.lone_return_offsets = {function.file_offset};
        site.return_offsets = std::move(*returns);
    }
    return site;
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

// Returns the implementations of an indirect function that the processes use.
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
    std::string way = pids.empty() ? "use -p PID to trace the one that process uses"
                                   : "the process does not show which one it uses";
    if (!names.empty())
        way += fmt::format(", {}name one: {}", pids.empty() ? "or " : "", join(names, ", "));
    return fail(
        "{}:{} is an indirect function (IFUNC): {} chooses its implementation when a program "
        "starts; {}",
        probe.library.text, function.display, opened.file.path, way);
}

// "f()" is a C++ function without parameters, or simply f. Parentheses after a pattern mean
// nothing: "*()" matches every function.
Result<std::vector<elf::Function>> find_functions(const spec::Probe &probe,
                                                  const OpenedFile &opened)
{
    elf::SymbolOptions options = {
        .root = opened.file.root, .path = opened.file.path, .notes = true};
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

// Collects the sites of one file, by their return method.
class FileResolver {
  public:
    FileResolver(const spec::Probe &probe, const OpenedFile &opened)
        : probe_(probe), opened_(opened), code_(*opened.image), chooser_(opened)
    {
        for (ReturnMethod by : all_methods)
            sites_[by] = {opened.file, opened.image, {}};
    }

    struct NotAdded {
        Error error;
        bool may_be_elsewhere;  // the file has no such function; another one may
    };
    Result<void, NotAdded> add_all(const std::vector<pid_t> &pids)
    {
        auto cannot = [](Error &error, bool may_be_elsewhere = false) {
            return Failure(NotAdded{std::move(error), may_be_elsewhere});
        };
        if (probe_.kind == ProbeKind::Return && opened_.image->is_go()) {
            if (auto known = check_go_returns(*opened_.image, opened_.file.path); !known)
                return cannot(known.error());
        }
        if (probe_.is_address) {
            auto added = add_address();
            return added ? Result<void, NotAdded>() : cannot(added.error());
        }
        auto functions = find_functions(probe_, opened_);
        if (!functions)
            return cannot(functions.error(), true);
        auto added = add(std::move(*functions), pids);
        return added ? Result<void, NotAdded>() : cannot(added.error());
    }

    // Moves the sites to their groups; adds refusals without a group to `refusals`.
    void move_to(std::map<ReturnMethod, Group> &groups, Refusals &refusals)
    {
        for (auto &[by, sites] : sites_) {
            if (sites.sites.empty())
                continue;
            Group &group = groups[by];
            group.return_method = by;
            for (const auto &[reason, count] : std::exchange(refusals_, {}))
                group.refusals[reason] += count;
            group.files.push_back(std::move(sites));
        }
        for (const auto &[reason, count] : refusals_)
            refusals[reason] += count;
    }

  private:
    // A single function must be one that can be probed; of several, those that cannot are counted.
    Result<> add(std::vector<elf::Function> functions, const std::vector<pid_t> &pids)
    {
        leave_out_copies(functions);
        bool single = functions.size() == 1;
        if (single && functions.front().is_indirect)
            functions = TRY(implementations(probe_, opened_, functions.front(), pids));
        else
            functions = with_implementations(std::move(functions), pids);
        if (!single)
            leave_out_indirect(functions, pids);
        for (const elf::Function &function : functions) {
            auto added = add_one(function);
            if (!added && single)
                return Failure(std::move(added.error().error));
            if (!added)
                refusals_[added.error().reason]++;
        }
        chooser_.separate_shared_exits(sites_[ReturnMethod::ExitSites]);
        return {};
    }

    // Replaces indirect functions among the matches by the implementations that the processes use,
    // if the processes show them. Several functions may have the same implementation, which may
    // also match itself.
    std::vector<elf::Function> with_implementations(std::vector<elf::Function> functions,
                                                    const std::vector<pid_t> &pids)
    {
        std::set<uint64_t> addresses;
        for (const elf::Function &function : functions) {
            if (!function.is_indirect)
                addresses.insert(function.vaddr);
        }
        std::vector<elf::Function> result;
        for (elf::Function &function : functions) {
            std::vector<elf::Function> chosen;
            if (function.is_indirect)
                chosen =
                    chosen_implementations(*opened_.image, opened_.file.open_path, function, pids);
            if (chosen.empty())
                result.push_back(std::move(function));
            for (elf::Function &implementation : chosen) {
                if (addresses.insert(implementation.vaddr).second)
                    result.push_back(std::move(implementation));
            }
        }
        return result;
    }

    Result<> add_address()
    {
        sites_[ReturnMethod::KernelProbe].sites.push_back(TRY(address_site(probe_, opened_)));
        return {};
    }

    // Removes a compiler's copies of the function if its arguments, or code at an offset, may be
    // elsewhere in them.
    void leave_out_copies(std::vector<elf::Function> &functions)
    {
        bool fits = (probe_.arguments == spec::ArgumentUse::None || probe_.is_same_in_copies) &&
                    !probe_.offset;
        if (fits)
            return;
        size_t left = std::erase_if(functions, [](const auto &f) { return f.is_copy; });
        if (left)
            refusals_[fmt::format("are copies of {} with other parameters ('{}.*' includes them)",
                                  probe_.function.text, probe_.function.text)] += left;
    }

    // Removes the indirect functions that with_implementations() could not replace: it is not known
    // which code they run.
    void leave_out_indirect(std::vector<elf::Function> &functions, const std::vector<pid_t> &pids)
    {
        constexpr size_t most_names = 5;
        std::vector<std::string> names;
        for (const elf::Function &function : functions) {
            if (function.is_indirect)
                names.push_back(function.display);
        }
        if (names.empty())
            return;
        std::erase_if(functions, [](const auto &f) { return f.is_indirect; });
        size_t count = names.size();
        names.resize(std::min(count, most_names));
        refusals_[fmt::format("are indirect (IFUNC), and {}: {}{}",
                              pids.empty() ? "only -p shows which code runs"
                                           : "the process does not show which code runs",
                              join(names, ", "), count > most_names ? ", …" : "")] += count;
    }

    static constexpr auto all_methods = {ReturnMethod::KernelProbe, ReturnMethod::ExitSites,
                                         ReturnMethod::GoReturns};

    OrRefused<void> add_one(const elf::Function &function)
    {
        auto site = function_site(probe_, opened_, code_, function);
        if (!site)
            return Failure(std::move(site.error()));
        ReturnMethod by = ReturnMethod::KernelProbe;
        bool is_return = probe_.kind == ProbeKind::Return;
        if (is_return && opened_.image->is_go()) {
            by = ReturnMethod::GoReturns;
        } else if (is_return) {
            auto chosen = chooser_.choose(function, *site);
            if (!chosen)
                return refuse(std::move(chosen.error()),
                              "have return points that could not all be found");
            by = *chosen;
        }
        sites_[by].sites.push_back(std::move(*site));
        return {};
    }

    const spec::Probe &probe_;
    const OpenedFile &opened_;
    Code code_;
    ReturnChooser chooser_;
    std::map<ReturnMethod, FileSites> sites_;
    Refusals refusals_;
};

}  // namespace

Result<std::vector<Group>> resolve_functions(const spec::Probe &probe,
                                             const std::vector<pid_t> &pids,
                                             const OpenedFile *opened_before)
{
    auto files = opened_before ? std::vector<OpenedFile>{*opened_before}
                               : TRY(find_files(probe.library.text, pids));
    std::map<ReturnMethod, Group> found;
    Refusals refusals;
    std::optional<Error> first_error;
    for (OpenedFile &opened : files) {
        FileResolver file(probe, opened);
        auto added = file.add_all(pids);
        if (!added && !first_error)
            first_error = added.error().error;
        if (!added && !added.error().may_be_elsewhere && !is_glob(probe.library.text))
            return Failure(std::move(added.error().error));
        file.move_to(found, refusals);
    }
    std::vector<Group> groups;
    for (auto &[by, group] : found)
        groups.push_back(std::move(group));
    if (!groups.empty())
        return groups;
    if (first_error && is_glob(probe.library.text) && refusals.empty())
        return fail("no file that {} matches has a function {} that can be probed",
                    probe.library.text, probe.function.text);
    if (first_error && refusals.empty())
        return Failure(std::move(*first_error));
    return fail("{}: no function that {} matches can be probed: {}", probe.library.text,
                probe.function.text, describe(refusals));
}

}  // namespace uscope::resolve
