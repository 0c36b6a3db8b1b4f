// What the kernel reports about a Redis server's commands (bpf/lib/redis.h), as a person would type them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "lib/redis.h"

namespace uscope::db {

class RedisCommand {
  public:
    struct Argument {
        uint32_t kind;
        uint64_t length;
        std::string_view text;  // as long as the record and the command are there
        bool is_cut() const { return text.size() < length; }
    };

    // Of texts the first `argument_bytes` are in the record. Of a command with secrets only the name
    // is kept. False: the record is none.
    bool read(Bytes record, uint32_t argument_bytes);

    const redis_event &event() const { return event_; }
    // The code of its error; "" when it has not failed, or when the server's errors are not seen.
    std::string_view error() const { return error_; }
    // ok, the code, - when the server's errors are not seen.
    std::string_view status() const;
    const std::vector<Argument> &arguments() const { return arguments_; }
    std::string name() const;  // in lower case; "" when it is not known

    // set key "two words"; safe for a terminal.
    std::string text() const;
    // ["set","key",{"text":"aaa","length":1000},null]
    std::string json() const;

  private:
    redis_event event_;
    std::string error_;
    std::vector<Argument> arguments_;
    std::string number_texts_[REDIS_ARGUMENTS];
};

}  // namespace uscope::db
