// Resolves probes on functions and addresses of programs and libraries.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "elf/functions.h"
#include "elf/name_pattern.h"
#include "elf/unnamed_functions.h"
#include "resolve/files.h"
#include "resolve/function_sites.h"
#include "resolve/go_returns.h"
#include "resolve/indirect.h"
#include "resolve/kinds.h"
#include "resolve/patterns.h"
#include "resolve/returns.h"

namespace uscope::resolve {
namespace {

using spec::ProbeKind;

// Returns those implementations of an indirect function that the processes use. Fails if the
// processes do not show them.
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
    std::string advice = pids.empty() ? "use -p PID to trace the one that the process uses"
                                      : "the process does not show which one it uses";
    if (!names.empty())
        advice += fmt::format("{}name one: {}", pids.empty() ? ", or " : "; ", join(names, ", "));
    return fail(
        "{}:{} is an indirect function (IFUNC): {} chooses its implementation when a program "
        "starts; {}",
        probe.library.text, function.display, opened.file.path, advice);
}

// Returns the function at an address, with the size that the tool knows.
Result<elf::Function> function_of_known_size(const spec::Probe &probe, const OpenedFile &opened)
{
    elf::Function function;
    function.vaddr = parse_number(probe.function.text).value_or(0);
    function.size = probe.needs.function_bytes;
    function.name = function.display = elf::start_name(function.vaddr);
    auto offset = opened.image->file_offset(function.vaddr);
    if (!offset || !opened.image->bytes_at(function.vaddr, function.size) ||
        !opened.image->is_executable(function.vaddr))
        return fail("{} has no code at address {:#x}", opened.file.path, function.vaddr);
    function.file_offset = *offset;
    return function;
}

// "f()" is a C++ function without parameters, or simply f. Parentheses after a pattern mean
// nothing: "*()" matches every function.
Result<std::vector<elf::Function>> find_functions(const spec::Probe &probe,
                                                  const OpenedFile &opened)
{
    elf::SymbolOptions options = symbol_options(opened.file);
    options.notes = true;
    if (probe.is_address && probe.needs.function_bytes)
        return std::vector<elf::Function>{TRY(function_of_known_size(probe, opened))};
    if (probe.is_address)
        return elf::find_functions(*opened.image, "+" + probe.function.text, options);
    if (probe.is_regex) {
        const std::string &text = probe.function.text;
        options.unnamed = text.starts_with("\\+") || text.starts_with("^\\+");
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
    FileResolver(const spec::Probe &probe, const OpenedFile &opened, const ReturnPolicy &returns)
        : probe_(probe),
          opened_(opened),
          code_(*opened.image),
          chooser_(opened, returns, probe.needs.branches)
    {
        for (ReturnMethod method : all_methods)
            sites_[method] = {opened.file, opened.image, {}};
    }

    struct AddError {
        Error error;
        bool may_be_elsewhere;  // the file has no such function; another one may
    };
    Result<void, AddError> add_all(const std::vector<pid_t> &pids)
    {
        auto failure = [](Error &error, bool may_be_elsewhere = false) {
            return Failure(AddError{std::move(error), may_be_elsewhere});
        };
        if (probe_.kind == ProbeKind::Return && opened_.image->is_go()) {
            if (auto checked = check_go_returns(*opened_.image, opened_.file.path); !checked)
                return failure(checked.error());
        }
        bool is_instruction = probe_.is_address && !probe_.needs.function_bytes;
        if (is_instruction && probe_.kind == ProbeKind::Entry) {
            auto added = add_address();
            return added ? Result<void, AddError>() : failure(added.error());
        }
        if (probe_.line.number) {
            auto added = add_line();
            return added ? Result<void, AddError>() : failure(added.error(), true);
        }
        auto functions = find_functions(probe_, opened_);
        if (!functions)
            return failure(functions.error(), true);
        auto added = add(std::move(*functions), pids);
        return added ? Result<void, AddError>() : failure(added.error());
    }

    // Moves the sites to the groups of their return methods. The refusals go to the first of these
    // groups, or to `refusals` if the file has no sites.
    void move_to(std::map<ReturnMethod, Group> &groups, Refusals &refusals)
    {
        for (auto &[method, file_sites] : sites_) {
            if (file_sites.sites.empty())
                continue;
            Group &group = groups[method];
            group.return_method = method;
            for (const auto &[reason, count] : std::exchange(refusals_, {}))
                group.refusals[reason] += count;
            group.files.push_back(std::move(file_sites));
        }
        for (const auto &[reason, count] : refusals_)
            refusals[reason] += count;
    }

  private:
    // If there is only one function, fails if it cannot be probed. If there are several, counts
    // those that cannot be probed.
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
    // if the processes show them. Several functions may share an implementation, which may also be
    // one of the matches; it is returned once.
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

    Result<> add_line()
    {
        for (Site &site : TRY(line_sites(probe_, opened_)))
            sites_[ReturnMethod::KernelProbe].sites.push_back(std::move(site));
        return {};
    }

    // Removes the compiler's copies of the function (f.constprop.0) if the probe reads arguments or
    // is at an offset: in a copy, both may be elsewhere.
    void leave_out_copies(std::vector<elf::Function> &functions)
    {
        bool fits =
            (probe_.needs.arguments == spec::ArgumentUse::None || probe_.needs.is_same_in_copies) &&
            !probe_.offset;
        if (fits)
            return;
        size_t removed = std::erase_if(functions, [](const auto &f) { return f.is_copy; });
        if (removed)
            refusals_[fmt::format("are copies of {} with other parameters ('{}.*' includes them)",
                                  probe_.function.text, probe_.function.text)] += removed;
    }

    // Removes the indirect functions that with_implementations() could not replace: it is not known
    // which code they run.
    void leave_out_indirect(std::vector<elf::Function> &functions, const std::vector<pid_t> &pids)
    {
        constexpr size_t max_names = 5;
        std::vector<std::string> names;
        for (const elf::Function &function : functions) {
            if (function.is_indirect)
                names.push_back(function.display);
        }
        if (names.empty())
            return;
        std::erase_if(functions, [](const auto &f) { return f.is_indirect; });
        size_t count = names.size();
        names.resize(std::min(count, max_names));
        refusals_[fmt::format("are indirect (IFUNC), and {}: {}{}",
                              pids.empty() ? "only -p shows which code runs"
                                           : "the process does not show which code runs",
                              join(names, ", "), count > max_names ? ", …" : "")] += count;
    }

    static constexpr auto all_methods = {ReturnMethod::KernelProbe, ReturnMethod::ExitSites,
                                         ReturnMethod::GoReturns};

    OrRefused<void> add_one(const elf::Function &function)
    {
        auto site = function_site(probe_, opened_, code_, function);
        if (!site)
            return Failure(std::move(site.error()));
        ReturnMethod method = ReturnMethod::KernelProbe;
        bool is_return = probe_.kind == ProbeKind::Return;
        if (is_return && opened_.image->is_go()) {
            method = ReturnMethod::GoReturns;
        } else if (is_return) {
            auto chosen = chooser_.choose(function, *site);
            if (!chosen)
                return refuse(std::move(chosen.error()),
                              "have return points that could not all be found");
            method = *chosen;
        }
        sites_[method].sites.push_back(std::move(*site));
        return {};
    }

    const spec::Probe &probe_;
    const OpenedFile &opened_;
    FileCode code_;
    ReturnChooser chooser_;
    std::map<ReturnMethod, FileSites> sites_;
    Refusals refusals_;
};

void separate_sites(const Group &group, std::vector<Group> &groups)
{
    for (const FileSites &file : group.files) {
        for (const Site &site : file.sites) {
            Group single = group;
            single.is_one_of_several = group.site_count() > 1;
            single.files = {{file.file, file.image, {site}}};
            groups.push_back(std::move(single));
        }
    }
}

}  // namespace

Result<std::vector<Group>> resolve_functions(const spec::Probe &probe,
                                             const std::vector<pid_t> &pids,
                                             const OpenedFile *opened, const ReturnPolicy &returns)
{
    auto files =
        opened ? std::vector<OpenedFile>{*opened} : TRY(find_files(probe.library.text, pids));
    std::map<ReturnMethod, Group> found;
    Refusals refusals;
    std::optional<Error> first_error;
    for (OpenedFile &file : files) {
        FileResolver resolver(probe, file, returns);
        auto added = resolver.add_all(pids);
        if (!added && !first_error)
            first_error = added.error().error;
        if (!added && !added.error().may_be_elsewhere && !is_glob(probe.library.text))
            return Failure(std::move(added.error().error));
        resolver.move_to(found, refusals);
    }
    std::vector<Group> groups;
    for (auto &[method, group] : found) {
        if (probe.line.number)  // variables are in other places at each site
            separate_sites(group, groups);
        else
            groups.push_back(std::move(group));
    }
    if (!groups.empty())
        return groups;
    if (first_error && is_glob(probe.library.text) && refusals.empty())
        return fail("no file that matches {} has a function {} that can be probed",
                    probe.library.text, probe.function.text);
    if (first_error && refusals.empty())
        return Failure(std::move(*first_error));
    return fail("{}: no function that matches {} can be probed: {}", probe.library.text,
                probe.function.text, describe(refusals));
}

}  // namespace uscope::resolve
