// Finds TLS libraries and builds their probes.
#include "http/tls_libraries.h"

#include <algorithm>

#include "attach/signals.h"
#include "http/http3_hooks.h"
#include "http/nameless_tls.h"
#include "http/tls_hooks.h"
#include "probe/program.h"
#include "proc/executable.h"
#include "proc/instrumenter.h"
#include "proc/library.h"
#include "proc/process.h"
#include "run/tool.h"

namespace uscope::http {
namespace {

using Mappings = std::vector<proc::Mapping>;

std::string_view file_name(std::string_view path)
{
    return path.substr(path.rfind('/') + 1);
}

// May the program move the code of this file while it starts?
probe::Placements::Code code_of(const std::string &path, const probe::ProbeSet &probes)
{
    using Code = probe::Placements::Code;
    if (probes.is_of_go() || is_tls_or_http3_library(file_name(path)))
        return Code::Stays;
    return file_name(path) == "node" ? Code::StaysUnlessAsked : Code::MayMove;
}

// A module of Node may have a TLS library linked into it, as a program may.
bool is_module(std::string_view name)
{
    return name.ends_with(".node");
}

bool is_looked_at(std::string_view name)
{
    return is_tls_or_http3_library(name) || is_module(name) || proc::is_instrumenting_library(name);
}

}  // namespace

TlsLibraries::TlsLibraries(run::Tool &tool, const run::Processes &processes)
    : tool_(tool),
      processes_(processes),
      files_(tool, processes,
             {.name = "TLS libraries",
              .call_bytes = 48,
              .wanted = {.library = is_looked_at},
              .is_traced = [this](pid_t pid) { return is_wanted(pid); },
              .handlers = {.found = [this](pid_t pid, auto *mapped) { found(pid, mapped); }},
              .on_reader = [this](auto &reader) { leave_files(reader.name, reader.pid); }})
{
}

bool TlsLibraries::is_wanted(pid_t pid) const
{
    return processes_.includes(pid) || files_.is_followed(pid);
}

void TlsLibraries::note_unseen(const std::string &path, const Error &error)
{
    tool_.note("TLS of {} is not seen: {}", path, error.text);
}

// Returns the probes on the functions of TLS and HTTP/3 that have names. `path`: for messages.
Result<std::vector<probe::ProbeRequest>> TlsLibraries::named_probes(const elf::Image &image,
                                                                    const std::string &open_path,
                                                                    const std::string &path)
{
    auto probes = TRY(tls_probes(image, open_path));
    auto http3 = http3_probes(image, open_path);
    if (!http3 && probes.empty())
        return Failure(http3.error());
    if (!http3 && tool_.verbose())
        tool_.note("HTTP/3 of {} is not seen: {}", path, http3.error().text);
    if (http3)
        std::move(http3->begin(), http3->end(), std::back_inserter(probes));
    return probes;
}

// Adds the file if it has TLS functions. Reports an unreadable file, such as a 32-bit one, only if
// it `is_expected` to contain TLS. Most programs have no TLS library linked into them.
void TlsLibraries::add(const std::string &path, const std::string &open_path, proc::FileId file,
                       bool is_expected)
{
    if (!seen_.insert(file).second)
        return;
    auto build = [&]() -> Result<std::unique_ptr<probe::ProbeSet>> {
        auto image = TRY(elf::Image::open(open_path));
        auto probes = TRY(named_probes(image, open_path, path));
        if (probes.empty()) {
            const tls::Finding &finding = nameless_.add(file, find_nameless_tls(image));
            probes = TRY(nameless_tls_probes(finding, open_path));
        }
        if (probes.empty())
            return nullptr;
        return std::make_unique<probe::ProbeSet>(
            TRY(probe::ProbeSet::build(std::move(probes), files_.build_options())));
    };
    auto probes = build();
    if (!probes && is_expected)
        note_unseen(path, probes.error());
    if (!probes || !*probes)
        return;
    // Libraries have their probes in the file because short-lived programs such as curl would be
    // gone before their process could be probed.
    auto code = code_of(path, **probes);
    auto added = files_.add({.id = file,
                             .path = path,
                             .probes = std::move(*probes),
                             .in_file = is_tls_or_http3_library(file_name(path)),
                             .code = code});
    if (!added)
        note_unseen(path, added.error());
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
        if (!mapping.executable || !mapping.is_file())
            continue;
        std::string_view name = file_name(mapping.path);
        bool is_library = is_tls_or_http3_library(name), is_new = !seen_.contains(mapping.file);
        if (!is_library && name != program && !is_module(name))
            continue;
        auto path = is_new ? proc::open_path(pid, mapping) : std::nullopt;
        if (path)
            add(mapping.path, *path, mapping.file, is_library || is_named);
        if (!is_library && (name == program || !nameless_.finding(mapping.file).places.empty()))
            nameless_.note(pid, mapping.file);
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
    for (const char *name : {"ssl", "gnutls", "mbedtls", "wolfssl", "s2n", "nghttp3"}) {
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

Result<> TlsLibraries::attach(const probe::KernelMaps &maps, int events, int tried)
{
    nameless_.start(tried);
    auto bind = [events](const probe::Program &) {
        return probe::ProgramBinding{{expr::MapSlot::Table, events}};
    };
    return files_.start(maps, bind, [this](const auto &library, const Error &error) {
        note_unseen(library.path, error);
    });
}

std::vector<pid_t> TlsLibraries::withdraw()
{
    std::vector<pid_t> pids;
    for (proc::FileId file : nameless_.take_decided()) {
        const tls::Finding &finding = nameless_.finding(file);
        auto traced = std::find_if(files_.files().begin(), files_.files().end(),
                                   [&](const auto &some) { return some.id == file; });
        std::string path = traced == files_.files().end() ? "" : traced->path;
        if (!finding.places.empty()) {
            if (tool_.verbose())
                tool_.note("{}: the functions of {} move what its TLS records contain", path,
                           finding.library);
            continue;
        }
        for (pid_t pid : nameless_.processes(file))
            pids.push_back(pid);
        tool_.note("TLS of {} is not traced any longer: {}", path, http::why_unseen(finding));
        files_.remove(file);
    }
    return pids;
}

// Removes all probes from files at once, before the program `reader` reads the libraries' code, and
// has the probes placed in the processes that run now.
void TlsLibraries::leave_files(std::string_view reader, pid_t pid)
{
    files_.leave_files();
    tool_.note(
        "{} ({}) would take probes in the files of TLS libraries for code; from now on probes are "
        "placed in each process, and requests of very short-lived programs may be missed",
        reader, pid);
}

// Moves the probes out of the files if they would harm this process, now or once it maps the files.
// `mapped`: as for found().
void TlsLibraries::check_reader(pid_t pid, const proc::Mapping *mapped)
{
    if (!files_.can_leave_files())
        return;
    auto reader = mapped ? proc::instrumenter(mapped->path, {*mapped})
                         : proc::instrumenter(proc::executable_path(pid),
                                              proc::read_maps(pid).value_or(Mappings()));
    if (reader)
        leave_files(*reader, pid);
}

void TlsLibraries::place(pid_t pid, const proc::Mapping &mapping)
{
    if (auto placed = files_.place(mapping.file, pid); !placed)
        tool_.note("TLS of {} in process {} is not seen: {}", mapping.path, pid,
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
    for (const proc::Mapping &mapping : proc::read_maps(pid).value_or(Mappings()))
        if (mapping.executable && mapping.is_file())
            place(pid, mapping);
}

void TlsLibraries::listen(run::Loop &loop, const run::ForkFollower &follower)
{
    if (auto listening = files_.listen(loop, &follower); !listening)
        tool_.note("TLS libraries that are loaded later are not seen: {}", listening.error().text);
    files_.look();  // processes that run now
}

}  // namespace uscope::http
