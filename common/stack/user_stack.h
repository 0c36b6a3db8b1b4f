// The stack of a thread in user space, as a walk has found it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lang/interpreted_frame.h"
#include "lang/jit_method.h"
#include "lib/unwind.h"

namespace uscope::stack {

struct UserStack {
    std::vector<uint64_t> addresses;  // the leaf first
    unwind_end end = UNWIND_WHOLE;
    uint64_t ts_ns = 0;  // when it was so (CLOCK_MONOTONIC); 0: now
    // What an interpreter executed meanwhile, the newest first, and whether that is all of it.
    std::vector<lang::InterpretedFrame> interpreted = {};
    unwind_end interpreted_end = UNWIND_WHOLE;
    // Which of the addresses are a JVM's interpreter's, or V8's, and what that executes.
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
    // What a JVM, or V8, executes at an address: methods that are inlined, the innermost first, and the one that they
    // are in; or the name of code that is no method's.
    struct Made {
        uint32_t index;
        std::shared_ptr<const std::vector<lang::JitMethod>> methods;
    };
    std::vector<Made> made = {};
};
// Why it is not whole: "deeper than 127 frames"; "" when it is.
std::string describe(unwind_end end);

}  // namespace uscope::stack
