// Finds debug files. Debian and most other distributions split a program in two files: the stripped
// program, and a debug file with its .symtab and DWARF. Both contain the same *build-id* (a note,
// usually a SHA-1 hash of 40 digits). The program may also have a *.gnu_debuglink*: the name of the
// debug file and its CRC-32. For /usr/sbin/mariadbd with the build-id 439da8d9… and the link
// "9da8d9….debug", the debug file may be
//     /usr/lib/debug/.build-id/43/9da8d9….debug
//     /usr/sbin/9da8d9….debug
//     /usr/sbin/.debug/9da8d9….debug
//     /usr/lib/debug/usr/sbin/9da8d9….debug
// Fedora also leaves the names of functions in the stripped program: the section .gnu_debugdata is
// an ELF file, compressed with xz, that contains little more than a .symtab.
#include "elf/debug_file.h"

#include <lzma.h>
#include <unistd.h>
#include <zlib.h>

#include "base/format.h"
#include "base/text.h"

namespace uscope::elf {
namespace {

bool has_debug_data(const Image &image)
{
    return image.section(".symtab") || image.section(".debug_info");
}

uint32_t crc_of(Bytes bytes)
{
    return crc32_z(0, bytes.data(), bytes.size());
}

// Returns why the file at `path` is not the debug file with the given build-id or, if `build_id` is
// empty, the CRC of the link; "" if it is.
std::string why_not(const std::string &path, const std::string &build_id,
                    const std::optional<DebugLink> &link)
{
    if (access(path.c_str(), F_OK) != 0)
        return "does not exist";
    auto image = Image::open(path);
    if (!image)
        return "cannot be read as an ELF file";
    if (!has_debug_data(*image))
        return "has neither symbols nor debug information";
    if (!build_id.empty())
        return image->build_id() == build_id ? "" : "has another build-id";
    return link && crc_of(image->bytes()) == link->crc ? "" : "has another CRC";
}

// Returns the folder of `path` as a process in `root` sees it.
std::string folder_of(const std::string &path, const std::string &root)
{
    std::string inside =
        !root.empty() && path.starts_with(root + "/") ? path.substr(root.size()) : path;
    size_t slash = inside.rfind('/');
    return slash == inside.npos ? "." : inside.substr(0, slash);
}

// Returns the path below a folder such as /usr/lib/debug; "" without a usable build-id.
std::string path_by_id(const std::string &folder, const std::string &build_id)
{
    if (build_id.size() <= 2)
        return "";
    return fmt::format("{}/.build-id/{}/{}.debug", folder, build_id.substr(0, 2),
                       build_id.substr(2));
}

std::vector<std::string> candidates_of(const std::string &build_id,
                                       const std::optional<DebugLink> &link,
                                       const std::string &path, const std::string &root)
{
    const std::string system_folder = root + "/usr/lib/debug";
    std::string folder = folder_of(path, root);
    std::string inside = (folder.starts_with('/') ? "" : "/") + folder + "/";
    std::vector<std::string> candidates;
    auto add = [&](std::string candidate) {
        if (!candidate.empty())
            candidates.push_back(std::move(candidate));
    };
    for (const std::string &other : debug_sources().folders) {
        add(path_by_id(other, build_id));
        if (link) {
            add(other + inside + link->file);
            add(other + "/" + link->file);
        }
    }
    add(path_by_id(system_folder, build_id));
    if (!link)
        return candidates;
    std::string own_folder = folder.starts_with('/') ? root + folder : folder;
    add(own_folder + "/" + link->file);
    add(own_folder + "/.debug/" + link->file);
    // The maps of a process in a chroot may show paths in our own mount namespace.
    if (!root.empty() && folder.starts_with('/')) {
        add(folder + "/" + link->file);
        add(folder + "/.debug/" + link->file);
    }
    add(system_folder + inside + link->file);
    return candidates;
}

}  // namespace

DebugSources &debug_sources()
{
    static DebugSources sources;
    return sources;
}

std::vector<DebugFileAttempt> try_debug_files(const Image &image, const std::string &path,
                                              const std::string &root, Download download)
{
    std::string build_id = image.build_id();
    auto link = image.debug_link();
    // A name with a slash could lead out of the folders to search.
    if (link && link->file.find('/') != link->file.npos)
        link.reset();

    std::vector<DebugFileAttempt> attempts;
    auto is_at = [&](std::string &&candidate) {
        std::string refusal = why_not(candidate, build_id, link);
        attempts.push_back({std::move(candidate), std::move(refusal)});
        return attempts.back().refusal.empty();
    };
    for (std::string &candidate : candidates_of(build_id, link, path, root))
        if (is_at(std::move(candidate)))
            return attempts;
    if (!build_id.empty() && debug_sources().servers)
        for (DebugFileAttempt &attempt : debug_sources().servers(image, path, download))
            attempts.push_back(std::move(attempt));
    return attempts;
}

std::optional<std::string> find_debug_file(const Image &image, const std::string &path,
                                           const std::string &root, Download download)
{
    auto attempts = try_debug_files(image, path, root, download);
    if (attempts.empty() || !attempts.back().refusal.empty())
        return std::nullopt;
    return std::move(attempts.back().path);
}

std::string describe_debug_search(const Image &image, const std::string &path,
                                  const std::string &root, Download download)
{
    std::vector<std::string> details, tried;
    std::string id = image.build_id();
    if (!id.empty())
        details.push_back("build-id " + id);
    for (const DebugFileAttempt &attempt : try_debug_files(image, path, root, download))
        if (!attempt.refusal.empty())
            tried.push_back(fmt::format("{} {}", attempt.path, attempt.refusal));
    if (!tried.empty())
        details.push_back(join(tried, ", "));
    if (!id.empty() && !debug_sources().servers && !debug_sources().hint.empty())
        details.push_back(debug_sources().hint);
    return join(details, "; ");
}

std::string check_debug_file(const std::string &path, const std::string &build_id)
{
    return why_not(path, build_id, std::nullopt);
}

std::optional<std::string> mini_debug_info(const Image &image)
{
    // The largest ones of Fedora have a few megabytes; a stream that expands to more than this is
    // an attack.
    constexpr size_t max_bytes = 64 << 20;
    constexpr uint64_t max_memory = 128 << 20;  // `xz -9` needs 65 MiB

    const Section *section = image.section(".gnu_debugdata");
    auto packed = section ? image.contents(*section) : std::nullopt;
    if (!packed || packed->empty())
        return std::nullopt;
    lzma_stream stream = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&stream, max_memory, 0) != LZMA_OK)
        return std::nullopt;
    stream.next_in = packed->data();
    stream.avail_in = packed->size();

    std::string text;
    lzma_ret status = LZMA_OK;
    while (status == LZMA_OK && text.size() < max_bytes) {
        size_t used = text.size();
        text.resize(std::min(max_bytes, std::max<size_t>(64 << 10, used * 2)));
        stream.next_out = reinterpret_cast<uint8_t *>(text.data()) + used;
        stream.avail_out = text.size() - used;
        status = lzma_code(&stream, LZMA_FINISH);
    }
    text.resize(text.size() - stream.avail_out);
    lzma_end(&stream);
    if (status != LZMA_STREAM_END)
        return std::nullopt;
    return text;
}

}  // namespace uscope::elf
