// Compiles the programs of a group of sites, and divides the sites among them.
#include "probe/program.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "bpf/lib/site.h"
#include "expr/compile.h"
#include "probe/build_options.h"
#include "probe/request.h"
#include "resolve/names.h"

namespace uscope::probe {

Program::Program() = default;
Program::~Program() = default;

using spec::ProbeKind;

const std::string &Program::site_name(uint32_t number) const
{
    return site_names[number && number <= site_names.size() ? number - 1 : 0];
}

bool Program::misses_kernel_caller() const
{
    return abi::host_machine == abi::Machine::Aarch64 && group.is_kernel &&
           probe->spec.kind == spec::ProbeKind::Entry && !probe->spec.offset;
}

namespace {

// Returns the names of the sites, or a single name if all are equal. Names of overloaded functions
// include the parameters.
std::vector<std::string> name_sites(const resolve::Group &group)
{
    std::map<std::string_view, std::set<std::string_view>> overloads;
    for (const auto &file : group.files)
        for (const auto &site : file.sites)
            overloads[site.name].insert(site.parameters);
    std::vector<std::string> names;
    for (const auto &file : group.files)
        for (const auto &site : file.sites)
            names.push_back(site.is_overload || overloads[site.name].size() > 1
                                ? site.name + site.parameters
                                : site.name);
    bool same = std::all_of(names.begin(), names.end(),
                            [&](const std::string &name) { return name == names[0]; });
    if (same)
        names.resize(1);
    return names;
}

// Are some exits of these functions also exits of other functions?
bool shares_exits(const resolve::Group &group)
{
    return std::any_of(group.files.begin(), group.files.end(), [](const auto &file) {
        return std::any_of(file.sites.begin(), file.sites.end(), [](const resolve::Site &site) {
            return !site.borrowed_offsets.empty() || !site.tail_call_offsets.empty();
        });
    });
}

bool is_by_branch(const resolve::Group &group)
{
    return group.has_branches() && !group.is_tail_calls;
}

expr::ProgramRequest request_for(const Program &program, const BuildOptions &options,
                                 uint32_t number)
{
    const ProbeRequest &probe = *program.probe;
    bool is_kernel = program.group.is_kernel || probe.spec.kind == ProbeKind::Tracepoint;
    expr::ProgramRequest request;
    request.scope = &program.names->scope();
    request.condition = probe.condition.get();
    request.predicate = probe.predicate.get();
    for (const Value &value : probe.values)
        request.outputs.push_back({value.node.get(), value.form});
    for (const expr::NodeRef &value : program.shown_values)
        request.outputs.push_back({value.get(), expr::ValueForm::Natural});
    if (program.goroutine)
        request.outputs.push_back({program.goroutine.get(), expr::ValueForm::Integer});
    request.measured = probe.measured.get();
    request.buckets = probe.buckets;
    for (const Addend &addend : probe.addends)
        request.addends.push_back({addend.node.get(), addend.text});
    request.event_output = probe.event_output;
    if (program.group.is_tail_calls && !probe.tail_call_function.empty())
        request.event_output.function = probe.tail_call_function;
    request.filter = options.filter;
    if (!is_kernel) {
        request.filter.not_tgid.reset();  // the tool itself maps none of the traced files
        if (options.kernel_filters && request.filter.tgids.size() == 1)
            request.filter.tgids.clear();
    }
    request.sampled = options.sampled;
    request.probe = number;
    request.string_bytes = options.string_bytes;
    request.small_string_bytes = options.small_string_bytes;
    request.sleepable = options.sleepable && !is_kernel;
    if (program.group.is_go_return())
        request.calls.key = probe.lookup.other_ends.empty() ? expr::CallIdentity::Goroutine
                                                            : expr::CallIdentity::OnlyOfGoroutine;
    else if (program.group.is_at_exits())
        request.calls.key = expr::CallIdentity::Function;
    request.calls.shares_exits =
        request.calls.key == expr::CallIdentity::Function && shares_exits(program.group);
    request.calls.at_branches = is_by_branch(program.group);
    request.source = probe.spec.source;
    return request;
}

Result<> add_shown(Program &program)
{
    if (!program.probe->shows_all)
        return {};
    program.shown = program.names->shown();
    for (size_t i = 0; i < program.shown.size(); i++) {
        if (program.shown[i].why.empty())
            program.shown_values.push_back(TRY(expr::parse(fmt::format("$shown{}", i))));
    }
    return {};
}

// Does a call's record need the site's number? It does if the program serves several functions, or
// if their exits are also exits of other functions: then the number says which function's call an
// exit ends.
bool numbers_calls(const resolve::Group &group)
{
    return group.return_method == resolve::ReturnMethod::ExitSites &&
           (shares_exits(group) || group.site_count() > 1);
}

// `is_entry`: for the program of the entry, to which the branches at the exits do not matter.
SiteIdentity identity(const Program &program, const BuildOptions &options, bool is_entry = false)
{
    const resolve::Group &group = program.group;
    bool is_reported = program.site_names.size() > 1 && program.probe->numbers_sites;
    bool is_numbered = is_reported || numbers_calls(group) || (!is_entry && is_by_branch(group));
    if (group.tracepoint || !is_numbered)
        return SiteIdentity::None;
    if (group.is_kernel)
        return options.has_kernel_cookies ? SiteIdentity::Cookie : SiteIdentity::Separate;
    if (options.has_cookies)
        return SiteIdentity::Cookie;
    bool is_at_site = program.probe->spec.kind != ProbeKind::Return || group.is_at_exits();
    return is_at_site ? SiteIdentity::AddressBits : SiteIdentity::Separate;
}

// The flags of bpf/lib/site.h that say where the program runs.
uint64_t site_flags(const Program &program)
{
    const spec::Probe &spec = program.probe->spec;
    if (program.group.tracepoint || program.group.is_kernel)
        return SITE_IN_KERNEL | (program.misses_kernel_caller() ? SITE_AT_ENTRY : 0);
    if (program.group.is_at_exits())
        return SITE_AT_EXIT | (is_by_branch(program.group) ? SITE_BY_BRANCH : 0);
    bool is_at_start = spec.kind == spec::ProbeKind::Entry && !spec.offset &&
                       (!spec.is_address || spec.needs.function_bytes);
    return is_at_start ? SITE_AT_ENTRY : 0;
}

}  // namespace

Result<std::unique_ptr<Program>> compile(const ProbeRequest &probe, resolve::Group group,
                                         const BuildOptions &options, uint32_t number)
{
    auto program = std::make_unique<Program>();
    program->probe = &probe;
    program->group = std::move(group);
    program->names = std::make_unique<resolve::Names>(probe.spec, program->group);
    program->site_names = name_sites(program->group);
    TRY(add_shown(*program));
    if (probe.shows_goroutine && program->names->is_go())
        program->goroutine = TRY(expr::parse("$goid"));

    expr::ProgramRequest request = request_for(*program, options, number);
    if (probe.spec.kind == ProbeKind::Return)
        program->entry = TRY(expr::compile_entry(request));
    // `checks_at_entry` identifies a call by its stack pointer, but when a session program runs at
    // the return of a kernel function, it does not get that stack pointer.
    bool shows_stack = !program->group.is_kernel || !request.event_output.checks_at_entry;
    if (program->entry && options.session && shows_stack) {
        request.calls.session = options.session(program->group.is_kernel);
        program->entry = TRY(expr::compile_entry(request));
    }
    program->main = TRY(expr::compile(request));
    return program;
}

Result<> recompile_entry(Program &program, const BuildOptions &options, uint32_t number,
                         uint32_t least_call_bytes)
{
    expr::ProgramRequest request = request_for(program, options, number);
    request.calls.least_bytes = least_call_bytes;
    program.entry = TRY(expr::compile_entry(request));
    return {};
}

Result<std::unique_ptr<Program>> compile_tail_calls(const Program &owner, uint32_t owner_number,
                                                    const BuildOptions &options, uint32_t number)
{
    auto program = std::make_unique<Program>();
    program->probe = owner.probe;
    program->group = owner.group;
    program->group.is_tail_calls = true;
    bool any = false;
    for (resolve::FileSites &file : program->group.files) {
        for (resolve::Site &site : file.sites)
            any |= !site.tail_call_offsets.empty();
    }
    if (!any)
        return std::unique_ptr<Program>();
    program->names = std::make_unique<resolve::Names>(owner.probe->spec, program->group);
    program->site_names = owner.site_names;
    TRY(add_shown(*program));
    expr::ProgramRequest request = request_for(*program, options, number);
    request.calls.number = owner_number;
    auto main = expr::compile(request);
    if (!main) {  // the probe needs the result: only delete the call's record
        request.calls.only_deletes_record = true;
        main = expr::compile(request);
    }
    program->main = TRY(std::move(main));
    return program;
}

namespace {

// Returns the sites whose probe is on a Go function's stack check (`at_check`), or all other sites.
std::vector<Sites> sites_by_check(const resolve::Group &group, const std::vector<Sites> &sites,
                                  bool at_check)
{
    std::vector<Sites> wanted(sites.size());
    for (size_t file = 0; file < sites.size(); file++) {
        for (size_t i = 0; i < sites[file].size(); i++) {
            const resolve::Site &site = group.files[file].sites[i];
            if ((site.vaddr != site.function_vaddr) == at_check)
                wanted[file].push_back(sites[file][i]);
        }
    }
    return wanted;
}

bool any_site(const std::vector<Sites> &files)
{
    return std::any_of(files.begin(), files.end(), [](const Sites &file) { return !file.empty(); });
}

// Entry programs at a stack check need SITE_AT_STACK_CHECK, so they get parts of their own.
std::vector<Part> split_go_entries(const resolve::Group &group, const std::vector<Sites> &sites,
                                   SiteIdentity by, uint32_t &site_entries)
{
    std::vector<Part> parts;
    for (bool at_check : {false, true}) {
        auto wanted = sites_by_check(group, sites, at_check);
        if (!any_site(wanted))
            continue;
        for (Part &part : split_sites(wanted, by, site_entries)) {
            part.site |= at_check ? SITE_AT_STACK_CHECK : 0;
            parts.push_back(std::move(part));
        }
    }
    return parts;
}

}  // namespace

void divide(Program &program, const BuildOptions &options, SiteTableSizes &used)
{
    const resolve::Group &group = program.group;
    SiteIdentity by = identity(program, options);
    auto sites = number_sites(group, program.site_names.size() > 1 || numbers_calls(group));
    const std::vector<Sites> entries = sites;
    bool is_at_sites = !group.is_at_exits();
    const ProbeRequest &probe = *program.probe;
    bool is_reported = !is_at_sites || (probe.event_output.checks_at_entry && probe.numbers_sites);
    SiteIdentity by_entry = is_reported ? identity(program, options, true) : SiteIdentity::None;
    if (program.entry && group.is_go_return())
        program.entry_parts = split_go_entries(group, sites, by_entry, used.sites);
    else if (program.entry)
        program.entry_parts = split_sites(sites, by_entry, used.sites);
    bool has_all = !is_at_sites && !program.names->uses_result();
    if (group.is_tail_calls)
        sites = tail_call_sites(group, sites);
    else if (!is_at_sites)
        sites = return_sites(group, sites, has_all);
    if (is_by_branch(group)) {
        program.first_exit = used.exits;
        program.exits = describe_exits(group, entries, used.exits, sites);
        used.exits += program.exits.size();
    }
    program.parts = split_sites(sites, by, used.sites);
    for (Part &part : program.parts)
        part.site |= site_flags(program);
}

}  // namespace uscope::probe
