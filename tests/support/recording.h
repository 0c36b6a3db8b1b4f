// What tests/recordings/make has recorded of real servers, and what these say of it themselves.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <lzma.h>

#include "base/fd.h"
#include "base/recording.h"

namespace uscope::tests {

class Recording {
  public:
    // A test whose recording is missing or damaged has failed.
    explicit Recording(const std::string &name)
    {
        std::string path = folder() / name;
        bytes_ = unpacked(path + ".xz");
        auto entries = read_recording(Bytes(bytes_));
        EXPECT_TRUE(entries) << path << ".xz: " << entries.error().text;
        if (entries)
            entries_ = std::move(*entries);
        rows_ = read_file(path + ".rows").value_or("");
        EXPECT_NE(rows_, "") << path << ".rows";
    }

    const std::vector<Recorded> &entries() const { return entries_; }
    const std::string &rows() const { return rows_; }

  private:
    // In the source tree, in which the build folder is.
    static std::filesystem::path folder()
    {
        auto above = std::filesystem::read_symlink("/proc/self/exe").parent_path();
        while (above.has_relative_path() && !exists(above / "tests/recordings"))
            above = above.parent_path();
        return above / "tests/recordings";
    }
    // Empty: it is missing or damaged.
    static std::string unpacked(const std::string &path)
    {
        constexpr size_t most = 16 << 20;
        std::string packed = read_file(path).value_or(""), bytes(most, '\0');
        uint64_t memory = UINT64_MAX;
        size_t from = 0, to = 0;
        auto status = lzma_stream_buffer_decode(
            &memory, 0, nullptr, reinterpret_cast<const uint8_t *>(packed.data()), &from,
            packed.size(), reinterpret_cast<uint8_t *>(bytes.data()), &to, bytes.size());
        bytes.resize(status == LZMA_OK ? to : 0);
        return bytes;
    }

    std::string bytes_, rows_;
    std::vector<Recorded> entries_;
};

// Behind each comparison: records may no longer be as they were recorded.
inline constexpr const char *other_layout =
    "if records (bpf/lib/*.h) have another layout now, record again: tests/recordings/make";

}  // namespace uscope::tests
