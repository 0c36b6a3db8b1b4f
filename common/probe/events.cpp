// Loads bpf/shared/events.bpf.c with the generated programs, and decodes their records.
#include "probe/events.h"

#include "bpf/lib/event.h"

#include "events.skel.h"

#include "attach/attach.h"
#include "expr/record.h"
#include "kernel/object.h"
#include "kernel/ring.h"
#include "probe/kernel_maps.h"
#include "probe/program.h"
#include "run/session.h"

namespace uscope::probe {
namespace {

constexpr uint32_t buffer_bytes = 4 << 20;

}  // namespace

expr::EventOutput record_output()
{
    return {expr::OutputKind::Record, "event_emit", sizeof(event_header)};
}

Result<kernel::Object<events_bpf>> open_events(const run::Processes &processes,
                                               uint32_t buffer_bytes)
{
    auto object = TRY(kernel::Object<events_bpf>::open());
    expr::ProcessFilter filter = processes.filter(false);
    event_config &config = object->rodata->event_config;
    config.wakeup_bytes = kernel::wakeup_bytes(buffer_bytes);
    config.pidns_device = filter.pidns_device;
    config.pidns_inode = filter.pidns_inode;
    bpf_map__set_max_entries(object->maps.event_ring, buffer_bytes);
    return object;
}

Result<> run_events(run::Tool &tool, const run::Processes &processes, ProbeSet &probes,
                    const EventRun &run)
{
    auto object = TRY(open_events(processes, buffer_bytes));
    KernelMaps maps(object);
    TRY(maps.prepare(probes, processes));
    TRY(object.load());

    std::vector<output::Value> values;
    auto on_record = [&](Bytes record) {
        auto header = record.read<event_header>(0);
        if (!header || header->probe >= probes.programs().size())
            return true;
        const Program &program = *probes.programs()[header->probe];
        if (header->layout >= program.main.layouts.size())
            return true;
        values.clear();
        for (const expr::Field &field : program.main.layouts[header->layout].fields)
            values.push_back(expr::read_field(field, record, run.string_bytes));
        std::string_view comm(header->comm, strnlen(header->comm, sizeof header->comm));
        run.on_event(
            {*program.probe, header->ts_ns, pid_t(header->tgid), pid_t(header->tid), comm, values});
        return true;
    };
    run::Session session(tool, run.options);
    TRY(session.open());
    int events = bpf_map__fd(object->maps.event_ring);
    TRY(session.read({events, buffer_bytes,
                      run::Losses(bpf_map__fd(object->maps.event_lost),
                                  {.reasons = {"the buffer was full",
                                               "too many calls were under way at the same time"}}),
                      on_record}));
    if (run.history)
        TRY(session.learn(run.history->fd(), [&] { run.history->learn(); }));
    auto follower = TRY(maps.attach(probes, processes, [&](const Program &) {
        return ProgramBinding{{expr::MapSlot::Events, events}};
    }));
    TRY(session.end_with(processes.targets(follower)));
    run.begin();
    tool.out().flush();
    return session.run(run.what, [&] { probes.detach(); });
}

}  // namespace uscope::probe
