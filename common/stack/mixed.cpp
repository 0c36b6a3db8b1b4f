#include "stack/mixed.h"

#include <algorithm>
#include <utility>

#include "base/format.h"

namespace uscope::stack {
namespace {

using Frames = std::vector<FrameAt>;

// Code that a JIT compiler has made executes frames, too, without the loop.
bool is_compiled(const Frame &frame)
{
    return frame.module.empty();
}

Frame named(const lang::InterpretedFrame &frame)
{
    Frame made = {.function = frame.function, .known = true, .source = frame.source};
    made.is_interpreted = true;
    if (frame.function.empty())
        made.function = "[too late to read its name]";
    return made;
}

class Mixer {
  public:
    Mixer(const UserStack &stack, const Frames &frames) : stack_(stack)
    {
        size_t loops = size_t(std::count_if(frames.begin(), frames.end(),
                                            [](const auto &frame) { return frame.is_loop; }));
        auto begin = stack.interpreted.begin();
        auto end = std::find_if(begin, stack.interpreted.end(),
                                [](const auto &frame) { return frame.is_stack_end; });
        own_ = size_t(end - begin);
        bool has_all = own_ < all() || stack.interpreted_end == UNWIND_WHOLE;
        tail_ = own_;
        while (has_all && tail_ > 0 && !stack.interpreted[tail_ - 1].ends)
            tail_--;
        size_t runs =
            size_t(std::count_if(begin, end, [](const auto &frame) { return frame.ends; }));
        has_root_ = stack.end == UNWIND_WHOLE || (!frames.empty() && frames.back().is_start);
        bool is_whole = has_root_ && has_all;
        loops_left_ = is_whole && loops > runs ? loops - runs : 0;
        if (is_whole && runs > loops)
            compiled_left_ = std::min(runs - loops, compiled(frames));
        for (size_t i = runs; is_whole && i > loops + compiled_left_; i--)
            skip_run();
    }

    // What stands for a C frame; false: it does itself.
    bool take(const FrameAt &frame, Frames &into)
    {
        bool is_first = !std::exchange(was_compiled_, is_compiled(frame)) && was_compiled_;
        bool executes = frame.is_loop || (is_first && compiled_left_ > 0);
        if (!executes || next_ >= tail_)
            return false;
        compiled_left_ -= !frame.is_loop;
        if (loops_left_ > 0) {
            loops_left_--;
            return false;
        }
        take_run(frame.address, into);
        return true;
    }

    // Those whose loops are beyond the C frames that are known, or on another stack.
    void take_rest(Frames &into)
    {
        if (has_root_)
            next_ = std::max(next_, tail_);
        while (next_ < all())
            take_run(0, into);
    }

  private:
    // Activations of compiled code: frames of it that follow each other are one.
    static size_t compiled(const Frames &frames)
    {
        size_t count = 0;
        bool before = false;
        for (const FrameAt &frame : frames)
            count += !std::exchange(before, is_compiled(frame)) && before;
        return count;
    }
    void take_run(uint64_t address, Frames &into)
    {
        for (bool ends = false; !ends && next_ < all(); next_++) {
            const lang::InterpretedFrame &frame = stack_.interpreted[next_];
            ends = frame.ends || frame.is_stack_end;
            if (!frame.is_stack_end)
                into.push_back({named(frame), address});
        }
        if (next_ == all() && stack_.interpreted_end != UNWIND_WHOLE)
            into.push_back({cut(), address});
    }
    void skip_run()
    {
        while (next_ < own_ && !stack_.interpreted[next_++].ends) {
        }
    }
    size_t all() const { return stack_.interpreted.size(); }
    Frame cut() const
    {
        bool is_deep = stack_.interpreted_end == UNWIND_DEEP;
        Frame frame = {
            .function = is_deep ? fmt::format("[cut: deeper than {} frames]", +UNWIND_INTERPRETED)
                                : "[cut: unreadable frames]"};
        frame.is_interpreted = true;
        return frame;
    }

    const UserStack &stack_;
    // So many belong to this C stack; and to activations of the loop: C may call functions in C that have frames, too.
    size_t own_ = 0, tail_ = 0;
    size_t next_ = 0, loops_left_ = 0, compiled_left_ = 0;
    bool has_root_ = false, was_compiled_ = false;
};

}  // namespace

std::vector<FrameAt> mixed(std::vector<FrameAt> frames, const UserStack &stack)
{
    if (stack.interpreted.empty())
        return frames;
    Frames found;
    Mixer mixer(stack, frames);
    for (FrameAt &frame : frames)
        if (!mixer.take(frame, found))
            found.push_back(std::move(frame));
    mixer.take_rest(found);
    return found;
}

}  // namespace uscope::stack
