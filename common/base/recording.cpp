// Buffers and writes the recording of this process; parses recordings for tests.
#include "base/recording.h"

#include <cerrno>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"

namespace uscope {
namespace {

constexpr std::string_view head = "uscope recording 1\n";
constexpr size_t max_unwritten = 64 << 10;  // bytes

struct RecordingFile {
    std::string path;
    Fd fd;
    std::string unwritten;
    int error = 0;  // errno of the first write that failed

    void write_out();
};
RecordingFile recording_file;

void RecordingFile::write_out()
{
    std::string_view rest = unwritten;
    while (!rest.empty() && !error) {
        ssize_t written = write(fd.get(), rest.data(), rest.size());
        if (written >= 0)
            rest.remove_prefix(size_t(written));
        else if (errno != EINTR)
            error = errno;
    }
    unwritten.clear();
}

void append_number(std::string &to, size_t number)
{
    auto value = uint32_t(number);
    to.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

}  // namespace

Result<> start_recording()
{
    const char *path = secure_getenv("USCOPE_RECORD");
    if (!path || !*path)
        return {};
    RecordingFile &file = recording_file;
    file.path = path;
    file.fd = Fd(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.fd)
        return fail_errno("cannot record to {} (USCOPE_RECORD)", path);
    unsetenv("USCOPE_RECORD");
    file.unwritten = head;
    return {};
}

bool is_recording()
{
    return bool(recording_file.fd);
}

void add_to_recording(std::string_view what, std::initializer_list<Bytes> data)
{
    if (!is_recording())
        return;
    size_t bytes = 0;
    for (Bytes part : data)
        bytes += part.size();
    std::string &to = recording_file.unwritten;
    append_number(to, what.size());
    append_number(to, bytes);
    to += what;
    for (Bytes part : data)
        to += part.text();
    if (to.size() >= max_unwritten)
        recording_file.write_out();
}

Result<> end_recording()
{
    if (!is_recording())
        return {};
    recording_file.write_out();
    recording_file.fd = Fd();
    errno = recording_file.error;
    if (errno)
        return fail_errno("cannot write {} (USCOPE_RECORD)", recording_file.path);
    return {};
}

Result<std::vector<Recorded>> read_recording(Bytes file)
{
    if (!file.text().starts_with(head))
        return fail("not a recording of this version; make it again with tests/recordings/make");
    std::vector<Recorded> entries;
    file = file.from(head.size());
    while (!file.empty()) {
        auto name_bytes = file.read<uint32_t>(0), data_bytes = file.read<uint32_t>(4);
        auto name = file.slice(8, name_bytes.value_or(0));
        auto data = file.slice(8 + uint64_t(name_bytes.value_or(0)), data_bytes.value_or(0));
        if (!data_bytes || !name || !data)
            return fail("the recording ends in the middle of an entry");
        entries.push_back({name->text(), *data});
        file = file.from(8 + name->size() + data->size());
    }
    return entries;
}

}  // namespace uscope
