// A Redis server's command from the kernel's record (bpf/servers/redis.h), formatted as a person
// would type it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "bpf/servers/redis.h"

namespace uscope::db {

class RedisCommand {
  public:
    struct Argument {
        uint32_t kind;
        uint64_t length;
        std::string_view text;  // valid as long as the record and this object
        bool is_cut() const { return text.size() < length; }
    };

    // `argument_bytes`: a record contains at most this many bytes of each text. Keeps only the name
    // of a command with secrets. Returns false if the record is damaged.
    bool read(Bytes record, uint32_t argument_bytes);

    const redis_event &event() const { return event_; }
    // The error's code; "" if the command did not fail, or the server's errors are not seen.
    std::string_view error() const { return error_; }
    // "ok", the error's code, or "-" if the server's errors are not seen.
    std::string_view status() const;
    const std::vector<Argument> &arguments() const { return arguments_; }
    std::string name() const;  // in lower case; "" if unknown

    // For example: set key "two words". Safe for a terminal.
    std::string text() const;
    // For example: ["set","key",{"text":"aaa","length":1000},null]; null: unreadable.
    std::string json() const;

  private:
    redis_event event_;
    std::string error_;
    std::vector<Argument> arguments_;
    std::string number_texts_[REDIS_ARGUMENTS];
};

}  // namespace uscope::db
