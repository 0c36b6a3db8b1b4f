// What a running HotSpot says of itself, for debuggers: its version and its flags.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "lang/memory.h"
#include "lang/version.h"

namespace uscope::lang {

class Hotspot {
  public:
    // Nothing when the file has no such tables, or the process no JVM yet.
    static std::optional<Hotspot> open(const Memory &memory);

    // Of the JDK: 17.0.21, 8.0.392 (which numbers its HotSpot 25.392).
    Version version() const;
    // Those of the flags, such as -XX:+DTraceMethodProbes, that this JVM knows. None while it is starting, before it
    // has a heap.
    std::map<std::string, bool> flags(const std::set<std::string> &names) const;
    // Where a JavaThread has a field. Nothing: it has none of that name, or does not tell.
    std::optional<uint64_t> thread_field(const std::string &name) const;

  private:
    explicit Hotspot(const Memory &memory) : memory_(memory) {}

    const Memory &memory_;
    uint64_t version_ = 0;            // char *
    uint64_t heap_ = 0;               // CollectedHeap *
    uint64_t flags_ = 0, count_ = 0;  // the array's address, and how many there are
    uint64_t flag_bytes_ = 0, name_offset_ = 0, address_offset_ = 0;
    std::map<std::string, uint64_t> thread_fields_;
};

}  // namespace uscope::lang
