// Notes what a tool attaches, so that the next tool can clean up if this one is killed.
//
// SIGKILL in the middle of attaching or detaching leaves breakpoints in the traced programs
// (attach/signals.h), and the kernel does not show where. Attaching to the same sites again and
// detaching properly removes them, from all processes. So each tool notes sites before it attaches
// to them, in /run/uscope/PID (users other than root: /run/user/UID/uscope/PID), and removes the
// file when it ends. It holds a lock on the file, which ends with the process: an unlocked file
// belongs to a tool that was killed. For example:
//
//     file 2050 1311          device and inode, as in stat()
//     12f40 0                 offset in the file, offset of its semaphore or 0
//     12f80 40a8
//
// If the directory cannot be created, nothing is noted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attach/uprobe_event.h"
#include "base/fd.h"
#include "proc/maps.h"

namespace uscope::attach {

struct Noted {  // the sites noted in one file
    proc::FileId file;
    std::vector<UprobeSite> sites;
};
// Stops at the first malformed line: a killed tool may not have finished its last one.
std::vector<Noted> parse_record(std::string_view text);

// The directory of this user's records; nullopt if it does not exist, or if others may write there.
std::optional<Fd> open_record_folder();
void remove_record_folder();  // if it is empty

// This process's own record.
class Record {
  public:
    static Record &own();
    Record(const Record &) = delete;
    ~Record();  // removes the file; nothing is attached any more

    // Notes the sites. Returns the previous length: cut() to it if the kernel refuses the sites.
    size_t add(const std::string &path, const std::vector<UprobeSite> &sites);
    void cut(size_t length);
    // errno if sites could not be noted; else 0.
    int error() const { return error_; }

    // The contents of the records of all other processes.
    static std::vector<Noted> others();

  private:
    Record() = default;
    bool create();

    Fd folder_, file_;
    std::string name_;
    size_t length_ = 0;
    bool tried_ = false;
    int error_ = 0;
};

}  // namespace uscope::attach
