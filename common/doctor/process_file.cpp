// Reads names, debug information and probes of a file.
#include "doctor/process_file.h"

#include <elf.h>

#include "base/format.h"
#include "elf/image.h"
#include "elf/pclntab.h"
#include "elf/sframe.h"
#include "elf/symbols.h"
#include "go/build_info.h"
#include "http/nameless_tls.h"
#include "http/tls_hooks.h"
#include "usdt/notes.h"

namespace uscope::doctor {
namespace {

std::string describe_linkage(const elf::Image &image)
{
    std::string machine = image.machine() == EM_X86_64 ? "x86-64"
                          : image.machine() == EM_AARCH64
                              ? "arm64"
                              : fmt::format("machine {}", image.machine());
    return fmt::format("{}, {}", machine, image.dynamic().empty() ? "static" : "dynamic");
}

// Counts the functions of the symbol tables of `names`, the image or its debug file.
void count_functions(const elf::Image &names, const elf::Image &image, ProcessFile &file)
{
    auto tables = elf::symbol_tables(names);
    if (elf::has_full_symbols(names))  // .symtab also has the symbols of .dynsym
        tables.resize(1, tables.front());
    for (const elf::SymbolTable &table : tables) {
        table.each([&](const elf::Symbol &symbol) {
            if (!symbol.is_function || !image.is_in_code(symbol.vaddr))
                return;
            file.functions++;
            bool is_main = symbol.name == "main" || symbol.name == "main.main";
            if (file.a_function.empty() || is_main)
                file.a_function = symbol.name;
        });
    }
}

void find_names(const elf::Image &image, ProcessFile &file)
{
    const bool has_debug_file =
        !file.debug_files.empty() && file.debug_files.back().refusal.empty();
    std::optional<elf::Image> other;
    std::string unpacked;
    if (elf::has_full_symbols(image)) {
        file.symbols = ".symtab";
    } else if (has_debug_file) {
        if (auto opened = elf::Image::open(file.debug_files.back().path))
            other = std::move(*opened);
        file.symbols = file.debug_files.back().path;
    } else if (auto mini = elf::mini_debug_info(image)) {
        unpacked = std::move(*mini);
        if (auto opened = elf::Image::parse(Bytes(unpacked), image.name()))
            other = std::move(*opened);
        file.symbols = ".gnu_debugdata";
    } else if (const elf::PclnTable *go = image.go_functions()) {
        go->each([&](const elf::Symbol &symbol) {
            file.functions++;
            if (file.a_function.empty() || symbol.name == "main.main")
                file.a_function = symbol.name;
        });
        file.symbols = "Go's function table";
        return;
    }
    count_functions(other ? *other : image, image, file);
    if (file.symbols.empty() && file.functions)
        file.symbols = ".dynsym";
}

std::string describe_unwinding(const elf::Image &image)
{
    if (!image.frame_header().bytes.empty() || image.section(".eh_frame"))
        return ".eh_frame";
    if (image.section(".debug_frame"))
        return ".debug_frame";
    if (elf::SFrame::of(image))
        return ".sframe";
    return image.go_functions() ? "Go's function table" : "";
}

bool has_dwarf(const std::string &path)
{
    auto image = elf::Image::open(path);
    return image && image->section(".debug_info");
}

}  // namespace

ProcessFile examine_file(const proc::MappedObject &object, const std::string &root, bool is_program)
{
    ProcessFile file;
    file.path = object.path;
    file.deleted = object.deleted;
    auto image = elf::Image::open(object.open_path);
    if (!image) {
        file.error = image.error().text;
        return file;
    }
    file.build_id = image->build_id();
    file.linkage = describe_linkage(*image);
    file.has_debug_info = image->section(".debug_info") || image->section(".zdebug_info");
    if (!file.has_debug_info || !elf::has_full_symbols(*image))
        file.debug_files = elf::try_debug_files(*image, object.path, root);
    if (!file.debug_files.empty() && file.debug_files.back().refusal.empty())
        file.has_debug_info |= has_dwarf(file.debug_files.back().path);
    find_names(*image, file);
    file.unwinding = describe_unwinding(*image);
    auto probes = usdt::read_probes(*image);
    for (const usdt::Probe &probe : probes ? *probes : std::vector<usdt::Probe>())
        file.probes[probe.provider]++;
    auto tls = http::tls_probes(*image, object.open_path);
    file.has_tls_functions = tls && !tls->empty();
    if (!file.has_tls_functions && is_program)
        file.nameless_tls = http::find_nameless_tls(*image);
    file.runtime = is_program ? lang::find_unsupported(*image) : nullptr;
    file.go_version = image->is_go() ? go::built_by(*image).value_or("Go") : "";
    return file;
}

}  // namespace uscope::doctor
