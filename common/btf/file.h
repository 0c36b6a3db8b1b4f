// A file with type information: /sys/kernel/btf/vmlinux, or that of a module.
#pragma once

#include "base/fd.h"

namespace uscope::btf {

class File {
  public:
    static Result<File> open(const std::string &path);
    // Type information that is not in a file.
    explicit File(std::string text) : text_(std::move(text)) {}

    Bytes bytes() const { return text_.empty() ? mapped_.bytes() : Bytes(text_); }

  private:
    explicit File(MappedFile mapped) : mapped_(std::move(mapped)) {}

    MappedFile mapped_;
    std::string text_;
};

}  // namespace uscope::btf
