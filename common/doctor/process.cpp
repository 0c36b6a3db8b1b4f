// Examines a process: its program and libraries, its runtimes, its namespaces.
#include "doctor/process.h"

#include <algorithm>

#include "base/format.h"
#include "lang/runtime.h"
#include "lang/unsupported.h"
#include "proc/executable.h"
#include "proc/instrumenter.h"
#include "proc/process.h"

namespace uscope::doctor {
namespace {

using Objects = std::vector<proc::MappedObject>;

bool has_code(const proc::MappedObject &object)
{
    return std::any_of(object.mappings.begin(), object.mappings.end(),
                       [](const proc::Mapping &mapping) { return mapping.executable; });
}

// The files with code, the one that the process executes first.
Objects files_with_code(const Objects &objects, const std::string &program)
{
    Objects found;
    for (const proc::MappedObject &object : objects) {
        if (!has_code(object))
            continue;
        found.push_back(object);
        if (object.path == program)
            std::rotate(found.begin(), found.end() - 1, found.end());
    }
    return found;
}

Check check_program(const ProcessFile &file)
{
    if (!file.error.empty())
        return {"program", Status::Absent, file.error};
    return {"program", Status::Ok,
            fmt::format("{}{}: {}, {}", file.path,
                        file.deleted ? " (deleted or replaced since)" : "", file.linkage,
                        file.build_id.empty() ? "no build-id" : "build-id " + file.build_id)};
}

Check check_namespaces(pid_t pid)
{
    std::vector<std::string> parts;
    if (std::string root = proc::root_of(pid); !root.empty())
        parts.push_back(fmt::format("its files are found below {}", root));
    if (pid_t inner = proc::namespace_pid(pid); inner != pid)
        parts.push_back(fmt::format("it is process {} in its own pid namespace", inner));
    if (parts.empty())
        return {"container", Status::Ok, "it sees the same files and processes as this program"};
    return {"container", Status::Info, join(parts, "; ")};
}

std::string_view last_part(std::string_view path)
{
    return path.substr(path.rfind('/') + 1);
}

// Adds the paths of the runtimes to `paths`.
std::vector<Check> check_runtimes(pid_t pid, const std::vector<proc::Mapping> &mappings,
                                  const Objects &objects, const ProcessFile &program,
                                  std::vector<std::string> &paths)
{
    lang::Files read;
    std::vector<Check> found;
    for (const lang::Language *language : lang::languages()) {
        auto runtime = lang::find_runtime(pid, language, read, mappings);
        if (!runtime)
            continue;
        paths.push_back(runtime->object.path);
        std::string version = runtime->version.is_known() ? " " + to_string(runtime->version) : "";
        found.push_back(
            {"runtime", Status::Ok,
             fmt::format("{}{} in {}", language->title, version, runtime->object.path)});
    }
    if (!program.go_version.empty())
        found.push_back({"runtime", Status::Ok, program.go_version});
    auto *other = lang::find_unsupported(last_part(program.path), objects);
    if (!other)
        other = program.runtime;
    if (other) {
        found.push_back(
            {"runtime", Status::Absent, fmt::format("{}: {}", other->title, other->advice)});
        if (other->compiler)
            found.push_back({"names", Status::Absent,
                             fmt::format("its functions are [unknown: {}] in stacks: {}",
                                         other->compiler, other->unnamed)});
        if (other->missing)
            found.push_back({"stacks", Status::Absent, other->missing});
    }
    if (found.empty())
        found.push_back({"runtime", Status::Info, "none that the tools know"});
    return found;
}

Check check_probes(const std::vector<ProcessFile> &files)
{
    std::vector<std::string> found;
    for (const ProcessFile &file : files)
        for (const auto &[provider, count] : file.probes)
            found.push_back(fmt::format("{}: {} in {}", provider, count, file.path));
    if (found.empty())
        return {"USDT probes", Status::Absent, "none in its program and libraries"};
    return {"USDT probes", Status::Ok, join(found, "; ")};
}

Check check_symbols(const ProcessFile &file)
{
    if (file.symbols.empty())
        return {"symbols", Status::Absent,
                fmt::format("{}: none; functions can be probed by their addresses (p:FILE:0x1234)",
                            file.path)};
    bool has_all = file.symbols != ".dynsym";
    return {"symbols", has_all ? Status::Ok : Status::Absent,
            fmt::format("{}: {} functions by name, from {}{}", file.path, file.functions,
                        file.symbols, has_all ? "" : ": only exported ones")};
}

Check check_debug_info(const ProcessFile &file)
{
    std::vector<std::string> tried;
    for (const elf::DebugFileAttempt &attempt : file.debug_files)
        tried.push_back(fmt::format("{} {}", attempt.path,
                                    attempt.refusal.empty() ? "is used" : attempt.refusal));
    std::string text = tried.empty() ? "" : join(tried, "; ");
    if (file.has_debug_info)
        return {"debug information", Status::Ok,
                fmt::format("{}: {}", file.path, text.empty() ? "in the file itself" : text)};
    if (tried.empty())
        text = "the file has neither a build-id nor a .gnu_debuglink to search for a debug file";
    return {"debug information", Status::Absent,
            fmt::format("{}: none, so that arguments have no names or types: {}", file.path, text)};
}

Check check_unwinding(const std::vector<ProcessFile> &files)
{
    std::vector<std::string> without;
    for (const ProcessFile &file : files)
        if (file.unwinding.empty() && file.error.empty())
            without.push_back(file.path);
    std::string program = files.front().unwinding.empty() ? "no tables" : files.front().unwinding;
    if (without.empty())
        return {"unwinding", Status::Ok, fmt::format("{}, and tables in all libraries", program)};
    return {"unwinding", Status::Absent,
            fmt::format("{}; by frame pointers or by the code itself in {}", program,
                        join(without, ", "))};
}

// "/usr/bin/deno (rustls 0.23.40 without symbols: take_received_plaintext at 0x3d7ac4f, …)"
std::string describe_nameless_tls(const ProcessFile &file)
{
    std::vector<std::string> places;
    for (const tls::Place &place : file.nameless_tls.places)
        places.push_back(fmt::format("{} at {:#x}", tls::name_of(place.role), place.code.start));
    return fmt::format("{} ({} without symbols: {})", file.path, file.nameless_tls.library,
                       join(places, ", "));
}

Check check_tls(const std::vector<ProcessFile> &files)
{
    std::vector<std::string> found;
    for (const ProcessFile &file : files) {
        if (file.has_tls_functions)
            found.push_back(file.path);
        else if (!file.nameless_tls.places.empty())
            found.push_back(describe_nameless_tls(file));
    }
    if (!found.empty())
        return {"TLS", Status::Ok, join(found, ", ")};
    if (const tls::Finding &nameless = files.front().nameless_tls; !nameless.library.empty())
        return {"TLS", Status::Absent,
                fmt::format("{} contains {} without symbols: {}", files.front().path,
                            nameless.library, nameless.missing)};
    return {"TLS", Status::Info,
            "no functions of a TLS library that httpsnoop knows, and no text of BoringSSL or "
            "rustls in the program"};
}

Check check_unreadable(const std::vector<ProcessFile> &files)
{
    std::vector<std::string> errors;
    for (const ProcessFile &file : files)
        if (!file.error.empty())
            errors.push_back(file.error);
    if (errors.empty())
        return {"files", Status::Ok, fmt::format("{} files with code", files.size())};
    return {"files", Status::Absent, join(errors, "; ")};
}

}  // namespace

Result<Process> examine_process(pid_t pid)
{
    TRY(proc::must_run(pid));
    Process process = {
        .pid = pid, .comm = proc::comm(pid), .program = TRY(proc::executable_of(pid))};
    auto mappings = TRY(proc::read_maps(pid));
    auto objects = TRY(proc::mapped_objects(pid, mappings));
    std::string root = proc::root_of(pid);
    for (const proc::MappedObject &object : files_with_code(objects, process.program))
        process.files.push_back(examine_file(object, root, process.files.empty()));
    if (process.files.empty())
        return fail("process {} maps no file with code that can be opened", pid);

    const ProcessFile &program = process.files.front();
    process.checks = {check_program(program), check_namespaces(pid)};
    if (auto name = proc::instrumenter(process.program, mappings))
        process.checks.push_back(
            {"instrumenter", Status::Absent,
             fmt::format("{} translates or records its code: probes are not placed in it", *name)});
    std::vector<std::string> searched = {program.path};
    for (Check &check : check_runtimes(pid, mappings, objects, program, searched))
        process.checks.push_back(std::move(check));
    process.checks.push_back(check_unreadable(process.files));
    for (const ProcessFile &file : process.files) {
        bool is_searched = std::find(searched.begin(), searched.end(), file.path) != searched.end();
        if (!is_searched || !file.error.empty())
            continue;
        process.checks.push_back(check_symbols(file));
        process.checks.push_back(check_debug_info(file));
    }
    process.checks.push_back(check_unwinding(process.files));
    process.checks.push_back(check_probes(process.files));
    process.checks.push_back(check_tls(process.files));
    return process;
}

}  // namespace uscope::doctor
