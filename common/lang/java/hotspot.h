// Reads the version, flags and thread layout of a running HotSpot from the tables that it has for
// debuggers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "lang/java/hotspot_fields.h"
#include "lang/version.h"

namespace uscope::lang {

class Hotspot {
  public:
    // Returns nullopt if the file has no such tables or the process has no JVM yet. `memory` must
    // outlive the result.
    static std::optional<Hotspot> open(const Memory &memory);

    // The version of the JDK: 17.0.21, 8.0.392 (whose HotSpot has the version 25.392).
    Version version() const;
    // Returns for each of these flags, such as DTraceMethodProbes, whether it is on; flags that the
    // JVM does not know are absent. Empty while the JVM is starting and has no heap yet.
    std::map<std::string, bool> flags(const std::set<std::string> &names) const;
    // Returns the offset of a field in JavaThread, or nullopt if the tables do not have the field.
    std::optional<uint64_t> thread_field(const std::string &name) const;

  private:
    Hotspot(const Memory &memory, HotspotFields fields)
        : memory_(memory), fields_(std::move(fields))
    {
    }

    const Memory &memory_;
    HotspotFields fields_;
    uint64_t version_ = 0;            // char *
    uint64_t heap_ = 0;               // CollectedHeap *
    uint64_t flags_ = 0, count_ = 0;  // the address of the array, its length
    HotspotField flag_name_, flag_address_;
    uint64_t flag_bytes_ = 0;
};

}  // namespace uscope::lang
