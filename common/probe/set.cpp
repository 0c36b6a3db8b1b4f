#include "probe/set.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "lib/site.h"
#include "proc/maps.h"

namespace uscope::probe {

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

// Names each site; one name when all have the same.
std::vector<std::string> name_sites(const resolve::Group &group)
{
    std::vector<std::string> names;
    for (const auto &file : group.files) {
        for (const auto &site : file.sites)
            names.push_back(site.name);
    }
    bool same = std::all_of(names.begin(), names.end(),
                            [&](const std::string &name) { return name == names[0]; });
    if (same)
        names.resize(1);
    return names;
}

// Are some of its ways out also those of other functions?
bool shares_exits(const resolve::Group &group)
{
    return std::any_of(group.files.begin(), group.files.end(), [](const auto &file) {
        return std::any_of(file.sites.begin(), file.sites.end(), [](const resolve::Site &site) {
            return !site.borrowed_offsets.empty() || !site.tail_call_offsets.empty();
        });
    });
}

expr::ProgramRequest request_for(const Program &program, const BuildOptions &options,
                                 uint32_t number)
{
    const Parsed &parsed = *program.probe;
    bool is_kernel = program.group.is_kernel || parsed.spec.kind == ProbeKind::Tracepoint;
    expr::ProgramRequest request;
    request.scope = &program.names->scope();
    request.condition = parsed.condition.get();
    request.predicate = parsed.predicate.get();
    for (size_t i = 0; i < parsed.values.size(); i++)
        request.outputs.push_back({parsed.values[i].get(), parsed.wanted[i]});
    if (program.goroutine)
        request.outputs.push_back({program.goroutine.get(), expr::Wanted::Integer});
    request.measured = parsed.measured.get();
    request.buckets = parsed.buckets;
    request.checks_at_entry = parsed.delivery.checks_at_entry;
    request.sink = parsed.delivery.sink;
    request.emit = parsed.delivery.function;
    request.check_function = parsed.delivery.check_function;
    request.header_bytes = parsed.delivery.header_bytes;
    request.filter = options.filter;
    if (!is_kernel) {
        request.filter.not_tgid.reset();  // our own code maps none of the traced files
        if (options.kernel_filters && request.filter.tgids.size() == 1)
            request.filter.tgids.clear();
    }
    request.probe = number;
    request.string_bytes = options.string_bytes;
    request.small_string_bytes = options.small_string_bytes;
    request.sleepable = options.sleepable && !is_kernel;
    if (program.group.is_go_return())
        request.call_key = parsed.other_ends.empty() ? expr::CallIdentity::Goroutine
                                                     : expr::CallIdentity::OnlyOfGoroutine;
    else if (program.group.is_at_exits())
        request.call_key = expr::CallIdentity::Function;
    request.shares_exits =
        request.call_key == expr::CallIdentity::Function && shares_exits(program.group);
    request.source = parsed.spec.source;
    return request;
}

// Calls of several functions are told apart by their sites, too, and so are ways out that are those of
// other functions as well.
bool tells_calls(const resolve::Group &group)
{
    return group.returns_by == resolve::ReturnsBy::ExitSites &&
           (shares_exits(group) || group.site_count() > 1);
}

SiteIdentity identity(const Program &program, const BuildOptions &options)
{
    const resolve::Group &group = program.group;
    bool is_told = program.site_names.size() > 1 && program.probe->delivery.tells_sites;
    if (group.tracepoint || (!is_told && !tells_calls(group)))
        return SiteIdentity::None;
    if (group.is_kernel)
        return options.has_kernel_cookies ? SiteIdentity::Cookie : SiteIdentity::Separate;
    if (options.has_cookies)
        return SiteIdentity::Cookie;
    bool is_at_site = program.probe->spec.kind != ProbeKind::Return || group.is_at_exits();
    return is_at_site ? SiteIdentity::AddressBits : SiteIdentity::Separate;
}

Result<std::unique_ptr<Program>> compile(const Parsed &parsed, resolve::Group group,
                                         const BuildOptions &options, uint32_t number)
{
    auto program = std::make_unique<Program>();
    program->probe = &parsed;
    program->group = std::move(group);
    program->names = std::make_unique<resolve::Names>(parsed.spec, program->group);
    program->site_names = name_sites(program->group);
    if (parsed.tells_goroutine && program->names->is_go())
        program->goroutine = TRY(expr::parse("$goid"));

    expr::ProgramRequest request = request_for(*program, options, number);
    if (parsed.spec.kind == ProbeKind::Return)
        program->entry = TRY(expr::compile_entry(request));
    // What is asked at entry tells calls apart by the stack pointer, which a return of the kernel's
    // own sessions does not show.
    bool shows_stack = !program->group.is_kernel || !request.checks_at_entry;
    if (program->entry && options.session && shows_stack) {
        request.session = options.session(program->group.is_kernel);
        program->entry = TRY(expr::compile_entry(request));
    }
    program->main = TRY(expr::compile(request));
    return program;
}

// The places of one probe or, joined, of several.
struct Found {
    const Parsed *probe;
    resolve::Group group;
};

void join_files(resolve::Group &group, resolve::Group other)
{
    for (resolve::FileSites &file : other.files) {
        auto same = std::find_if(group.files.begin(), group.files.end(), [&](const auto &known) {
            return known.file.open_path == file.file.open_path;
        });
        if (same == group.files.end()) {
            group.files.push_back(std::move(file));
            continue;
        }
        std::set<std::pair<uint64_t, std::string>> known;
        for (const auto &site : same->sites)
            known.emplace(site.file_offset, site.name);
        for (auto &site : file.sites) {
            if (known.emplace(site.file_offset, site.name).second)
                same->sites.push_back(std::move(site));
        }
    }
    group.operands.clear();
    group.operand_texts.clear();
    for (const auto &[reason, count] : other.refusals)
        group.refusals[reason] += count;
}

// A name that two files have gets the file's before it.
void tell_files_apart(resolve::Group &group)
{
    auto file_name = [](const resolve::FileSites &file) {
        return file.file.path.substr(file.file.path.rfind('/') + 1);
    };
    std::map<std::string, std::set<std::string>> files;  // by the sites' names
    for (const auto &file : group.files) {
        for (const auto &site : file.sites)
            files[site.name].insert(file_name(file));
    }
    for (auto &file : group.files) {
        for (auto &site : file.sites) {
            if (files[site.name].size() > 1)
                site.name = file_name(file) + ":" + site.name;
        }
    }
}

// The first place of each file gets the semaphore that `raised` has there.
Result<> give_semaphore(const spec::Probe &raised, const std::vector<pid_t> &lookup,
                        resolve::Group &group)
{
    auto owners = TRY(resolve::resolve(raised, lookup));
    for (resolve::FileSites &file : group.files) {
        file.sites.resize(1);
        for (const resolve::Group &owner : owners) {
            for (const resolve::FileSites &other : owner.files) {
                if (other.file.open_path == file.file.open_path)
                    file.sites[0].ref_ctr_offset = other.sites[0].ref_ctr_offset;
            }
        }
    }
    return {};
}

void add_ends(const std::vector<spec::Probe> &ends, const std::vector<pid_t> &lookup,
              resolve::Group &group)
{
    for (const spec::Probe &end : ends) {
        auto groups = resolve::resolve(end, lookup);
        if (!groups)
            continue;
        for (const resolve::FileSites &file : (*groups)[0].files)
            group.files[0].sites[0].return_offsets.push_back(file.sites[0].file_offset);
    }
}

std::vector<Found> join(std::vector<Found> found)
{
    std::vector<Found> joined;
    for (Found &one : found) {
        auto same = std::find_if(joined.begin(), joined.end(), [&](const Found &other) {
            if (one.group.tracepoint || other.group.tracepoint)
                return one.group.tracepoint && other.group.tracepoint &&
                       one.group.tracepoint->id == other.group.tracepoint->id;
            return one.group.is_kernel == other.group.is_kernel &&
                   one.group.returns_by == other.group.returns_by &&
                   (one.probe->spec.kind == ProbeKind::Return) ==
                       (other.probe->spec.kind == ProbeKind::Return);
        });
        if (same == joined.end())
            joined.push_back(std::move(one));
        else if (!one.group.tracepoint)
            join_files(same->group, std::move(one.group));
    }
    for (Found &one : joined) {
        if (one.group.files.size() > 1)
            tell_files_apart(one.group);
    }
    return joined;
}

// Leaves out the files in which the same probe was found for another owner: the C library, an
// interpreter. `owners`: by probe and file.
void keep_new_files(const Parsed &parsed, std::map<std::string, pid_t> &owners,
                    std::vector<resolve::Group> &groups)
{
    for (resolve::Group &group : groups) {
        std::erase_if(group.files, [&](const resolve::FileSites &file) {
            auto id = proc::file_id(file.file.open_path);
            std::string key = fmt::format("{} {}", parsed.spec.source, id ? id->inode : 0);
            return owners.emplace(key, *parsed.owner).first->second != *parsed.owner;
        });
    }
    std::erase_if(groups, [](const resolve::Group &group) { return group.files.empty(); });
}

}  // namespace

Result<Set> Set::build(std::vector<Parsed> probes, const BuildOptions &options)
{
    Set set;
    set.sleepable_ = options.sleepable;
    set.place_count_ = options.first_place;
    std::vector<Found> found;
    std::map<std::string, pid_t> owners;
    for (Parsed &probe : probes) {
        set.probes_.push_back(std::make_unique<Parsed>(std::move(probe)));
        const Parsed &parsed = *set.probes_.back();
        auto lookup = parsed.owner ? std::vector<pid_t>{*parsed.owner} : options.lookup;
        auto groups = resolve::resolve(parsed.spec, lookup);
        if (!groups && options.explain)
            options.explain(parsed, groups.error());
        std::vector<resolve::Group> resolved = TRY(std::move(groups));
        if (parsed.owner)
            keep_new_files(parsed, owners, resolved);
        for (resolve::Group &group : resolved) {
            if (parsed.held_semaphore)
                TRY(give_semaphore(*parsed.held_semaphore, lookup, group));
            add_ends(parsed.other_ends, lookup, group);
            found.push_back({&parsed, std::move(group)});
        }
    }
    if (options.joined)
        found = join(std::move(found));
    for (Found &one : found)
        TRY(set.add_program(*one.probe, std::move(one.group), options));
    // The calls map is shared, and the kernel copies whole values of it.
    uint32_t most = std::max(set.call_bytes(), options.least_call_bytes);
    for (size_t i = 0; i < set.programs_.size(); i++) {
        Program &program = *set.programs_[i];
        if (!program.entry || program.entry->call_bytes == most)
            continue;
        expr::ProgramRequest request = request_for(program, options, options.first_number + i);
        request.least_call_bytes = most;
        program.entry = TRY(expr::compile_entry(request));
    }
    return set;
}

// A program for a group of sites, and one for the jumps by which its functions are left.
Result<> Set::add_program(const Parsed &parsed, resolve::Group group, const BuildOptions &options)
{
    uint32_t number = options.first_number + programs_.size();
    programs_.push_back(TRY(compile(parsed, std::move(group), options, number)));
    Program &program = *programs_.back();
    part_sites(program, options);
    bool knows_nothing = program.group.is_at_exits() && program.names->uses_result();
    return knows_nothing ? add_tail_calls(program, number, options) : Result<>();
}

// Where another function takes over and its returns are not known, all is known of the call but its
// result.
Result<> Set::add_tail_calls(const Program &owner, uint32_t number, const BuildOptions &options)
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
        return {};
    program->names = std::make_unique<resolve::Names>(owner.probe->spec, program->group);
    program->site_names = owner.site_names;
    expr::ProgramRequest request =
        request_for(*program, options, options.first_number + programs_.size());
    request.call_number = number;
    auto main = expr::compile(request);
    if (!main) {  // it is about the result
        request.only_forgets = true;
        main = expr::compile(request);
    }
    program->main = TRY(std::move(main));
    part_sites(*program, options);
    programs_.push_back(std::move(program));
    return {};
}

void Set::part_sites(Program &program, const BuildOptions &options)
{
    const resolve::Group &group = program.group;
    SiteIdentity by = identity(program, options);
    auto sites = number_sites(group, program.site_names.size() > 1 || tells_calls(group));
    bool is_at_sites = !group.is_at_exits();
    if (program.entry)
        program.entry_parts = split(sites, is_at_sites ? SiteIdentity::None : by, place_count_);
    if (is_at_sites) {
        program.parts = split(sites, by, place_count_);
        return;
    }
    bool has_all = !program.names->uses_result();
    auto exits =
        group.is_tail_calls ? tail_call_sites(group, sites) : return_sites(group, sites, has_all);
    program.parts = split(exits, by, place_count_);
    for (Part &part : program.parts)
        part.site |= SITE_AT_EXIT;
}

bool Set::any_message() const
{
    return std::any_of(probes_.begin(), probes_.end(),
                       [](const auto &probe) { return probe->spec.has_format; });
}

bool Set::any_conversion(char conversion) const
{
    return std::any_of(probes_.begin(), probes_.end(), [conversion](const auto &probe) {
        return std::count(probe->conversions.begin(), probe->conversions.end(), conversion) != 0;
    });
}

size_t Set::site_count() const
{
    size_t count = 0;
    for (const auto &program : programs_)
        count += program->group.site_count();
    return count;
}

resolve::Refusals Set::refusals() const
{
    resolve::Refusals all;
    for (const auto &program : programs_) {
        for (const auto &[reason, count] : program->group.refusals)
            all[reason] += count;
    }
    return all;
}

bool Set::any_go_calls() const
{
    return std::any_of(programs_.begin(), programs_.end(), [](const auto &program) {
        return program->group.is_go_return() && program->entry;
    });
}

bool Set::any_exit_calls() const
{
    return std::any_of(programs_.begin(), programs_.end(), [](const auto &program) {
        return program->group.is_at_exits() && program->entry;
    });
}

uint32_t Set::largest_record() const
{
    uint32_t bytes = 0;
    for (const auto &program : programs_) {
        for (const auto &layout : program->main.layouts)
            bytes = std::max(bytes, layout.record_bytes);
    }
    return bytes;
}

uint32_t Set::call_bytes() const
{
    uint32_t bytes = 0;
    for (const auto &program : programs_)
        bytes = std::max(bytes, program->entry ? program->entry->call_bytes : 0);
    return bytes;
}

}  // namespace uscope::probe
