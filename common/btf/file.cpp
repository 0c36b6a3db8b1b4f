// Opens a BTF file.
#include "btf/file.h"

namespace uscope::btf {

Result<File> File::open(const std::string &path)
{
    // Linux 6.16 and later can map this file. Older kernels cannot: reading it all takes 4 ms.
    if (auto mapped = MappedFile::open(path))
        return File(std::move(*mapped));
    return File(TRY(read_file(path)));
}

}  // namespace uscope::btf
