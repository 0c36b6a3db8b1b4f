// The values of an event's or a key's fields, Go's interfaces among them told by their types.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "go/interface.h"
#include "output/printf.h"
#include "probe/set.h"

namespace uscope::probe {

class Values {
  public:
    // `string_bytes`: as the programs were built with.
    explicit Values(uint32_t string_bytes) : string_bytes_(string_bytes) {}

    // One for each that the probe asks for. Text points into `record`, or here until the next call. The caller may
    // change them.
    std::vector<output::Value> &read(const Program &program, uint32_t layout, Bytes record);

  private:
    output::Value interface(const Program &program, const output::Value &type);

    uint32_t string_bytes_;
    std::vector<output::Value> values_, parts_;
    std::deque<std::string> texts_;
    std::map<const elf::Image *, go::Interfaces> interfaces_;
};

}  // namespace uscope::probe
