// Attaches the probes of a tool that counts, and shows the counts at intervals.
#include "probe/counts.h"

#include "probe/setup.h"

namespace uscope::probe {

Result<CallEnds> run_loaded(run::Tool &tool, const KernelMaps &maps, ProbeSet &probes,
                            run::Losses losses, const CountRun &run)
{
    if (run.open)
        TRY(run.open());
    auto follower = TRY(maps.attach(probes, run.processes, [&](const Program &program) {
        return ProgramBinding{{expr::MapSlot::Table, run.table(program)}};
    }));
    note_left_out(tool, probes);
    if (run.begin)
        TRY(run.begin());
    auto show = [&]() -> Result<> {
        if (run.stacks)
            run.stacks->learn();
        TRY(run.show());
        if (run.stacks)
            run.stacks->report_lost(run.events);
        return losses.report(tool);
    };
    auto listen = [&](run::Loop &loop) -> Result<> {
        if (run.listen)
            TRY(run.listen(loop));
        return run.stacks ? run.stacks->listen(loop) : Result<>();
    };
    TRY(run.intervals.run(tool, run.what, run.processes.targets(follower), show, listen));
    return maps.call_ends();
}

}  // namespace uscope::probe
