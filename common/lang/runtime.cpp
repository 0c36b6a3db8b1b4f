// Finds the runtime of a process, and which of its probes will fire.
#include "lang/runtime.h"

#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "base/tool_name.h"
#include "lang/memory.h"
#include "lang/unsupported.h"

namespace uscope::lang {
namespace {

using proc::MappedObject;

std::string_view file_name(const MappedObject &object)
{
    std::string_view path = object.path;
    return path.substr(path.rfind('/') + 1);
}

bool matches(const std::vector<const char *> &patterns, std::string_view name)
{
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const char *pattern) { return glob_match(pattern, name); });
}

bool has_provider(const File *file, const char *provider)
{
    return file &&
           std::any_of(file->probes().begin(), file->probes().end(),
                       [&](const usdt::Probe &probe) { return probe.provider == provider; });
}

std::string key(const Hook &hook)
{
    return fmt::format("{}:{}", hook.provider, hook.name);
}

struct Found {
    const Language *language;
    const MappedObject *object;
};

// If two files match (Debian's /usr/bin/ruby3.1 and libruby), the library has the runtime.
void add(std::vector<Found> &found, const Language &language, const MappedObject &object)
{
    for (Found &known : found) {
        if (known.language == &language) {
            known.object = &object;
            return;
        }
    }
    found.push_back({&language, &object});
}

bool is_executed(const MappedObject &object)
{
    return std::any_of(object.mappings.begin(), object.mappings.end(),
                       [](const proc::Mapping &mapping) { return mapping.executable; });
}

// Orders the files in which a called function may be: the executable; then an allocator that
// replaces the C library's (jemalloc, tcmalloc); then other libraries, such as libstdc++; then the
// C library. Leaves out the dynamic linker, because nothing else calls its functions; but musl's
// dynamic linker is the C library.
std::vector<const MappedObject *> by_precedence(const std::vector<MappedObject> &objects,
                                                const MappedObject &executable, Files &files)
{
    std::vector<const MappedObject *> order = {&executable}, libraries, last;
    for (const MappedObject &object : objects) {
        std::string_view name = file_name(object);
        if (&object == &executable || !is_executed(object))
            continue;
        const File *file = files.get(object);
        if (matches(c.libraries, name))
            last.push_back(&object);
        else if (name.starts_with("ld-"))
            continue;
        else if (file && file->function("malloc"))
            order.push_back(&object);
        else
            libraries.push_back(&object);
    }
    order.insert(order.end(), libraries.begin(), libraries.end());
    order.insert(order.end(), last.begin(), last.end());
    return order;
}

void find_functions(const std::vector<MappedObject> &objects, Runtime &runtime, Files &files)
{
    for (const MappedObject *object : by_precedence(objects, runtime.object, files)) {
        const File *file = files.get(*object);
        // Several names may share an address: glibc's memalign and aligned_alloc.
        std::map<uint64_t, const Hook *> known;
        for (const Hook &hook : runtime.language->hooks) {
            auto address = file ? file->function(hook.name) : std::nullopt;
            if (!address || runtime.has(hook))
                continue;
            const Hook &first = *known.emplace(*address, &hook).first->second;
            if (&first == &hook)
                runtime.probes.emplace(key(hook), object->path);
            else if (std::string_view(first.kind) != hook.kind)
                runtime.aliases[key(first)] += fmt::format("/{}", hook.kind);
        }
    }
}

std::vector<Found> candidates(const std::vector<MappedObject> &objects,
                              const MappedObject &executable, const Language *wanted, Files &files)
{
    std::vector<Found> by_executable, by_library, by_provider;
    auto is_candidate = [&](const Language *language) { return !wanted || language == wanted; };
    for (const Language *language : languages()) {
        if (!is_candidate(language))
            continue;
        bool is_its_own = matches(language->executables, file_name(executable));
        if (is_its_own)
            add(by_executable, *language, executable);
        for (const MappedObject &object : objects) {
            if (!matches(language->libraries, file_name(object)))
                continue;
            add(is_its_own ? by_executable : by_library, *language, object);
        }
    }
    if (!by_executable.empty())
        return by_executable;
    if (!by_library.empty())
        return by_library;
    for (const Language *language : languages()) {
        for (const MappedObject &object : objects) {
            if (is_candidate(language) && is_executed(object) &&
                has_provider(files.get(object), language->provider))
                add(by_provider, *language, object);
        }
    }
    return by_provider;
}

// Returns the file that the process executes; null if the process maps no file.
const MappedObject *executable_of(const std::vector<MappedObject> &objects, pid_t pid)
{
    auto id = proc::file_id(fmt::format("/proc/{}/exe", pid));
    const MappedObject *executable = nullptr;
    for (const MappedObject &object : objects) {
        if (!executable || (id && object.file.inode == id->inode))
            executable = &object;
    }
    return executable;
}

std::string language_names()
{
    std::string names;
    for (const Language *language : languages())
        names += fmt::format("{}{}", names.empty() ? "" : ", ", language->name);
    return names;
}

// Suggests tools for programs in other languages.
std::string about_compiled()
{
    return fmt::format(
        "; for functions of compiled programs (C, C++, Go, Rust ...), {} counts calls, {} measures "
        "their times and {} shows them",
        tool_name("funccount"), tool_name("funclatency"), tool_name("trace"));
}

}  // namespace

std::string Runtime::who() const
{
    std::string text = fmt::format("process {} ({}", pid, language->name);
    if (version.is_known())
        text += " " + to_string(version);
    return text + ")";
}

std::string Runtime::file() const
{
    return fmt::format("{} {}", object.file.inode, object.path);
}

bool Runtime::has(const Hook &hook) const
{
    return probes.contains(key(hook)) || code_site(hook);
}

const CodeSite *Runtime::code_site(const Hook &hook) const
{
    auto found = hook.provider == std::string_view(code_site_provider) ? code_sites.find(hook.name)
                                                                       : code_sites.end();
    return found == code_sites.end() ? nullptr : &found->second;
}

std::string Runtime::value(const Hook &hook, Role role) const
{
    if (const CodeSite *site = code_site(hook)) {
        auto found = site->values.find(role);
        return found == site->values.end() ? "" : found->second;
    }
    const char *expression = hook.find(role);
    return expression ? expression : "";
}

std::string Runtime::kind_of(const Hook &hook) const
{
    auto others = aliases.find(key(hook));
    return others == aliases.end() ? hook.kind : hook.kind + others->second;
}

std::optional<bool> Runtime::is_on(const std::string &name) const
{
    auto found = switches.find(name);
    return found == switches.end() ? std::nullopt : std::optional(found->second);
}

Version Runtime::version_by_name() const
{
    return Version::in(file_name(object));
}

Result<Runtime> find_runtime(pid_t pid, const Language *wanted)
{
    Files files;
    return find_runtime(pid, wanted, files, TRY(proc::read_maps(pid)));
}

Result<Runtime> find_runtime(pid_t pid, const Language *wanted, Files &files,
                             std::vector<proc::Mapping> mappings)
{
    auto objects = TRY(proc::mapped_objects(pid, std::move(mappings)));
    const MappedObject *executable = executable_of(objects, pid);
    if (!executable)
        return fail("process {} maps no file", pid);

    if (wanted == &c) {
        Runtime runtime = {.language = wanted, .pid = pid, .object = *executable};
        find_functions(objects, runtime, files);
        return runtime;
    }
    auto found = candidates(objects, *executable, wanted, files);
    if (found.empty()) {
        std::string_view name = file_name(*executable);
        if (wanted)
            return fail("process {} ({}) does not run {}", pid, name, wanted->title);
        if (const Unsupported *other = find_unsupported(name, objects))
            return fail("process {} ({}) runs {}: {}", pid, name, other->title, other->advice);
        return fail("process {} ({}) runs none of these languages: {}{}", pid, name,
                    language_names(), about_compiled());
    }
    if (found.size() > 1) {
        std::vector<std::string> names;
        for (const Found &one : found)
            names.emplace_back(one.language->name);
        return fail("process {} has the runtimes of several languages ({}): choose one with -l",
                    pid, join(names, ", "));
    }
    Runtime runtime;
    runtime.language = found[0].language;
    runtime.pid = pid;
    runtime.object = *found[0].object;
    const File *file = files.get(runtime.object);
    if (!file)
        return fail("cannot read {}, which process {} runs", runtime.object.path, pid);
    for (const usdt::Probe &probe : file->probes())
        runtime.probes.emplace(probe.provider + ":" + probe.name, runtime.object.path);
    for (const Hook &hook : runtime.language->hooks) {
        if (!*hook.provider && file->function(hook.name))
            runtime.probes.emplace(key(hook), runtime.object.path);
    }
    auto memory = Memory::open(pid, runtime.object, *file);
    runtime.language->examine(runtime, memory ? &*memory : nullptr);
    runtime.code_sites = file->code_sites(*runtime.language, runtime.version);
    return runtime;
}

std::optional<std::string> own_allocator(pid_t pid)
{
    auto objects = proc::mapped_objects(pid);
    const MappedObject *executable = objects ? executable_of(*objects, pid) : nullptr;
    if (!executable)
        return std::nullopt;
    auto runtime = find_runtime(pid);
    if (runtime && runtime->language->allocator)
        return runtime->language->allocator;
    if (const Unsupported *other = find_unsupported(file_name(*executable), *objects))
        return other->allocator ? std::optional<std::string>(other->allocator) : std::nullopt;
    bool has_boehm = std::any_of(objects->begin(), objects->end(), [](const MappedObject &object) {
        return glob_match("libgc.so*", file_name(object));
    });
    if (has_boehm)
        return fmt::format("the Boehm collector ({} 'libgc.so:GC_*alloc*' counts)",
                           tool_name("funccount"));
    return std::nullopt;
}

Availability availability(const Runtime &runtime, Event event, bool unsafe)
{
    Availability availability;
    for (const Hook &hook : runtime.language->hooks) {
        if (hook.event == event && runtime.has(hook))
            availability.hooks.push_back(&hook);
    }
    auto is_function = [](const Hook *hook) { return !*hook->provider; };
    if (!std::all_of(availability.hooks.begin(), availability.hooks.end(), is_function))
        std::erase_if(availability.hooks, is_function);
    runtime.language->check_availability(runtime, event, unsafe, availability);
    return availability;
}

spec::Probe probe_of(const Runtime &runtime, const Hook &hook)
{
    spec::Probe probe;
    if (const CodeSite *site = runtime.code_site(hook)) {
        probe.library.text = runtime.object.path;
        probe.function.text = fmt::format("{:#x}", site->vaddr);
        probe.is_address = true;
        probe.source = fmt::format("p:{}:{}", probe.library.text, probe.function.text);
        return probe;
    }
    bool is_function = !*hook.provider, is_return = hook.event == Event::GcEnd;
    probe.library.text = runtime.probes.at(key(hook));
    probe.kind = !is_function ? spec::ProbeKind::Usdt
                 : is_return  ? spec::ProbeKind::Return
                              : spec::ProbeKind::Entry;
    probe.needs.at_first_location = hook.fires_repeatedly;
    probe.needs.is_same_in_copies = runtime.language->copies_keep_parameters;
    probe.category.text = hook.provider;
    (is_function ? probe.function : probe.event).text = hook.name;
    const char *letter = !is_function ? "u" : is_return ? "r" : "p";
    probe.source =
        fmt::format("{}:{}{}{}", letter, probe.library.text, is_function ? "" : ":", key(hook));
    return probe;
}

}  // namespace uscope::lang
