// Notes what a tool attaches, so that the next tool can clean up if this one is killed.
//
// If SIGKILL ends a tool that is attaching or detaching probes, breakpoints stay in the traced
// programs (attach/signals.h), and the kernel does not show where. To remove them from all
// processes, another tool has to attach to the same sites and detach properly. So each tool notes
// its sites before it attaches to them, in its record /run/uscope/PID (for users other than root,
// /run/user/UID/uscope/PID), and removes the file when it ends. While a tool runs, it holds a lock
// on its record, which the kernel releases when the process ends: an unlocked record belongs to a
// tool that was killed. An example of a record:
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
// Stops at the first malformed line, because a killed tool may not have finished its last line.
std::vector<Noted> parse_record(std::string_view text);

// Opens the directory of this user's records. Returns nullopt if it does not exist, or if others
// have access to it.
std::optional<Fd> open_record_folder();
void remove_record_folder();  // unless a file is in it

// This process's own record.
class Record {
  public:
    static Record &own();
    Record(const Record &) = delete;
    ~Record();  // removes the file; by then, all probes must be detached

    // Appends the sites to the record. Returns the record's length before that in bytes, for cut()
    // in case the kernel refuses the sites.
    size_t add(const std::string &path, const std::vector<UprobeSite> &sites);
    void cut(size_t length);  // shortens the record
    // errno if the record could not be created, else 0.
    int error() const { return error_; }

    // Reads the records of all other tools that this user runs or has run.
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
