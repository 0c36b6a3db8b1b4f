// Opens a tool's output, and writes its additional files, such as flame graphs.
#include <cstdlib>

#include <unistd.h>

#include "base/format.h"
#include "base/progress.h"
#include "output/amount.h"
#include "output/file.h"
#include "output/heatmap.h"
#include "run/tool.h"

namespace uscope::run {

Result<> Tool::open_output()
{
    if (!output_.file.empty()) {
        TRY(out_.redirect(output_.file));
        interactive_ = false;
    }
    bool colours = output_.file.empty() && output_.colours(STDOUT_FILENO);
    out_.set_style({.headings = !quiet(), .colours = colours, .csv = output_.csv});
    if (!quiet() && isatty(STDERR_FILENO) && output::understands_escapes(getenv("TERM")))
        start_progress(name());
    return {};
}

int Tool::command_output() const
{
    return interactive_ || !output_.file.empty() ? STDOUT_FILENO : STDERR_FILENO;
}

void Tool::note_file(const std::string &path, uint64_t count, std::string_view what)
{
    Written &file = written_.by_path[path];
    file.count = count;
    file.what = what;
    file.is_ours |= count != 0;
}

Result<> Tool::write_file(const std::string &path, std::string_view text, uint64_t count,
                          std::string_view what)
{
    if (path == "-") {
        if (count)
            written_.last_output = text;
        return {};
    }
    note_file(path, count, what);
    return written_.by_path[path].is_ours ? output::write_whole(path, text) : Result<>();
}

void Tool::end()
{
    for (const auto &action : std::exchange(callbacks_.end, {}))
        action();
    out_.buffer() += written_.last_output;
    out_.flush();
    if (!output_.file.empty() && out_.ok())
        note_file(output_.file, out_.lines(), "lines");
    if (quiet())
        return;
    for (const auto &[path, file] : written_.by_path) {
        bool exists = access(path.c_str(), F_OK) == 0;
        if (file.is_ours)
            note("wrote {}, {}", path, output::amount_text(file.count, file.what));
        else
            note("no {}: {} is {}", file.what, path, exists ? "unchanged" : "not written");
    }
}

}  // namespace uscope::run
