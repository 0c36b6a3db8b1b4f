// Writes this process's record, and reads those of others.
#include "attach/record.h"

#include <cerrno>
#include <charconv>
#include <iterator>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/format.h"
#include "base/text.h"

namespace uscope::attach {
namespace {

constexpr const char *own_name = "uscope";

std::string parent_folder()
{
    return geteuid() == 0 ? "/run" : fmt::format("/run/user/{}", geteuid());
}

// Does only this user have access to the directory?
bool is_private(const Fd &folder)
{
    struct stat info;
    return folder && fstat(folder.get(), &info) == 0 && info.st_uid == geteuid() &&
           (info.st_mode & 077) == 0;
}

std::optional<uint64_t> parse_hex(std::string_view text)
{
    uint64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    bool whole = error == std::errc() && end == text.data() + text.size();
    return whole ? std::optional(value) : std::nullopt;
}

}  // namespace

std::vector<Noted> parse_record(std::string_view text)
{
    std::vector<Noted> noted;
    while (!text.empty()) {
        size_t end = text.find('\n');
        if (end == text.npos)
            break;
        auto words = split(text.substr(0, end), ' ');
        text.remove_prefix(end + 1);
        if (words.size() == 3 && words[0] == "file") {
            auto device = parse_number(words[1]), inode = parse_number(words[2]);
            if (!device || !inode)
                break;
            noted.push_back({{*device, *inode}, {}});
        } else if (words.size() == 2 && !noted.empty()) {
            auto offset = parse_hex(words[0]), semaphore = parse_hex(words[1]);
            if (!offset || !semaphore)
                break;
            noted.back().sites.push_back({.offset = *offset, .ref_ctr_offset = *semaphore});
        } else {
            break;
        }
    }
    return noted;
}

std::optional<Fd> open_record_folder()
{
    Fd parent(open(parent_folder().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    Fd folder(openat(parent.get(), own_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    return is_private(folder) ? std::optional(std::move(folder)) : std::nullopt;
}

void remove_record_folder()
{
    rmdir(fmt::format("{}/{}", parent_folder(), own_name).c_str());
}

Record &Record::own()
{
    static Record record;
    return record;
}

// Tries several times, because a tool that removes the last record also removes the directory:
// another tool may do so between any two of these steps.
bool Record::create()
{
    constexpr int attempts = 16;
    std::string folder = fmt::format("{}/{}", parent_folder(), own_name);
    for (int i = 0; i < attempts && !file_; i++) {
        int error = mkdir(folder.c_str(), 0700) == 0 ? 0 : errno;
        auto opened = open_record_folder();
        if (!opened) {
            errno = error;
            return false;
        }
        folder_ = std::move(*opened);
        // A killed tool with the same process id may have left a record.
        name_ = i ? fmt::format("{}.{}", getpid(), i) : fmt::format("{}", getpid());
        file_ = Fd(openat(folder_.get(), name_.c_str(),
                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND | O_CLOEXEC, 0600));
        if (!file_ && errno != ENOENT && errno != EEXIST)
            return false;
        struct stat info;
        // The file is not locked until here: another tool may have mistaken it for a killed tool's
        // record, and removed it.
        if (file_ && (flock(file_.get(), LOCK_EX | LOCK_NB) != 0 ||
                      fstat(file_.get(), &info) != 0 || info.st_nlink == 0))
            file_ = Fd();
    }
    return bool(file_);
}

Record::~Record()
{
    if (!file_)
        return;
    unlinkat(folder_.get(), name_.c_str(), 0);
    remove_record_folder();
}

size_t Record::add(const std::string &path, const std::vector<UprobeSite> &sites)
{
    size_t before = length_;
    auto id = proc::file_id(path);
    if (!id)
        return before;
    if (!std::exchange(tried_, true) && !create())
        error_ = errno ? errno : ENOENT;
    if (!file_)
        return before;
    std::string text;
    append_format(text, "file {} {}\n", id->device, id->inode);
    for (const UprobeSite &site : sites)
        append_format(text, "{:x} {:x}\n", site.offset, site.ref_ctr_offset);
    ssize_t written = write(file_.get(), text.data(), text.size());
    if (written > 0)
        length_ += written;
    return before;
}

std::vector<Noted> Record::others()
{
    std::vector<Noted> all;
    auto folder = open_record_folder();
    DIR *directory = folder ? fdopendir(fcntl(folder->get(), F_DUPFD_CLOEXEC, 0)) : nullptr;
    if (!directory)
        return all;
    while (const dirent *entry = readdir(directory)) {
        std::string name = entry->d_name;
        if (name[0] == '.' || name == own().name_)
            continue;
        Fd file(
            openat(folder->get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
        auto text = read_file(fmt::format("/proc/self/fd/{}", file.get()));
        for (Noted &noted : text ? parse_record(*text) : std::vector<Noted>())
            all.push_back(std::move(noted));
    }
    closedir(directory);
    return all;
}

void Record::cut(size_t length)
{
    if (file_ && length < length_ && ftruncate(file_.get(), length) == 0)
        length_ = length;
}

}  // namespace uscope::attach
