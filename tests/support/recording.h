// Reads a recording: the records that tests/recordings/make has kept from a real server or
// interpreter, and what that program itself reported about the same run (rows).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <lzma.h>

#include "base/fd.h"
#include "base/recording.h"

namespace uscope::tests {

// tests/recordings in the source tree, which contains the build folder.
inline std::filesystem::path recordings_folder()
{
    auto above = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    while (above.has_relative_path() && !exists(above / "tests/recordings"))
        above = above.parent_path();
    return above / "tests/recordings";
}

class Recording {
  public:
    // A missing or damaged recording fails the test.
    explicit Recording(const std::string &name)
    {
        std::string path = recordings_folder() / name;
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
    // Returns "" if the file is missing or damaged.
    static std::string unpacked(const std::string &path)
    {
        constexpr size_t max = 16 << 20;
        std::string packed = read_file(path).value_or(""), bytes(max, '\0');
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

// For the message of each comparison: the layout of records may have changed since the recording.
inline constexpr const char *other_layout =
    "if records (bpf/*/*.h) have another layout now, record again: tests/recordings/make";

}  // namespace uscope::tests
