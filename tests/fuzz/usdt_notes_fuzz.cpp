// Any file gives USDT probes whose offsets are within the file, or an error that names the file.
#include "require.h"
#include "usdt/notes.h"

using namespace uscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    auto image = elf::Image::parse(Bytes(data, size), "fuzzed");
    if (!image)
        return 0;
    auto probes = usdt::read_probes(*image);
    if (!probes) {
        require(probes.error().text.starts_with("fuzzed"));
        return 0;
    }
    for (const usdt::Probe &probe : *probes) {
        require(!probe.locations.empty());
        require(probe.semaphore_vaddr != 0 || probe.semaphore_offset == 0);
        require(probe.semaphore_offset < size);
        for (const usdt::Location &location : probe.locations)
            require(location.file_offset < size);
    }
    return 0;
}
