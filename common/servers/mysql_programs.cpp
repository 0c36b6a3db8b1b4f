// Creates a constant map for each server's program.
#include "servers/mysql_programs.h"

#include "attach/map.h"
#include "probe/program.h"

namespace uscope::servers {

Result<probe::ProbeSet> MysqlPrograms::build(const proc::FoundFile &program,
                                             const db::MysqlServer &server,
                                             const StatementFeatures &features,
                                             const probe::BuildOptions &options)
{
    statement_server constants = mysql_constants(server);
    auto probes = TRY(mysql_statements(program.open_path, server, features));
    constants_[program.open_path] =
        TRY(attach::create_constant("statements", {&constants, sizeof(constants)}));
    return probe::ProbeSet::build(std::move(probes), options);
}

int MysqlPrograms::constants_of(const probe::Program &program) const
{
    auto constants = constants_.find(program.probe->spec.library.text);
    return constants == constants_.end() ? -1 : constants->second.get();
}

}  // namespace uscope::servers
