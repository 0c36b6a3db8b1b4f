// tplist: lists what can be traced: USDT probes and functions of files and processes, and kernel
// tracepoints.
#include <algorithm>

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/format.h"
#include "base/text.h"
#include "base/tool_name.h"
#include "elf/debug_file.h"
#include "elf/dynamic.h"
#include "elf/functions.h"
#include "lang/node/former_probes.h"
#include "output/json.h"
#include "output/rows.h"
#include "proc/file_pattern.h"
#include "proc/maps.h"
#include "proc/process.h"
#include "proc/tracefs.h"
#include "resolve/candidates.h"
#include "run/settings.h"
#include "run/tool.h"
#include "usdt/describe.h"
#include "usdt/notes.h"

namespace uscope::tools::tplist {
namespace {

struct Options {
    std::optional<pid_t> pid;
    std::optional<std::string> library;
    bool one_file = false;  // -l names exactly one file
    std::string filter, functions;
    unsigned verbose = 0;
    bool raw_arguments = false, json = false;
};

// A file whose probes or functions are listed: that of -l, or one that the process of -p maps.
struct File {
    std::string path;
    std::string open_path;
    std::string root;
    std::optional<proc::MappedObject> object;  // with -p
};

class Lister {
  public:
    Lister(run::Tool &tool, const Options &options) : out_(tool.out().buffer()), options_(options)
    {
    }

    Result<> list_tracepoints();
    // Returns how many probes the file has, including those that FILTER excludes.
    Result<size_t> list_probes(const File &file);
    // Returns how many functions of the file match -f.
    Result<size_t> list_functions(const File &file);
    size_t listed() const { return listed_; }

  private:
    template <class... Args>
    void print(fmt::format_string<Args...> format, Args &&...args)
    {
        append_format(out_, format, std::forward<Args>(args)...);
    }
    void print_json(const File &file, const elf::Image &image, const usdt::Probe &probe,
                    std::optional<uint16_t> semaphore);
    void print_probe(const File &file, const elf::Image &image, const usdt::Probe &probe);
    void print_location(const File &file, const elf::Image &image, const usdt::Location &location,
                        size_t number);

    std::string &out_;
    const Options &options_;
    size_t listed_ = 0;
};

Result<> Lister::list_tracepoints()
{
    auto tracefs = TRY(proc::Tracefs::open());
    for (const std::string &name : TRY(tracefs.list())) {
        if (!options_.filter.empty() && !glob_match(options_.filter, name))
            continue;
        listed_++;
        if (!options_.verbose && !options_.json) {
            print("{}\n", name);
            continue;
        }
        size_t colon = name.find(':');
        auto tracepoint = TRY(tracefs.read(name.substr(0, colon), name.substr(colon + 1)));
        if (options_.json) {
            output::JsonObject object(out_);
            object.add("tracepoint", name);
            output::append_json_array(object.member("fields"), tracepoint.fields,
                                      [](auto &out, const auto &field) {
                                          output::JsonObject(out)
                                              .add("type", field.type)
                                              .add("name", field.name)
                                              .add("offset", field.offset)
                                              .add("size", field.size)
                                              .end();
                                      });
            object.end_line();
            continue;
        }
        print("{}\n", name);
        for (const auto &field : tracepoint.fields)
            print("    {} {};\n", field.type, field.name);
    }
    if (listed_ == 0)
        return fail("no tracepoint matches {}", options_.filter);
    return {};
}

// Returns the value of a probe's semaphore in the process; nullopt if it cannot be read.
std::optional<uint16_t> semaphore_value(pid_t pid, const File &file, const usdt::Probe &probe)
{
    auto address = file.object->address_of(probe.semaphore_offset, true);
    Fd memory(open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDONLY | O_CLOEXEC));
    uint16_t value;
    if (!address || !memory ||
        pread(memory.get(), &value, sizeof(value), *address) != sizeof(value))
        return {};
    return value;
}

std::vector<usdt::NotedOperand> operands_of(const File &file, const elf::Image &image,
                                            const usdt::Location &location)
{
    return usdt::read_operands(image, location, {.root = file.root, .path = file.path});
}

void Lister::print_location(const File &file, const elf::Image &image,
                            const usdt::Location &location, size_t number)
{
    auto operands = operands_of(file, image, location);
    auto machine = abi::machine_of(image.machine()).value_or(abi::host_machine);
    if (options_.raw_arguments) {
        print("  location {:#x} raw args: {}\n", location.vaddr,
              output::escaped(location.arguments));
        for (const auto &noted : operands) {
            print("    {} @ {}\n", usdt::describe_size(noted),
                  output::escaped(usdt::describe_location(noted, machine)));
        }
        return;
    }
    print("  location #{} {} {:#x}\n", number, output::escaped(file.path), location.vaddr);
    for (size_t i = 0; i < operands.size(); i++) {
        print("    argument #{} {} @ {}\n", i + 1, usdt::describe_size(operands[i]),
              output::escaped(usdt::describe_location(operands[i], machine)));
    }
}

void append_operand(std::string &out, const usdt::NotedOperand &noted, abi::Machine machine)
{
    const abi::Operand &operand = noted.operand;
    bool known = operand.kind != abi::Operand::Kind::Unsupported;
    output::JsonObject(out)
        .add("raw", noted.text)
        .add("size", output::Cell::when(known, noted.size))
        .add("signed", output::Cell::when(known, operand.is_signed))
        .add("float", output::Cell::when(operand.is_float, true))
        .add("place", usdt::describe_location(noted, machine))
        .end();
}

void Lister::print_json(const File &file, const elf::Image &image, const usdt::Probe &probe,
                        std::optional<uint16_t> semaphore)
{
    auto machine = abi::machine_of(image.machine()).value_or(abi::host_machine);
    auto append_location = [&](auto &out, const usdt::Location &location) {
        output::JsonObject object(out);
        object.add("address", location.vaddr)
            .add("file_offset", location.file_offset)
            .add("raw_args", location.arguments);
        output::append_json_array(
            object.member("args"), operands_of(file, image, location),
            [&](auto &out, const auto &noted) { append_operand(out, noted, machine); });
        object.end();
    };
    output::JsonObject object(out_);
    object.add("path", file.path)
        .add("provider", probe.provider)
        .add("name", probe.name)
        .add("semaphore", output::Cell::when(probe.semaphore_vaddr, probe.semaphore_vaddr))
        .add("semaphore_value", semaphore ? output::Cell(*semaphore) : output::Cell());
    output::append_json_array(object.member("locations"), probe.locations, append_location);
    object.end_line();
}

void Lister::print_probe(const File &file, const elf::Image &image, const usdt::Probe &probe)
{
    std::optional<uint16_t> semaphore;
    if (options_.pid && file.object && probe.semaphore_vaddr)
        semaphore = semaphore_value(*options_.pid, file, probe);

    if (options_.json)
        return print_json(file, image, probe, semaphore);

    std::string path = output::escaped(file.path), name = probe.provider + ":" + probe.name;
    name = output::escaped(name);
    if (!options_.verbose && !options_.raw_arguments) {
        print("{} {}\n", path, name);
        return;
    }
    // BCC prints no path in this line, so only -r adds it here. -v prints it below if there are
    // several files, -vv with each location.
    print("{}{} [sema {:#x}]\n", options_.raw_arguments ? path + " " : "", name,
          probe.semaphore_vaddr);
    if (options_.verbose < 2 && !options_.raw_arguments) {
        size_t arguments = operands_of(file, image, probe.locations[0]).size();
        print("  {} location(s)\n  {} argument(s)\n", probe.locations.size(), arguments);
        if (!options_.one_file)
            print("  in {}\n", path);
    }
    if (semaphore)
        print("  the semaphore is {}\n", *semaphore);
    if (options_.verbose < 2 && !options_.raw_arguments)
        return;
    for (size_t i = 0; i < probe.locations.size(); i++)
        print_location(file, image, probe.locations[i], i + 1);
}

Result<size_t> Lister::list_probes(const File &file)
{
    auto image = TRY(elf::Image::open(file.open_path));
    auto probes = TRY(usdt::read_probes(image));
    for (const usdt::Probe &probe : probes) {
        if (!options_.filter.empty() &&
            !glob_match(options_.filter, probe.provider + ":" + probe.name))
            continue;
        listed_++;
        print_probe(file, image, probe);
    }
    return probes.size();
}

// Returns a shell pattern that matches only this name: find_functions() finds all functions of a
// pattern, but refuses a name that means several.
std::string as_pattern(const std::string &name)
{
    if (is_glob(name) || name.empty() || !is_identifier(name.back()))
        return name;
    return fmt::format("{}[{}]", name.substr(0, name.size() - 1), name.back());
}

Result<size_t> Lister::list_functions(const File &file)
{
    auto image = TRY(elf::Image::open(file.open_path));
    elf::SymbolOptions symbols = {.root = file.root, .path = file.path};
    auto found = elf::find_functions(image, options_.functions, symbols);
    if (!found) {  // the name may mean several functions: list all of them
        auto all = elf::find_functions(image, as_pattern(options_.functions), symbols);
        if (all)
            found = std::move(all);
    }
    auto functions = TRY(std::move(found));
    for (const elf::Function &function : functions) {
        listed_++;
        std::string path = output::escaped(file.path), name = output::escaped(function.display);
        if (options_.json) {
            output::JsonObject(out_)
                .add("path", file.path)
                .add("function", function.display)
                .add("symbol", function.name)
                .add("address", function.vaddr)
                .add("file_offset", function.file_offset)
                .add("size", function.size)
                .end_line();
        } else if (options_.verbose) {
            print("{} {:#x} {} {} {}\n", path, function.vaddr, function.size,
                  output::escaped(function.name), name);
        } else {
            print("{} {}\n", path, name);
        }
    }
    return functions.size();
}

// Searches for the probes of a program whose file has none: in its debug file, in the libraries
// that it needs, and in the libjvm.so that the launcher of a JVM loads. Returns a text to append,
// which names the first file that has probes; "" if none has.
std::string look_elsewhere(const File &file)
{
    auto image = elf::Image::open(file.open_path);
    if (!image)
        return "";
    std::vector<std::string> candidates;
    if (auto debug = elf::find_debug_file(*image, file.path))
        candidates.push_back(*debug);
    for (const std::string &name : elf::needed_libraries(*image)) {
        if (auto found = proc::find_file(name))
            candidates.push_back(found->open_path);
    }
    std::string folder = file.path.substr(0, file.path.rfind('/') + 1);
    if (char *jvm = realpath((folder + "../lib/server/libjvm.so").c_str(), nullptr)) {
        candidates.push_back(jvm);
        free(jvm);
    }
    for (const std::string &path : candidates) {
        auto other = elf::Image::open(path);
        auto probes = other ? usdt::read_probes(*other) : Failure(other.error());
        if (probes && !probes->empty())
            return fmt::format("; {} has {} ({} -l {})", path, probes->size(), tool_name("tplist"),
                               path);
    }
    return "";
}

// Returns the files that the name may mean. There may be several if they are outside of the
// loader's directories, such as libjvm.so.
Result<std::vector<proc::FoundFile>> find_library(const std::string &name, std::optional<pid_t> pid)
{
    auto found = proc::find_file(name, pid);
    if (found)
        return std::vector<proc::FoundFile>{std::move(*found)};
    auto files = pid ? std::vector<proc::FoundFile>() : proc::find_unlisted(name);
    if (files.empty())
        return Failure(std::move(found.error()));
    return files;
}

// Returns the file's mappings in the process, or nullopt.
std::optional<proc::MappedObject> mapped_as(const proc::FoundFile &file, pid_t pid)
{
    auto id = proc::file_id(file.open_path);
    auto objects = proc::mapped_objects(pid);
    for (proc::MappedObject &object : objects ? *objects : std::vector<proc::MappedObject>()) {
        if (id == object.file)
            return std::move(object);
    }
    return std::nullopt;
}

// Is the object shared memory that /proc/PID/maps shows as a file? Some JIT compilers map their
// code this way.
bool is_memory(const proc::MappedObject &object)
{
    bool has_such_name = object.path.starts_with("/memfd:") || object.path == "/dev/zero" ||
                         object.path.starts_with("/SYSV");
    return object.deleted && has_such_name && !elf::Image::open(object.open_path);
}

Result<std::vector<File>> files_of(const Options &options)
{
    std::vector<File> files;
    if (options.library) {
        for (auto &found : TRY(find_library(*options.library, options.pid)))
            files.push_back({found.path, found.open_path, found.root,
                             options.pid ? mapped_as(found, *options.pid) : std::nullopt});
    } else {
        for (auto &object : TRY(proc::mapped_objects(*options.pid))) {
            bool has_code = std::any_of(object.mappings.begin(), object.mappings.end(),
                                        [](const auto &mapping) { return mapping.executable; });
            if (has_code && !is_memory(object))
                files.push_back(
                    {object.path, object.open_path, proc::root_of(*options.pid), object});
        }
    }
    return files;
}

// Lists the probes or functions of the files. Returns how many there are, including probes that
// FILTER excludes.
Result<size_t> list_files(run::Tool &tool, const Options &options, Lister &lister,
                          const std::vector<File> &files)
{
    size_t found = 0;
    for (const File &file : files) {
        auto count =
            options.functions.empty() ? lister.list_probes(file) : lister.list_functions(file);
        if (count)
            found += *count;
        else if (options.one_file)
            return Failure(std::move(count.error()));
        else if (options.functions.empty())  // most files lack the function: do not report it
            tool.note_text(count.error().text);
    }
    return found;
}

// Returns the error for an empty list. `found`: how many probes FILTER has excluded.
Result<> nothing_listed(const Options &options, const std::vector<File> &files, size_t found)
{
    bool is_one_file = options.one_file;
    std::string where = is_one_file ? files[0].path
                        : options.pid
                            ? fmt::format("process {}", *options.pid)
                            : fmt::format("{} ({} files)", *options.library, files.size());
    if (!options.functions.empty())
        return fail("{} has no function that matches {}", where, options.functions);
    if (found)
        return fail("none of the {} USDT probes of {} matches {}", found, where, options.filter);
    std::string program = is_one_file ? files[0].path : proc::executable_name(*options.pid);
    if (std::string instead = lang::instead_of_node_probe(program, ""); !instead.empty())
        return fail("{} has no USDT probes{}", where, instead);
    if (std::string bare = is_one_file ? usdt::why_bare(files[0].open_path) : ""; !bare.empty())
        return fail("{} has no USDT probes that can be found: {}", where, bare);
    return fail("{} has no USDT probes{}", where, is_one_file ? look_elsewhere(files[0]) : "");
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    tool.summary(run::Question::Calls,
                 "lists what can be traced: functions, USDT probes, tracepoints");
    tool.positional(options.filter, "FILTER", "a shell pattern for provider:name, category:event");
    tool.option('p', "pid", options.pid, "PID", "probes of the files that this process maps");
    tool.option('l', "lib", options.library, "FILE",
                "probes of this file, or of a library by name (c, pthread)")
        .values = resolve::library_names;
    tool.option('f', "functions", options.functions, "PATTERN",
                "with -l or -p: list functions whose name matches instead of probes");
    tool.count('v', "verbose", options.verbose,
               "also show locations, arguments, semaphores, tracepoint fields; -vv: each location");
    tool.flag('r', "raw-args", options.raw_arguments,
              "show each location with its unparsed arguments");
    tool.json_flag(options.json, "line");
    tool.example("tplist -l libjvm.so 'hotspot:gc*'", "probes of a library");
    tool.example("tplist -vv -p 181", "all probes of a process, with live semaphores");
    tool.example("tplist -l mariadbd -f '*dispatch_command*'", "functions by their C++ names");
    tool.example("tplist -v 'syscalls:sys_enter_open*'", "kernel tracepoints with their fields");
    tool.attaches_nothing();
    if (!TRY(tool.parse()))
        return {};

    if (options.library && options.library->empty())
        return fail_usage("-l: the name of the file or library is empty");

    run::end_by_signals();
    Lister lister(tool, options);
    bool kernel = !options.pid && !options.library;
    if (kernel && !options.functions.empty())
        return fail_usage("-f needs -l FILE or -p PID");
    if (kernel)
        return lister.list_tracepoints();

    std::vector<File> files = TRY(files_of(options));
    options.one_file = files.size() == 1 && options.library;
    size_t found = TRY(list_files(tool, options, lister, files));
    if (lister.listed())
        return {};

    return nothing_listed(options, files, found);
}

}  // namespace uscope::tools::tplist
