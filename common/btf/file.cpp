// Opens a BTF file.
#include "btf/file.h"

namespace uscope::btf {

Result<File> File::open(const std::string &path)
{
    // Since Linux 6.16 the file can be mapped. Before that, it has to be read, which takes 4 ms.
    if (auto mapped = MappedFile::open(path))
        return File(std::move(*mapped));
    return File(TRY(read_file(path)));
}

}  // namespace uscope::btf
