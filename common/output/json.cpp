// Starts notices.
#include "output/json.h"

#include "output/clock.h"

namespace uscope::output {

JsonObject notice(std::string &out, std::string_view type)
{
    JsonObject object(out);
    object.add("type", type).add("time_ns", Clock::now_unix_ns());
    return object;
}

}  // namespace uscope::output
