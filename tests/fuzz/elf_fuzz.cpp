// Reads any bytes as an ELF file: its headers, notes and symbols, and searches for symbols; or as
// the section .sframe.
#include <cstdlib>

#include "elf/debug_file.h"
#include "elf/dynamic.h"
#include "elf/functions.h"
#include "elf/image.h"
#include "elf/sframe.h"
#include "elf/variables.h"

using namespace uscope;

namespace {

void expect(bool condition)
{
    if (!condition)
        abort();
}

// Asks for the rows of the section's first addresses, as if it began at the last of them.
void read_sframe(Bytes section)
{
    constexpr uint64_t count = 64;
    auto frames = elf::SFrame::read(section, count);
    for (uint64_t vaddr = 0; frames && vaddr < count; vaddr++)
        if (auto found = frames->row(vaddr); found && found->row.cfa_register != elf::no_register)
            expect(found->row.cfa_register < elf::FrameRow::register_count);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_sframe(Bytes(data, size));
    auto image = elf::Image::parse(Bytes(data, size), "fuzz");
    if (!image)
        return 0;
    image->is_go();
    image->build_id();
    image->debug_link();
    elf::indirect_slots(*image, 0);
    for (const elf::Section &section : image->sections()) {
        if (auto contents = image->contents(section))
            expect(contents->size() == section.size);
        image->bytes_at(section.vaddr, section.size);
    }
    for (const elf::Segment &segment : image->segments())
        if (auto offset = image->file_offset(segment.vaddr))
            expect(*offset < size);

    const elf::SymbolOptions options = {.debug_files = false};
    auto functions = elf::all_functions(*image, options);
    if (functions && !functions->empty()) {
        const elf::Function &first = functions->front();
        expect(first.file_offset < size);
        expect(image->is_executable(first.vaddr));
        // A listed function must be found by its name, or be one of several with that name.
        auto again = elf::find_functions(*image, first.name, options);
        expect(again || again.error().text.find("means") != std::string::npos);
    }
    (void)elf::find_functions(*image, "ns::f(int)", options);
    (void)elf::find_functions(*image, "*a*::*", options);
    elf::find_object(*image, "object", options);
    return 0;
}
