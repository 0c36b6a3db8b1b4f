// Owns a BPF object by its bpftool skeleton.
#pragma once

#include <string>
#include <utility>

#include <bpf/libbpf.h>

#include "base/result.h"

namespace uscope::attach {

// From now on, libbpf's warnings are kept instead of printed. libbpf_message() returns the last
// one, for an error's text.
void keep_libbpf_messages();
std::string libbpf_message();

// Kernels before 6.1 log warnings about programs that create map entries. There, makes maps
// preallocate their entries, and reduces the capacity of large ones.
void suit_maps_to_kernel(bpf_object *object);

// The result of loading an object. Errors say what this process or this kernel lacks, else what
// libbpf reported.
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

}  // namespace uscope::attach
