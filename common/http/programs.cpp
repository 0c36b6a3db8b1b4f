// Finds the functions in each program's file, builds the probes and reads their events.
#include "http/programs.h"

#include <algorithm>

#include <fcntl.h>

#include "base/format.h"
#include "bpf/lib/event.h"
#include "elf/pclntab.h"
#include "expr/record.h"
#include "go/structures.h"
#include "probe/events.h"
#include "probe/program.h"
#include "proc/executable.h"
#include "proc/library.h"
#include "proc/maps.h"
#include "run/tool.h"
#include "wire/go_values.h"

namespace uscope::http {
namespace {

Result<std::string> values_of(const elf::Image &image, const go::Structures &structures,
                              const Programs::Wanted &wanted)
{
    auto offset = [&](auto package, auto structure, auto member) {
        return structures.offset(package, structure, member);
    };
    auto convention =
        go::passes_in_registers(image) ? wire::Convention::Registers : wire::Convention::Stack;
    auto version = go::version_of(image);
    auto maps = !wanted.traceparent                     ? wire::GoMaps::Unread
                : version && *version >= go::swiss_maps ? wire::GoMaps::Groups
                                                        : wire::GoMaps::Buckets;
    return wire::go_values(wanted.side, convention, offset, wanted.least_ns, maps);
}

// Returns those of `names` that the program has, from its pclntab. (Resolving a missing name takes
// long in a large program, because it is compared with all names.)
std::vector<elf::Symbol> functions_among(const elf::Image &image,
                                         const std::vector<std::string_view> &names)
{
    std::vector<elf::Symbol> found;
    if (!image.go_functions() || names.empty())
        return found;
    elf::PclnTable table = *image.go_functions();
    table.keep_containing("net/http");
    for (std::string_view name : names) {
        table.each_containing(name, [&](const elf::Symbol &symbol) {
            if (symbol.name == name)
                found.push_back(symbol);
        });
    }
    return found;
}

// The most bytes that a probe saves for a call: the time, the pointers passed as arguments, an
// address, where the headers are; for a server also three strings.
uint32_t call_bytes(wire::Side side)
{
    return side == wire::Side::Client ? 88 : 176;
}

// Returns the paths of the process's libraries that are written in Go (go build
// -buildmode=c-shared). The paths are those in the process's mount namespace.
std::vector<std::string> go_libraries(pid_t pid)
{
    std::vector<std::string> libraries;
    for (const proc::MappedObject &object :
         proc::mapped_objects(pid).value_or(std::vector<proc::MappedObject>())) {
        auto image = elf::Image::open(object.open_path);
        if (image && image->is_go())
            libraries.push_back(object.path);
    }
    return libraries;
}

}  // namespace

Programs::Programs(run::Tool &tool, const run::Processes &processes, Wanted wanted)
    : tool_(tool),
      processes_(processes),
      wanted_(std::move(wanted)),
      files_(tool, processes,
             {.name = "programs",
              .call_bytes = call_bytes(wanted_.side),
              .may_sleep = true,
              .wanted = {.process =
                             [this](pid_t pid) {
                                 return !processes_.follow_forks || files_.is_followed(pid);
                             }},
              .handlers = {.found = [this](pid_t pid, auto *mapped) { found(pid, mapped); }}})
{
}

Result<probe::ProbeRequest> Programs::probe(char kind, std::string_view function,
                                            std::string_view values,
                                            const std::string &program) const
{
    probe::ProbeRequest request =
        TRY(probe::parse_event(fmt::format("{}:file:{} {}", kind, function, values)));
    request.spec.library.text = program;
    return request;
}

Result<Programs::Function> Programs::find(const std::string &program,
                                          std::optional<pid_t> pid) const
{
    auto opened = TRY(resolve::open_file(TRY(proc::find_file(program, pid))));
    const std::string &path = opened.file.path;
    auto version = go::version_of(*opened.image);
    if (!version)
        return fail("{} is not a Go program", path);
    if (*version < go::oldest_known)
        return fail("{} was built with Go {}.{}; reading requests needs Go {}.{} or newer", path,
                    version->major, version->minor, go::oldest_known.major, go::oldest_known.minor);
    auto functions = functions_among(*opened.image, {wire::go_function(wanted_.side)});
    if (functions.empty())
        return fail("{} has no function {}: it does not use net/http as a {}", path,
                    wire::go_function(wanted_.side),
                    wanted_.side == wire::Side::Client ? "client" : "server");
    return Function{opened, functions[0].size};
}

Result<> Programs::add(const Function &function, const std::string &program,
                       const struct stat &file, bool in_file)
{
    const resolve::OpenedFile &opened = function.file;
    go::Structures structures(*opened.image);
    auto values = values_of(*opened.image, structures, wanted_);
    if (!values)
        return fail("{}: {}", opened.file.path, values.error().text);
    std::vector<probe::ProbeRequest> requests;
    requests.push_back(TRY(probe('r', wire::go_function(wanted_.side), *values, program)));
    requests[0].event_output = probe::record_output();
    for (const elf::Symbol &end : functions_among(*opened.image, wire::go_other_ends(wanted_.side)))
        requests[0].lookup.other_ends.push_back(TRY(probe('p', end.name, "", program)).spec);
    requests[0].lookup.file = opened;
    probe::BuildOptions build = files_.build_options();
    build.string_bytes = wanted_.string_bytes;
    build.shared.first_number = programs_.size();
    auto probes =
        std::make_unique<probe::ProbeSet>(TRY(probe::ProbeSet::build(std::move(requests), build)));
    const probe::Program &first = *probes->programs()[0];
    const resolve::Site &site = first.group.files[0].sites[0];
    programs_.push_back({opened.image,
                         go::TypeNames(structures.types()),
                         {site.vaddr, site.function_vaddr + function.bytes - 1},
                         first.main.layouts});
    return files_.add({.id = {file.st_dev, file.st_ino},
                       .path = program,
                       .probes = std::move(probes),
                       .in_file = in_file});
}

// Was this content of the file seen before? If the file's content has changed, detaches the old
// program's probes, whose offsets are no longer right.
bool Programs::is_seen(const struct stat &file)
{
    proc::FileId id = {file.st_dev, file.st_ino};
    Version version = {file.st_ctim.tv_sec, file.st_ctim.tv_nsec, file.st_size};
    auto [known, is_new] = seen_.try_emplace(id, version);
    if (is_new)
        return false;
    if (known->second == version)
        return true;
    known->second = version;
    files_.remove(id);
    return false;
}

Result<> Programs::add(const std::string &program, std::optional<pid_t> pid)
{
    Function function = TRY(find(program, pid));
    struct stat file = {};
    if (stat(function.file.file.open_path.c_str(), &file) == 0 && is_seen(file))
        return {};
    return add(function, program, file, true);
}

// Is it a Go program with the function to probe, even if it cannot be traced?
bool Programs::has_function(const std::string &program) const
{
    auto image = elf::Image::open(program);
    return image && go::version_of(*image) &&
           !functions_among(*image, {wire::go_function(wanted_.side)}).empty();
}

Result<> Programs::add_process(pid_t pid, const proc::Mapping *mapped)
{
    std::string name = proc::executable_path(pid);
    Fd executable(open(fmt::format("/proc/{}/exe", pid).c_str(), O_RDONLY | O_CLOEXEC));
    if (!executable && mapped && proc::is_same_file(mapped->path, mapped->file)) {
        name = mapped->path;
        executable = Fd(open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    }
    struct stat file;
    if (!executable || fstat(executable.get(), &file) != 0 || is_seen(file))
        return {};
    std::string program = fmt::format("/proc/self/fd/{}", executable.get());
    auto function = find(program, {});
    if (!function && !has_function(program))
        return {};
    // With -F, the user named the processes, so the probes may go into the file. Probes in the file
    // miss no short-lived process.
    auto added = function ? add(*function, program, file, processes_.follow_forks)
                          : Failure(function.error());
    if (size_t at = added ? std::string::npos : added.error().text.find(program);
        at != std::string::npos)
        added.error().text.replace(at, program.size(), name);
    return added;
}

Result<> Programs::add_named(pid_t pid)
{
    auto added = add(TRY(proc::executable_of(pid)), pid);
    if (added)
        return {};
    auto libraries = go_libraries(pid);
    if (libraries.empty())
        return added;
    for (const std::string &library : libraries)
        TRY(add(library, pid));
    return {};
}

void Programs::found(pid_t pid, const proc::Mapping *mapped)
{
    auto added = add_process(pid, mapped);
    if (added)
        added = files_.place(probe::executed_file(pid), pid);
    if (!added)
        tool_.note("process {} is not traced: {}", pid, added.error().text);
}

Result<> Programs::listen(run::Loop &loop, const run::ForkFollower &follower)
{
    TRY(files_.listen(loop, &follower));
    files_.look();
    return {};
}

std::optional<wire::Request> Programs::read(Bytes record)
{
    auto event = record.read<event_header>(0);
    if (!event || event->probe >= programs_.size())
        return std::nullopt;
    Program &program = programs_[event->probe];
    if (event->layout >= program.layouts.size())
        return std::nullopt;
    values_.clear();
    for (const expr::Field &field : program.layouts[event->layout].fields)
        values_.push_back(expr::read_field(field, record, wanted_.string_bytes));
    return wire::read_request(wanted_.side, values_, program.types, program.range);
}

}  // namespace uscope::http
