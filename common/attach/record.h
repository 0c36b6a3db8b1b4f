// What a tool has attached, noted for the next one, should it be killed.
//
// SIGKILL in the middle of attaching or detaching leaves breakpoints in the traced programs
// (attach/signals.h), and the kernel shows nobody where. To attach to the same places once more and
// detach in order removes them, from all processes. So each tool notes the places before it attaches
// to them, in /run/uscope/PID (users other than root: /run/user/UID/uscope/PID), and removes the
// file at its end. It holds a lock on it, which ends with the process: an unlocked
// file is that of a tool that was killed. For example:
//
//     file 2050 1311          device and inode, as stat() tells them
//     12f40 0                 offset in the file, offset of its semaphore or 0
//     12f80 40a8
//
// Without such a folder nothing is noted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attach/uprobe_event.h"
#include "base/fd.h"
#include "proc/maps.h"

namespace uscope::attach {

struct Noted {  // of one file
    proc::FileId file;
    std::vector<UprobeSite> sites;
};
// Lines that are malformed are skipped: a killed tool may not have finished its last one.
std::vector<Noted> parse_record(std::string_view text);

// The folder of this user's records. Nothing when there is none, or when others may write there.
std::optional<Fd> open_record_folder();
void remove_record_folder();  // if it is empty

// This process's own.
class Record {
  public:
    static Record &own();
    Record(const Record &) = delete;
    ~Record();  // when nothing is attached any more

    // Notes the places. Returns the length to cut() to if the kernel refuses them.
    size_t add(const std::string &path, const std::vector<UprobeSite> &sites);
    void cut(size_t length);
    // Why nothing can be noted; 0: it can.
    int error() const { return error_; }

    // What the records of all other processes say.
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
