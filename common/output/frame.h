// A frame of a named stack.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace uscope::output {

// What a frame executes. Flame graphs colour their boxes by it. Native: machine code of a file that
// is neither of the following; Process: not a frame, but the name of a process or thread.
enum class FrameKind : uint8_t { Process, Interpreted, Jit, Cpp, Native, Libc, Kernel };

// A segment of a file: the code at the addresses `start` to `end` is at `offset` in the file.
// Addresses are those of the file, not of a process.
struct CodeSegment {
    std::string path, build_id;  // the path as the process sees it; lower-case digits, or ""
    uint64_t start = 0, end = 0, offset = 0;

    auto operator<=>(const CodeSegment &) const = default;
};

struct Frame {
    std::string name;  // raw
    FrameKind kind = FrameKind::Native;
    // Where the code of a frame without a symbol is, so that it can be named later; `segment` is
    // null for frames that have a name. `address`: in the file; of a caller, it is in the call.
    std::shared_ptr<const CodeSegment> segment = {};
    uint64_t address = 0;

    Frame() = default;
    Frame(const char *text) : name(text) {}
    Frame(std::string text, FrameKind what = FrameKind::Native) : name(std::move(text)), kind(what)
    {
    }

    uint64_t offset() const { return address - segment->start + segment->offset; }  // in the file

    bool operator==(const Frame &other) const { return (*this <=> other) == 0; }
    std::strong_ordering operator<=>(const Frame &other) const
    {
        if (auto order = name <=> other.name; order != 0)
            return order;
        if (auto order = kind <=> other.kind; order != 0)
            return order;
        if (segment == other.segment || !segment || !other.segment)
            return bool(segment) <=> bool(other.segment);
        return *segment <=> *other.segment;
    }
};

}  // namespace uscope::output
