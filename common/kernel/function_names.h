// Names of kernel functions, from the kernel itself.
//
// A program asks the kernel for one name at a time (bpf_snprintf() with %pS, Linux 5.13), in a few
// microseconds. Older kernels only have /proc/kallsyms, which must be read completely: 200,000
// lines, 50 ms and 5 MB.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace uscope::symbols {
struct Frame;
}  // namespace uscope::symbols

namespace uscope::kernel {

// Parses "name+0x1a/0x80" or "name+0x1a/0x80 [module]". Returns nullopt if `text` is only a number,
// which the kernel writes for an address that is in no function.
std::optional<symbols::Frame> parse_kernel_name(std::string_view text);

class FunctionNames {
  public:
    FunctionNames();
    FunctionNames(FunctionNames &&) noexcept;
    ~FunctionNames();
    // Returns a frame with `known` = false if the address is in no function.
    const symbols::Frame &find(uint64_t address);
    // Names the addresses of a stack: that of the leaf first, then return addresses.
    std::vector<symbols::Frame> find_stack(const std::vector<uint64_t> &addresses);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace uscope::kernel
