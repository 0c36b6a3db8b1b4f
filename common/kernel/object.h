// Owns a BPF object through the skeleton that bpftool generated for it.
#pragma once

#include <string>
#include <utility>

#include <bpf/libbpf.h>

#include "base/result.h"

namespace uscope::kernel {

// After this call, libbpf's warnings are stored instead of printed. libbpf_message() returns the
// last one, for the text of an error.
void keep_libbpf_messages();
std::string libbpf_message();

// Kernels before 6.1 log warnings about programs that create map entries. On such kernels, makes
// these maps preallocate their entries, and reduces the capacity of large maps to 32 MB.
void suit_maps_to_kernel(bpf_object *object);

// Turns the return value of libbpf's load function into a Result. Errors say what this process or
// this kernel lacks; if neither is known to lack anything, they contain libbpf's message.
Result<> load_result(int error);

template <class Skeleton>
class Object {
  public:
    static Result<Object> open()
    {
        keep_libbpf_messages();
        Skeleton *skeleton = Skeleton::open(nullptr);
        if (!skeleton)
            return fail_errno("cannot open the BPF object");
        return Object(skeleton);
    }
    Object(Object &&other) noexcept : skeleton_(std::exchange(other.skeleton_, nullptr)) {}
    Object &operator=(Object &&) = delete;
    ~Object()
    {
        if (skeleton_)
            Skeleton::destroy(skeleton_);
    }

    Result<> load()
    {
        suit_maps_to_kernel(skeleton_->obj);
        return load_result(Skeleton::load(skeleton_));
    }

    Skeleton *operator->() { return skeleton_; }

  private:
    explicit Object(Skeleton *skeleton) : skeleton_(skeleton) {}
    Skeleton *skeleton_;
};

}  // namespace uscope::kernel
