// Finds TLS libraries, loads their probes, and places them in files or in processes.
#include "http/tls_libraries.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "attach/attach.h"
#include "attach/close.h"
#include "attach/signals.h"
#include "http/tls_hooks.h"
#include "probe/describe.h"
#include "probe/program.h"
#include "probe/setup.h"
#include "proc/executable.h"
#include "proc/instrumenter.h"
#include "proc/process.h"
#include "run/tool.h"

namespace uscope::http {
namespace {

// On kernels without attach cookies, the sites of libraries that come later also need entries in
// the table of sites, so it is created with this size. (servers/servers.cpp does the same.)
constexpr uint32_t most_site_entries = 1 << 16;

using Mappings = std::vector<proc::Mapping>;

std::string_view file_name(std::string_view path)
{
    return path.substr(path.rfind('/') + 1);
}

}  // namespace

bool TlsLibraries::is_wanted(pid_t pid) const
{
    return processes_.includes(pid) || tree_.includes(pid);
}

probe::BuildOptions TlsLibraries::options() const
{
    probe::BuildOptions options = probe::build_options(processes_);
    options.lookup.clear();  // the file is already found
    options.any_later = false;
    options.sleepable = false;  // the program has just used the memory that is read
    options.least_call_bytes = call_bytes;
    options.first_site_entry = next_site_entry_;
    return options;
}

Result<> TlsLibraries::add_probes(const std::string &path, const std::string &open_path,
                                  proc::FileId file)
{
    auto image = TRY(elf::Image::open(open_path));
    auto probes = TRY(tls_probes(image, open_path));
    if (probes.empty())
        return {};
    auto set = TRY(probe::ProbeSet::build(std::move(probes), options()));
    if (set.site_entries() > most_site_entries)
        return fail("too many TLS libraries: this kernel cannot distinguish their probes");
    next_site_entry_ = set.site_entries();
    libraries_[file] = {path, std::make_unique<probe::ProbeSet>(std::move(set))};
    return {};
}

// Reports an unreadable file, such as a 32-bit one, only if it `is_expected` to contain TLS. Most
// programs have no TLS library linked into them.
void TlsLibraries::add(const std::string &path, const std::string &open_path, proc::FileId file,
                       bool is_expected)
{
    if (!seen_.insert(file).second)
        return;
    if (auto added = add_probes(path, open_path, file); !added && is_expected)
        tool_.note("TLS of {} is not seen: {}", path, added.error().text);
}

// Adds the process's TLS libraries, found by file name, and its program, which may have one linked
// into it.
void TlsLibraries::look_at(pid_t pid)
{
    auto mappings = proc::read_maps(pid);
    if (!mappings)
        return;
    std::string program = proc::executable_name(pid);
    bool is_named = std::count(processes_.pids.begin(), processes_.pids.end(), pid) > 0;
    for (const proc::Mapping &mapping : *mappings) {
        if (!mapping.executable || !mapping.is_file() || seen_.contains(mapping.file))
            continue;
        std::string_view name = file_name(mapping.path);
        bool is_library = is_tls_library(name);
        if (!is_library && name != program)
            continue;
        if (auto path = proc::open_path(pid, mapping))
            add(mapping.path, *path, mapping.file, is_library || is_named);
    }
}

void TlsLibraries::find()
{
    for (pid_t pid : proc::all_pids()) {
        if (attach::is_end_signal_pending())
            return;
        if (is_wanted(pid))
            look_at(pid);
    }
    if (!processes_.any_later() && !processes_.follow_forks)
        return;
    for (const char *name : {"ssl", "gnutls"}) {
        auto file = proc::find_file(name);
        auto id = file ? proc::file_id(file->open_path) : std::nullopt;
        bool is_known =
            id && std::any_of(seen_.begin(), seen_.end(), [&](const proc::FileId &seen) {
                return proc::is_same_file(file->open_path, seen);
            });
        if (id && !is_known)
            add(file->path, file->open_path, *id, true);
    }
}

bool TlsLibraries::print_plan(run::Tool &tool, const std::string &before) const
{
    auto all = [&](std::string (*describe)(const probe::ProbeSet &)) {
        std::string text = before;
        for (const auto &[file, library] : libraries_)
            text += describe(*library.probes);
        return text;
    };
    return tool.print_plan([&] { return all(probe::describe); },
                           [&] { return all(probe::describe_attached); });
}

Result<> TlsLibraries::prepare(const probe::KernelMaps &maps) const
{
    probe::BuildOptions build = options();
    bool has_cookies = build.has_cookies && build.has_kernel_cookies;
    return maps.prepare({call_bytes, true, has_cookies ? 1 : most_site_entries}, processes_);
}

void TlsLibraries::load_new()
{
    for (auto &[file, library] : libraries_) {
        if (std::exchange(library.is_loaded, true))
            continue;
        auto loaded = maps_->load(*library.probes, processes_, [&](const probe::Program &) {
            return probe::ProgramBinding{{expr::MapSlot::Table, events_}};
        });
        if (loaded)
            loaded = library.probes->hold_files();
        if (loaded && is_in_file(library))
            loaded = place_in_file(library);
        if (!loaded) {
            tool_.note("TLS of {} is not seen: {}", library.path, loaded.error().text);
            library.probes.reset();
        }
    }
}

void TlsLibraries::attach(const probe::KernelMaps &maps, int events)
{
    maps_ = &maps;
    events_ = events;
    load_new();
}

// Libraries have their probes in the file because short-lived programs such as curl would be gone
// before their process could be probed.
bool TlsLibraries::is_in_file(const Library &library) const
{
    return uses_files_ && is_tls_library(file_name(library.path));
}

// Places the probes in the file, for all processes or only for those that were named.
Result<> TlsLibraries::place_in_file(Library &library)
{
    for (pid_t pid : processes_.each()) {
        auto reader = pid || !placements_.is_by_process() ? std::nullopt : library.probes->reader();
        if (reader)
            leave_files(reader->name, reader->pid);
        else
            TRY(library.probes->attach(pid));
    }
    return {};
}

// Removes all probes from files at once, before `reader` reads the libraries' code, and has them
// placed in the processes that run now.
void TlsLibraries::leave_files(std::string_view reader, pid_t pid)
{
    uses_files_ = false;
    attach::Links links;
    for (auto &[file, library] : libraries_) {
        attach::Links of_file = library.probes ? library.probes->release(0) : attach::Links();
        std::move(of_file.begin(), of_file.end(), std::back_inserter(links));
    }
    attach::close_links(std::move(links));
    tool_.note(
        "{} ({}) would take probes in the files of TLS libraries for code; from now on probes are "
        "placed in each process, and requests of very short-lived programs may be missed",
        reader, pid);
    if (arrivals_)
        arrivals_->look();
}

// Moves the probes out of the files if they would harm this process, now or once it maps the files.
// `mapped`: as for found().
void TlsLibraries::check_reader(pid_t pid, const proc::Mapping *mapped)
{
    if (!uses_files_ || !placements_.is_by_process() || processes_.each().front() != 0)
        return;
    auto reader = mapped ? proc::instrumenter(mapped->path, {*mapped})
                         : proc::instrumenter(proc::executable_path(pid),
                                              proc::read_maps(pid).value_or(Mappings()));
    if (reader)
        leave_files(*reader, pid);
}

probe::Placements::Code TlsLibraries::code_of(const Library &library)
{
    using Code = probe::Placements::Code;
    if (library.probes->is_of_go() || is_tls_library(file_name(library.path)))
        return Code::Stays;
    return file_name(library.path) == "node" ? Code::StaysUnlessAsked : Code::MayMove;
}

void TlsLibraries::place(pid_t pid, const proc::Mapping &mapping)
{
    auto found = libraries_.find(mapping.file);
    if (found == libraries_.end() || !found->second.probes || is_in_file(found->second))
        return;
    const Library &library = found->second;
    if (auto placed = placements_.add(*library.probes, pid, code_of(library)); !placed)
        tool_.note("TLS of {} in process {} is not seen: {}", library.path, pid,
                   placed.error().text);
}

void TlsLibraries::found(pid_t pid, const proc::Mapping *mapped)
{
    check_reader(pid, mapped);
    if (!is_wanted(pid))
        return;
    if (mapped && seen_.contains(mapped->file))
        return place(pid, *mapped);
    look_at(pid);
    load_new();
    for (const proc::Mapping &mapping : proc::read_maps(pid).value_or(Mappings()))
        if (mapping.executable && mapping.is_file())
            place(pid, mapping);
}

void TlsLibraries::listen(run::Loop &loop, const run::ForkFollower &follower)
{
    tree_.start(follower);
    run::NewProcesses::Handlers handlers;
    handlers.found = [this](pid_t pid, const proc::Mapping *mapped) { found(pid, mapped); };
    handlers.forked = [this](pid_t child, pid_t parent) {
        tree_.forked(child, parent);
        if (is_wanted(child))
            placements_.forked(child, parent);
    };
    handlers.executed = [this](pid_t pid, std::string_view comm) {
        placements_.executed(pid, comm);
    };
    handlers.ended = [this](pid_t pid) {
        tree_.ended(pid);
        placements_.ended(pid);
    };
    auto is_looked_at = [](std::string_view name) {
        return is_tls_library(name) || proc::is_instrumenting_library(name);
    };
    arrivals_.emplace(run::NewProcesses::Wanted{.library = is_looked_at}, std::move(handlers));
    auto listening = arrivals_->listen(loop);
    if (listening)
        listening = placements_.listen(loop, [this] { arrivals_->look(); });
    if (!listening)
        tool_.note("TLS libraries that are loaded later are not seen: {}", listening.error().text);
    arrivals_->look();  // processes that run now
    placements_.settle();
}

void TlsLibraries::detach()
{
    placements_.detach();
    for (auto &[file, library] : libraries_) {
        if (library.probes)
            library.probes->detach();
    }
}

}  // namespace uscope::http
