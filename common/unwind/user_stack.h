// A thread's stack in user space, as found by a walk.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bpf/unwind/unwind.h"
#include "lang/interpreted_frame.h"
#include "lang/jit_method.h"

namespace uscope::unwind {

struct UserStack {
    std::vector<uint64_t> addresses;  // the leaf first
    unwind_end end = UNWIND_WHOLE;
    uint64_t ts_ns = 0;  // when the stack was like this (CLOCK_MONOTONIC); 0: now
    // The frames that an interpreter was executing at the same time, the newest first, and how that
    // list ends.
    std::vector<lang::InterpretedFrame> interpreted = {};
    unwind_end interpreted_end = UNWIND_WHOLE;
    // Frames of a JVM's interpreter or of V8, and what they execute. `index`: in `addresses`.
    struct JitFrame {
        uint32_t index;
        uint64_t method, bytecode;  // lang::HotspotCode::interpreted(), lang::V8Code::function()
        enum class Kind : uint8_t {
            Jvm,
            V8,
            V8Function
        } kind = Kind::Jvm;  // V8Function: `method` is the function itself
    };
    std::vector<JitFrame> jit_frames = {};
    // What the JIT code at an address executes (JVM, V8): inlined methods, the innermost first, and
    // last the method that they are inlined into; or the name of code that is not a method's.
    struct NamedJit {
        uint32_t index;
        std::shared_ptr<const std::vector<lang::JitMethod>> methods;
        bool is_interpreted = false;  // the runtime executes the bytecodes of the method
    };
    std::vector<NamedJit> named_jit = {};
};
// Why the stack is incomplete: "deeper than 127 frames"; "" if it is complete.
std::string describe(unwind_end end);

}  // namespace uscope::unwind
