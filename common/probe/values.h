// Reads the values of an event or a key. Makes a text of a Go interface, which describes its type
// and value, of a structure, and of an address of the network.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "expr/record.h"
#include "expr/whole.h"
#include "go/interface.h"
#include "output/printf.h"
#include "probe/set.h"
#include "types/type.h"

namespace uscope::probe {

class Values {
  public:
    // `string_bytes`: as in BuildOptions.
    explicit Values(uint32_t string_bytes) : string_bytes_(string_bytes) {}

    // Returns one value for each of ProbeRequest::values, followed by the goroutine's number if the
    // program records it. `layout`: the index of the record's layout. Texts point into `record` or
    // into this object, and are valid until the next call. The caller may change the values.
    std::vector<output::Value> &read(const Program &program, uint32_t layout, Bytes record);

  private:
    const std::string &constant_name(const types::Type &type, int64_t value);
    output::Value interface(const Program &program, const output::Value &type);
    output::Value net_address(const output::Value &bytes);
    output::Value wide_text(const expr::Field &field, const output::Value &bytes);
    output::Value whole(const expr::Whole &whole, const output::Value &bytes);

    uint32_t string_bytes_;
    std::vector<output::Value> values_, parts_;
    std::deque<std::string> texts_;
    std::map<const elf::Image *, go::Interfaces> interfaces_;
    std::map<std::pair<const types::Type *, int64_t>, std::string> constants_;
};

}  // namespace uscope::probe
