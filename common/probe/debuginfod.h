// Debug files of traced programs and libraries from debuginfod servers (debuginfod(8) of elfutils):
//
//     GET /buildid/439da8d9…/debuginfo    the debug file, which has the build-id 439da8d9…
//
// A server is asked only if the user names it. Files that were received are kept in
// /var/cache/uscope/debuginfod (base/cache_folder.h). The tools also use what debuginfod-find has
// saved.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/cache_folder.h"
#include "base/result.h"
#include "elf/debug_file.h"
#include "telemetry/http_client.h"

namespace uscope::run {
class Tool;
}

namespace uscope::probe {

class Debuginfod {
  public:
    // `cache`: keeps the files; `client_cache`: where debuginfod-find saves files, or "".
    explicit Debuginfod(CacheFolder cache = CacheFolder(CacheFolder::usual_path("debuginfod")),
                        std::string client_cache = usual_client_cache());
    // The folder of debuginfod-find, by the environment variables that it reads; "" if unknown.
    static std::string usual_client_cache();

    // `text`: a URL, or "env" for those of DEBUGINFOD_URLS. Errors: wrong usage.
    Result<> add(std::string_view text);

    // Returns the file for the image's build-id as try_debug_files() does. Each server is asked
    // once for each build-id, and no more if it cannot be reached. `path`: for problems.
    std::vector<elf::DebugFileAttempt> find(const elf::Image &image, const std::string &path,
                                            elf::Download download);

    // Returns why files were not received, one text for each program, and forgets it.
    std::vector<std::string> take_problems() { return std::move(problems_); }

  private:
    struct Server {
        std::string url, problem;  // `problem`: why it is not asked
        std::unique_ptr<telemetry::HttpClient> client;
    };
    Result<> add_url(std::string_view url);
    std::string find_cached(const std::string &build_id, const std::string &name) const;
    elf::DebugFileAttempt download(Server &server, const std::string &build_id,
                                   const std::string &name);
    std::string receive(Server &server, const std::string &path, const std::string &build_id,
                        int fd) const;

    CacheFolder cache_;
    std::string client_cache_;
    std::vector<Server> servers_;
    std::map<std::string, std::vector<elf::DebugFileAttempt>> asked_;  // by build-id
    std::vector<std::string> problems_;
};

// Declares --debug-dir and --debuginfod, for tools with probes on programs.
void declare_debug_files(run::Tool &tool);
// Prints notes: for which files the servers had no debug file.
void note_debug_files(run::Tool &tool);

}  // namespace uscope::probe
