// The bytes of a BTF file, the type information of the kernel (/sys/kernel/btf/vmlinux) or of one
// of its modules (/sys/kernel/btf/MODULE).
#pragma once

#include "base/fd.h"

namespace uscope::btf {

class File {
  public:
    // Errors: the file cannot be opened or read.
    static Result<File> open(const std::string &path);
    // For BTF that is already in memory.
    explicit File(std::string text) : text_(std::move(text)) {}

    Bytes bytes() const { return text_.empty() ? mapped_.bytes() : Bytes(text_); }

  private:
    explicit File(MappedFile mapped) : mapped_(std::move(mapped)) {}

    MappedFile mapped_;
    std::string text_;
};

}  // namespace uscope::btf
