// Pairs runs of interpreted frames with the C frames that executed them.
#include "symbols/merge_interpreted.h"

#include <algorithm>
#include <utility>

#include "base/format.h"

namespace uscope::symbols {
namespace {

using Frames = std::vector<FrameAt>;

// Whether this is a frame of JIT code, which also executes interpreted frames, without the loop.
bool is_compiled(const Frame &frame)
{
    return frame.module.empty();
}

Frame named(const lang::InterpretedFrame &frame)
{
    Frame result = {.function = frame.function, .known = true, .source = frame.source};
    result.is_interpreted = true;
    result.kind = output::FrameKind::Interpreted;
    if (frame.function.empty())
        result.function = too_late;
    return result;
}

std::string without_line(const std::string &source)
{
    return source.substr(0, source.rfind(':'));
}

// How many frames are between a loop and the same loop's frame that called it; 0: something else
// called it.
size_t reentry(const Frames &frames, size_t loop)
{
    constexpr size_t max_between = 2;
    const FrameAt &by = frames[std::min(loop + 1, frames.size() - 1)];
    std::string_view name = frames[loop].reenters_by;
    if (name.empty() || (by.known && by.function.find(name) == std::string::npos))
        return 0;
    for (size_t i = 1; i <= max_between + 1 && loop + i < frames.size(); i++) {
        const FrameAt &frame = frames[loop + i];
        if (frame.is_loop || frame.module != frames[loop].module)
            return frame.is_loop ? i - 1 : 0;
    }
    return 0;
}

// If a loop has called itself, keeps only the newest activation.
Frames without_reentries(Frames frames)
{
    Frames found;
    for (size_t i = 0; i < frames.size(); i++) {
        size_t last = i;
        while (size_t between = reentry(frames, last))
            last += between + 1;
        found.push_back(std::move(frames[i]));
        i = last;
    }
    return found;
}

class Merger {
  public:
    Merger(const unwind::UserStack &stack, const Frames &frames) : stack_(stack)
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

    // Replaces a C frame by the run that it executes. Returns false if it executes none.
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
        // JIT code writes its position to memory only before it calls code that may ask for it.
        has_unreliable_line_ |= frame.has_stale_line && next_ == 0;
        take_run(frame.address, into);
        return true;
    }

    // Appends the runs whose loops are missing from the C frames or on another stack.
    void take_rest(Frames &into)
    {
        if (has_root_)
            next_ = std::max(next_, tail_);
        while (next_ < all())
            take_run(0, into);
    }

  private:
    // The number of activations of JIT code. Adjacent frames of JIT code are one activation.
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
            if (frame.is_stack_end)
                continue;
            into.push_back({named(frame), address});
            if (std::exchange(has_unreliable_line_, false))
                into.back().source = without_line(frame.source);
        }
        if (next_ == all() && stack_.interpreted_end != UNWIND_WHOLE)
            into.push_back({cut(), address});
    }
    // Skips a run whose loop is missing. A block of Perl that has not begun may still contain the
    // caller of the block that was there before, so the line of the next frame is unreliable.
    void skip_run()
    {
        while (next_ < own_ && !stack_.interpreted[next_++].ends) {
        }
        has_unreliable_line_ = next_ > 0 && stack_.interpreted[next_ - 1].is_block;
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

    const unwind::UserStack &stack_;
    // How many frames belong to this C stack (own_), and of these, how many to activations of the
    // loop (tail_): C functions with frames of their own may have been called after the last one.
    size_t own_ = 0, tail_ = 0;
    size_t next_ = 0, loops_left_ = 0, compiled_left_ = 0;
    bool has_root_ = false, was_compiled_ = false;
    bool has_unreliable_line_ = false;  // of the next frame
};

}  // namespace

std::vector<FrameAt> merge_interpreted(std::vector<FrameAt> frames, const unwind::UserStack &stack)
{
    if (stack.interpreted.empty())
        return frames;
    frames = without_reentries(std::move(frames));
    Frames found;
    Merger merger(stack, frames);
    for (FrameAt &frame : frames)
        if (!merger.take(frame, found))
            found.push_back(std::move(frame));
    merger.take_rest(found);
    return found;
}

}  // namespace uscope::symbols
