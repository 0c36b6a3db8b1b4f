// Splits half a probe at its colons and lists what its last part may become.
#include "resolve/candidates.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include <dirent.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/format.h"
#include "base/text.h"
#include "elf/function_names.h"
#include "proc/kallsyms.h"
#include "proc/ld_cache.h"
#include "proc/maps.h"
#include "proc/tracefs.h"
#include "resolve/files.h"
#include "spec/location.h"
#include "usdt/notes.h"

namespace uscope::resolve {
namespace {

// Where the names in half a location may be split: colons outside of brackets and quotes.
struct Colons {
    std::vector<size_t> at;
    bool has_ended = false;  // a blank or a quote follows the location
};

Colons find_colons(std::string_view text)
{
    Colons colons;
    int depth = 0;
    for (size_t i = 0; i < text.size(); i++) {
        char c = text[i];
        bool is_start = i == 0 || text[i - 1] == ':';
        if ((c == '\'' || c == '"') && is_start) {
            i = std::min(text.find(c, i + 1), text.size());
        } else if ((is_blank(c) && depth == 0) || c == '"') {
            colons.has_ended = true;
            return colons;
        } else if (strchr("(<[{", c)) {
            depth++;
        } else if (strchr(")>]}", c)) {
            depth -= depth > 0;
        } else if (c == ':' && depth == 0) {
            colons.at.push_back(i);
        }
    }
    return colons;
}

// A colon that is not part of "::".
bool is_single(std::string_view text, size_t colon)
{
    bool before = colon > 0 && text[colon - 1] == ':';
    return !before && (colon + 1 == text.size() || text[colon + 1] != ':');
}

void sort_candidates(Candidates &candidates)
{
    std::sort(candidates.begin(), candidates.end());
    auto last =
        std::unique(candidates.begin(), candidates.end(),
                    [](const Candidate &a, const Candidate &b) { return a.text == b.text; });
    candidates.erase(last, candidates.end());
}

// Puts `before` before each candidate, and `after` behind it: more follows then.
Candidates put_around(std::string_view before, Candidates candidates, std::string_view after = "")
{
    for (Candidate &candidate : candidates) {
        candidate.text = fmt::format("{}{}{}", before, candidate.text, after);
        candidate.is_whole &= after.empty();
    }
    return candidates;
}

std::string with_home(std::string_view path)
{
    const char *home = path.starts_with("~/") ? getenv("HOME") : nullptr;
    return home ? home + std::string(path.substr(1)) : std::string(path);
}

std::optional<OpenedFile> open_named(std::string_view file, std::optional<pid_t> pid)
{
    auto files = find_files(with_home(file), pid ? std::vector{*pid} : std::vector<pid_t>());
    return files ? std::optional(std::move(files->front())) : std::nullopt;
}

// Does the name look like that of a program or library? Does not open it.
bool may_have_code(const std::string &path, std::string_view name)
{
    return name.find(".so") != name.npos || access(path.c_str(), X_OK) == 0;
}

// Folders, programs and libraries at half a path.
Candidates path_candidates(std::string_view typed)
{
    std::string path = with_home(typed);
    std::string folder = path.substr(0, path.rfind('/') + 1);
    std::string_view start = std::string_view(path).substr(folder.size());
    std::string_view shown = typed.substr(0, typed.rfind('/') + 1);
    Candidates candidates;
    std::unique_ptr<DIR, int (*)(DIR *)> directory(opendir(folder.c_str()), closedir);
    while (dirent *entry = directory ? readdir(directory.get()) : nullptr) {
        std::string_view name = entry->d_name;
        bool is_hidden = name[0] == '.' && !start.starts_with('.');
        if (is_hidden || name == "." || name == ".." || !name.starts_with(start))
            continue;
        std::string whole = folder + entry->d_name;
        bool is_folder = access((whole + "/.").c_str(), X_OK) == 0;
        if (is_folder || may_have_code(whole, name))
            candidates.push_back({fmt::format("{}{}{}", shown, name, is_folder ? "/" : ":"),
                                  is_folder ? "folder" : "file", false});
    }
    return candidates;
}

// Files that a probe may name, with the colon that follows.
Candidates file_candidates(std::string_view typed, std::optional<pid_t> pid)
{
    if (typed.find('/') != typed.npos || typed == "~" || typed.starts_with('.'))
        return path_candidates(typed);
    return put_around("", library_candidates(typed, pid), ":");
}

Candidates kernel_functions(std::string_view typed)
{
    Candidates candidates;
    if (typed.empty())
        return candidates;
    proc::each_kernel_symbol("/proc", [&](const proc::KernelSymbol &symbol) {
        // Copies and parts of functions have a '.' in their names; __pfx_ marks padding.
        bool is_function = symbol.is_code && symbol.name.find('.') == symbol.name.npos &&
                           !symbol.name.starts_with("__pfx_");
        if (symbol.name.starts_with(typed) && is_function)
            candidates.push_back({std::string(symbol.name), "kernel function"});
    });
    return candidates;
}

void add_usdt(const elf::Image &image, std::string_view typed, bool with_provider,
              Candidates &candidates)
{
    auto probes = usdt::read_probes(image);
    if (!probes)
        return;
    for (const usdt::Probe &probe : *probes) {
        std::string name = spec::written(probe.name);
        std::string whole = fmt::format("{}:{}", spec::written(probe.provider), name);
        if (!with_provider && name.starts_with(typed))
            candidates.push_back({name, whole});
        else if (with_provider && whole.starts_with(typed))
            candidates.push_back({whole, "USDT probe"});
    }
}

void add_mapped_usdt(pid_t pid, std::string_view typed, bool with_provider, Candidates &candidates)
{
    auto objects = proc::mapped_objects(pid);
    if (!objects)
        return;
    for (const proc::MappedObject &object : *objects) {
        auto image = elf::Image::open(object.open_path);
        if (image)
            add_usdt(*image, typed, with_provider, candidates);
    }
}

Candidates usdt_names(std::string_view file, std::string_view typed, bool with_provider,
                      std::optional<pid_t> pid)
{
    Candidates candidates;
    if (file.empty() && pid)
        add_mapped_usdt(*pid, typed, with_provider, candidates);
    else if (auto opened = file.empty() ? std::nullopt : open_named(file, pid))
        add_usdt(*opened->image, typed, with_provider, candidates);
    sort_candidates(candidates);
    return candidates;
}

// `typed`: what follows "u:".
Candidates usdt_location(std::string_view typed, const std::vector<size_t> &colons,
                         std::optional<pid_t> pid)
{
    if (colons.empty())
        return file_candidates(typed, pid);
    std::string_view file = typed.substr(0, colons[0]), name = typed.substr(colons[0] + 1);
    return put_around(typed.substr(0, colons[0] + 1),
                      usdt_names(file, name, colons.size() > 1, pid));
}

// `typed`: what follows "p:" or "r:", or all of it.
Candidates function_location(std::string_view typed, std::vector<size_t> colons,
                             const spec::KindName *kind, std::optional<pid_t> pid)
{
    if (kind && typed.starts_with(':'))
        return put_around(":", kernel_functions(typed.substr(1)));
    while (!colons.empty() && !is_single(typed, colons.back()))
        colons.pop_back();
    if (!colons.empty()) {
        std::string_view file = typed.substr(0, colons.back());
        return put_around(typed.substr(0, file.size() + 1),
                          function_candidates(file, typed.substr(file.size() + 1), pid));
    }
    Candidates candidates = file_candidates(typed, pid);
    bool is_path = typed.find_first_of("/.~") != typed.npos;
    if (!is_path && (!kind || kind->kernel))
        for (Candidate &function : kernel_functions(typed))
            candidates.push_back(std::move(function));
    return candidates;
}

constexpr std::string_view describe(spec::ProbeKind kind)
{
    switch (kind) {
    case spec::ProbeKind::Entry:
        return "calls of a function";
    case spec::ProbeKind::Return:
        return "returns of a function";
    case spec::ProbeKind::Tracepoint:
        return "tracepoint of the kernel";
    case spec::ProbeKind::Usdt:
        return "USDT probe";
    }
    return "";
}

// Offers a kind by its letter to an empty word, and by the word that was begun.
void add_kinds(std::string_view typed, Candidates &candidates)
{
    for (const spec::KindName &name : spec::kind_names()) {
        bool is_offered = typed.empty() ? name.text.size() == 1
                                        : name.text.starts_with(typed) && !name.text.empty();
        if (is_offered)
            candidates.push_back(
                {std::string(name.text) + ":", std::string(describe(name.kind)), false});
    }
}

}  // namespace

Candidates library_candidates(std::string_view typed, std::optional<pid_t> pid)
{
    Candidates candidates;
    auto add = [&](std::string_view file, const char *description) {
        std::string_view name = file.find(".so") != file.npos ? short_name(file) : file;
        for (std::string_view text : {name, file})
            if (text.starts_with(typed) && (text == name || !typed.empty()))
                candidates.push_back({std::string(text), description});
    };
    if (pid) {
        auto mappings = proc::read_maps(*pid);
        for (const proc::Mapping &mapping : mappings ? *mappings : std::vector<proc::Mapping>())
            if (mapping.executable && mapping.is_file())
                add(std::string_view(mapping.path).substr(mapping.path.rfind('/') + 1), "mapped");
        sort_candidates(candidates);
        return candidates;
    }
    proc::SearchPaths search;
    std::string cache = read_file(search.cache).value_or("");
    for (const proc::CachedLibrary &library : proc::parse_ld_cache(Bytes(cache)))
        add(library.name, "library");
    for (std::string_view folder : split(search.path, ':')) {
        if (typed.empty() || folder.empty())
            continue;
        std::unique_ptr<DIR, int (*)(DIR *)> directory(opendir(std::string(folder).c_str()),
                                                       closedir);
        while (dirent *entry = directory ? readdir(directory.get()) : nullptr)
            if (std::string_view(entry->d_name).starts_with(typed))
                add(entry->d_name, "program");
    }
    sort_candidates(candidates);
    return candidates;
}

std::vector<std::string> library_names()
{
    std::vector<std::string> names;
    for (Candidate &library : library_candidates("", {}))
        names.push_back(std::move(library.text));
    return names;
}

Candidates function_candidates(std::string_view file, std::string_view typed,
                               std::optional<pid_t> pid)
{
    Candidates candidates;
    auto opened = open_named(file, pid);
    if (!opened)
        return candidates;
    elf::SymbolOptions symbols = {.root = opened->file.root, .path = opened->file.path};
    for (elf::NamedFunction &function : elf::function_names(*opened->image, typed, symbols))
        candidates.push_back({std::move(function.name), "", !function.is_scope});
    return candidates;
}

Candidates usdt_candidates(std::string_view file, std::string_view typed, std::optional<pid_t> pid)
{
    return usdt_names(file, typed, true, pid);
}

Candidates tracepoint_candidates(std::string_view typed)
{
    Candidates candidates;
    auto tracefs = proc::Tracefs::open();
    auto names = tracefs ? tracefs->list() : Failure(tracefs.error());
    if (!names)
        return candidates;
    bool has_category = typed.find(':') != typed.npos;
    std::map<std::string, size_t> categories;
    for (std::string &name : *names) {
        if (!name.starts_with(typed))
            continue;
        if (has_category)
            candidates.push_back({std::move(name)});
        else
            categories[name.substr(0, name.find(':') + 1)]++;
    }
    for (const auto &[category, count] : categories)
        candidates.push_back({category, fmt::format("{} tracepoints", count), false});
    return candidates;
}

Candidates probe_candidates(std::string_view typed, std::optional<pid_t> pid)
{
    Colons colons = find_colons(typed);
    if (colons.has_ended)
        return {};
    const spec::KindName *kind = nullptr;
    for (const spec::KindName &name : spec::kind_names())
        if (!colons.at.empty() && typed.substr(0, colons.at[0]) == name.text)
            kind = &name;
    size_t start = kind ? kind->text.size() + 1 : 0;
    std::string_view rest = typed.substr(start);
    std::vector<size_t> in_rest;
    for (size_t colon : colons.at)
        if (colon >= start)
            in_rest.push_back(colon - start);
    Candidates candidates;
    if (kind && kind->kind == spec::ProbeKind::Tracepoint)
        candidates = tracepoint_candidates(rest);
    else if (kind && kind->kind == spec::ProbeKind::Usdt)
        candidates = usdt_location(rest, in_rest, pid);
    else
        candidates = function_location(rest, std::move(in_rest), kind, pid);
    candidates = put_around(typed.substr(0, start), std::move(candidates));
    if (colons.at.empty())
        add_kinds(typed, candidates);
    sort_candidates(candidates);
    return candidates;
}

}  // namespace uscope::resolve
