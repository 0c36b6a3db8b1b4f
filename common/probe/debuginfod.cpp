// Asks servers for debug files, and keeps these in the cache.
#include "probe/debuginfod.h"

#include <cstdlib>

#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/signals.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/progress.h"
#include "base/text.h"
#include "run/tool.h"

namespace uscope::probe {
namespace {

constexpr uint64_t ns_per_s = 1'000'000'000;
// A server may have to unpack a package first.
constexpr uint64_t silence_ns = 30 * ns_per_s, download_ns = 600 * ns_per_s;
constexpr uint64_t max_file_bytes = uint64_t(2) << 30;
constexpr CacheFolder::Limits cache_limits = {.files = 512, .bytes = uint64_t(4) << 30};
constexpr telemetry::UrlKind url_kind = {
    .example = "http://localhost:8002",
    .port = 80,
    .instead_of_tls =
        "start `debuginfod` on this machine with this URL in DEBUGINFOD_URLS, and use "
        "--debuginfod http://localhost:8002; or save the file by `debuginfod-find debuginfo "
        "PROGRAM`, and use --debuginfod env"};

std::string variable(const char *name)
{
    const char *value = secure_getenv(name);
    return value ? value : "";
}

// Readable while an end signal is pending. Before the first probe is attached, end signals are not
// blocked, and end the tool at once.
int pending_end_signal()
{
    static const Fd fd(signalfd(-1, &attach::end_signals(), SFD_CLOEXEC | SFD_NONBLOCK));
    return fd.get();
}

Result<> write_all(int fd, std::string_view text)
{
    while (!text.empty()) {
        ssize_t count = write(fd, text.data(), text.size());
        if (count < 0)
            return fail_errno("cannot be saved");
        text.remove_prefix(size_t(count));
    }
    return {};
}

}  // namespace

Debuginfod::Debuginfod(CacheFolder cache, std::string client_cache)
    : cache_(std::move(cache)), client_cache_(std::move(client_cache))
{
}

std::string Debuginfod::usual_client_cache()
{
    std::string named = variable("DEBUGINFOD_CACHE_PATH"), home = variable("HOME"),
                base = variable("XDG_CACHE_HOME");
    if (!named.empty())
        return named;
    std::string older = home + "/.debuginfod_client_cache";
    if (!home.empty() && access(older.c_str(), F_OK) == 0)
        return older;
    if (base.empty() && !home.empty())
        base = home + "/.cache";
    return base.empty() ? "" : base + "/debuginfod_client";
}

Result<> Debuginfod::add(std::string_view text)
{
    if (text != "env")
        return add_url(text);
    std::string urls = variable("DEBUGINFOD_URLS");
    if (trim(urls).empty())
        return fail_usage("DEBUGINFOD_URLS is not set; give a URL such as {}", url_kind.example);
    for (std::string_view url : split(urls, ' ')) {
        if (url.empty() || url.starts_with("ima:"))
            continue;
        // The files that debuginfod-find got from there may do.
        if (url.starts_with("https://"))
            servers_.push_back({.url = std::string(url),
                                .problem =
                                    "needs TLS, which uscope does not speak (`debuginfod-find "
                                    "debuginfo PROGRAM` saves the file)",
                                .client = nullptr});
        else
            TRY(add_url(url));
    }
    return {};
}

Result<> Debuginfod::add_url(std::string_view url)
{
    auto endpoint = TRY(telemetry::parse_endpoint(url, "", url_kind));
    while (endpoint.path.ends_with('/'))
        endpoint.path.pop_back();
    servers_.push_back({.url = endpoint.url(),
                        .problem = {},
                        .client = std::make_unique<telemetry::HttpClient>(
                            endpoint, telemetry::Pairs(), pending_end_signal())});
    return {};
}

std::vector<elf::DebugFileAttempt> Debuginfod::find(const elf::Image &image,
                                                    const std::string &path, elf::Download download)
{
    std::string build_id = image.build_id(), name = build_id + ".debug";
    if (std::string cached = find_cached(build_id, name); !cached.empty())
        return {{cached, ""}};
    if (auto asked = asked_.find(build_id); asked != asked_.end())
        return asked->second;
    if (download == elf::Download::No)
        return {};
    auto &attempts = asked_[build_id];
    for (Server &server : servers_) {
        attempts.push_back(this->download(server, build_id, name));
        if (attempts.back().refusal.empty())
            return attempts;
    }
    std::vector<std::string> reasons;
    for (const elf::DebugFileAttempt &attempt : attempts)
        reasons.push_back(fmt::format("{} {}", attempt.path, attempt.refusal));
    problems_.push_back(
        fmt::format("no debug file for {} from debuginfod: {}", path, join(reasons, ", ")));
    return attempts;
}

// Returns the path of the file in one of the caches, or "". Removes a damaged file from our own.
std::string Debuginfod::find_cached(const std::string &build_id, const std::string &name) const
{
    if (Fd file = cache_.open(name)) {
        std::string path = cache_.path_of(name);
        if (elf::check_debug_file(path, build_id).empty()) {
            futimens(file.get(), nullptr);  // the files that were not used for long are removed
            return path;
        }
        cache_.remove(name);
    }
    std::string path = fmt::format("{}/{}/debuginfo", client_cache_, build_id);
    return !client_cache_.empty() && elf::check_debug_file(path, build_id).empty() ? path : "";
}

elf::DebugFileAttempt Debuginfod::download(Server &server, const std::string &build_id,
                                           const std::string &name)
{
    std::string path = fmt::format("/buildid/{}/debuginfo", build_id), url = server.url + path;
    if (!server.problem.empty())
        return {url, server.problem};
    CacheFolder::NewFile file = cache_.create();
    if (!file.fd)
        return {url, fmt::format("cannot be saved in {}, which must be a folder of this user",
                                 cache_.path())};
    std::string refusal = receive(server, path, build_id, file.fd.get());
    if (!refusal.empty()) {
        CacheFolder::discard(std::move(file));
        return {url, refusal};
    }
    if (!CacheFolder::keep(std::move(file), name, cache_limits))
        return {url, fmt::format("cannot be saved in {}", cache_.path())};
    return {cache_.path_of(name), ""};
}

// Writes what the server has to `fd`. Returns why it is not the debug file; "" if it is.
std::string Debuginfod::receive(Server &server, const std::string &path,
                                const std::string &build_id, int fd) const
{
    Work work("receiving debug information");
    uint64_t bytes = 0, deadline_ns = monotonic_ns() + download_ns;
    auto response = server.client->get(path, silence_ns, [&](std::string_view text) -> Result<> {
        bytes += text.size();
        if (bytes > max_file_bytes)
            return fail("is larger than {} GB", max_file_bytes >> 30);
        if (monotonic_ns() > deadline_ns)
            return fail("was not received within {} minutes", download_ns / ns_per_s / 60);
        return write_all(fd, text);
    });
    if (!response && bytes)
        return fmt::format("was not received: {}", response.error().text);
    if (!response) {
        server.problem = fmt::format("cannot be reached: {}", response.error().text);
        return server.problem;
    }
    if (response->status == 404)
        return "does not exist";
    if (response->status != 200)
        return fmt::format("is answered with status {}", response->status);
    return elf::check_debug_file(fmt::format("/proc/self/fd/{}", fd), build_id);
}

namespace {

struct Folder {};  // its values are in elf::debug_sources()

Result<> parse_value(std::string_view text, Folder &)
{
    std::string path(text);
    struct stat info;
    if (stat(path.c_str(), &info) != 0)
        return fail_usage("{} does not exist", path);
    if (!S_ISDIR(info.st_mode))
        return fail_usage("{} is not a folder", path);
    elf::debug_sources().folders.push_back(path);
    return {};
}

Debuginfod &debuginfod()
{
    static Debuginfod servers;
    return servers;
}

struct Servers {};

Result<> parse_value(std::string_view text, Servers &)
{
    elf::debug_sources().servers = [](const elf::Image &image, const std::string &path,
                                      elf::Download download) {
        return debuginfod().find(image, path, download);
    };
    return debuginfod().add(text);
}

}  // namespace

void declare_debug_files(run::Tool &tool)
{
    static Folder folder;
    static Servers servers;
    elf::debug_sources().hint = "--debuginfod URL asks a server";
    tool.option(0, "debug-dir", folder, "DIR",
                "also look for debug files in DIR, as in /usr/lib/debug; may be repeated");
    tool.option(0, "debuginfod", servers, "URL",
                "get debug files of traced programs from this debuginfod server; env: from those "
                "of DEBUGINFOD_URLS");
}

void note_debug_files(run::Tool &tool)
{
    if (!elf::debug_sources().servers)
        return;
    for (const std::string &problem : debuginfod().take_problems())
        tool.note("{}", problem);
}

}  // namespace uscope::probe
