// The functions of the kernel at addresses, as the kernel itself names them.
//
// A program asks it for one name at a time (bpf_snprintf() with %pS, Linux 5.13), in a few microseconds.
// /proc/kallsyms, which is all there is on older kernels, has to be read whole: 200,000 lines, 50 ms and 5 MB.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace uscope::stack {
struct Frame;
}

namespace uscope::attach {

// Of the kernel's "name+0x1a/0x80" or "name+0x1a/0x80 [module]"; nothing of the number that it writes where no
// function is.
std::optional<stack::Frame> parse_kernel_name(std::string_view text);

class KernelNames {
  public:
    KernelNames();
    KernelNames(KernelNames &&) noexcept;
    ~KernelNames();
    // Unknown where there is no function.
    const stack::Frame &find(uint64_t address);
    // Of a stack, the leaf first.
    std::vector<stack::Frame> find_stack(const std::vector<uint64_t> &addresses);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace uscope::attach
