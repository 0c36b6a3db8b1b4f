/*
 * The floor: the least that a C program with libbpf has to do to trace a function. bench/run
 * compares the tools with it.
 *
 *     floor PROGRAM FILE PATTERN      attaches PROGRAM of floor.bpf.c to the functions of FILE that
 *                                     match PATTERN, or to its USDT probes (provider:name)
 *     floor count_tracepoint CATEGORY EVENT      attaches it to a tracepoint
 *
 * Counts the events, without printing them, until SIGINT. Then prints how many it has read and
 * lost.
 */
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <gelf.h>

#include "floor.h"
#include "floor.skel.h"

/*
 * The headers of Debian 12 lack these: values of enum bpf_attach_type that exist since Linux 6.6
 * and 6.13, and a part of union bpf_attr.
 */
#define TRACE_UPROBE_MULTI 48
#define TRACE_UPROBE_SESSION 57
struct uprobe_multi_attr {
    __u32 program, target, attach_type, flags;
    __u64 path, offsets, ref_ctr_offsets, cookies;
    __u32 count, multi_flags, pid, pad;
};

#define MOST_FUNCTIONS 20000
static unsigned long offsets[MOST_FUNCTIONS];
static int site_link = -1;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/*
 * Fills `offsets` with the file offsets of the functions in .symtab that match; returns their
 * number.
 */
static unsigned find_functions(const char *path, const char *pattern)
{
    unsigned count = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf;
    Elf_Scn *section = NULL;
    GElf_Shdr header, code;
    GElf_Sym symbol;

    elf_version(EV_CURRENT);
    elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (!elf)
        die(path);
    while ((section = elf_nextscn(elf, section))) {
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (size_t i = 0; gelf_getsym(data, i, &symbol); i++) {
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !name ||
                fnmatch(pattern, name, 0) != 0 || count == MOST_FUNCTIONS)
                continue;
            gelf_getshdr(elf_getscn(elf, symbol.st_shndx), &code);
            offsets[count++] = symbol.st_value - code.sh_addr + code.sh_offset;
        }
    }
    elf_end(elf);
    close(fd);
    return count;
}

/* Returns the file offset of the code at a virtual address of the file; 0 if there is none. */
static unsigned long file_offset(Elf *elf, unsigned long address)
{
    GElf_Phdr segment;
    size_t count = 0;

    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count; i++) {
        gelf_getphdr(elf, i, &segment);
        if (segment.p_type == PT_LOAD && address - segment.p_vaddr < segment.p_filesz)
            return address - segment.p_vaddr + segment.p_offset;
    }
    return 0;
}

/*
 * Fills `offsets` with the file offsets of the USDT probes whose provider:name matches; returns
 * their number. Does not enable semaphores. A note has three addresses, the first that of the
 * probe, then provider\0name\0arguments\0.
 */
static unsigned find_probes(const char *path, const char *pattern)
{
    unsigned count = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf;
    Elf_Scn *section = NULL;
    size_t names, name, text, at = 0;
    GElf_Shdr header;
    GElf_Nhdr note;
    char full[256];

    elf_version(EV_CURRENT);
    elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (!elf || elf_getshdrstrndx(elf, &names) != 0)
        die(path);
    while ((section = elf_nextscn(elf, section))) {
        if (!gelf_getshdr(section, &header) ||
            strcmp(elf_strptr(elf, names, header.sh_name), ".note.stapsdt") != 0)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        while ((at = gelf_getnote(data, at, &note, &name, &text))) {
            unsigned long address;
            const char *provider = (char *)data->d_buf + text + 3 * sizeof(address);
            snprintf(full, sizeof(full), "%s:%s", provider, provider + strlen(provider) + 1);
            if (fnmatch(pattern, full, 0) != 0 || count == MOST_FUNCTIONS)
                continue;
            memcpy(&address, (char *)data->d_buf + text, sizeof(address));
            offsets[count++] = file_offset(elf, address);
        }
    }
    elf_end(elf);
    close(fd);
    return count;
}

static volatile sig_atomic_t ended;
static void end(int number)
{
    (void)number;
    ended = 1;
}

static unsigned long events;
static int on_event(void *context, void *data, size_t size)
{
    (void)context;
    (void)data;
    events += size == sizeof(struct floor_event);
    return 0;
}

/* Attaches to all sites of the file at once. */
static void attach_sites(int program, __u32 type, const char *path, const char *pattern)
{
    struct uprobe_multi_attr attr = {
        .program = program,
        .attach_type = type,
        .path = (unsigned long)path,
        .offsets = (unsigned long)offsets,
        .count = strchr(pattern, ':') ? find_probes(path, pattern) : find_functions(path, pattern),
    };

    site_link = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
    if (site_link < 0)
        die("attach");
}

int main(int argc, char **argv)
{
    const char *ready = getenv("USCOPE_READY_FD");
    struct floor_bpf *object;
    struct bpf_program *program;
    struct ring_buffer *ring;

    if (argc != 4) {
        fprintf(stderr, "usage: floor PROGRAM FILE PATTERN\n");
        return 2;
    }
    __u32 type = strncmp(argv[1], "session", 7) == 0 ? TRACE_UPROBE_SESSION : TRACE_UPROBE_MULTI;
    signal(SIGINT, end);
    object = floor_bpf__open();
    if (!object)
        die("open");
    bpf_object__for_each_program(program, object->obj)
    {
        bpf_program__set_autoload(program, strcmp(bpf_program__name(program), argv[1]) == 0);
        if (bpf_program__type(program) == BPF_PROG_TYPE_KPROBE)
            bpf_program__set_expected_attach_type(program, type);
    }
    program = bpf_object__find_program_by_name(object->obj, argv[1]);
    if (!program || floor_bpf__load(object) != 0)
        die("load");
    ring = ring_buffer__new(bpf_map__fd(object->maps.floor_events), on_event, NULL, NULL);
    if (!ring)
        die("ring buffer");

    if (bpf_program__type(program) == BPF_PROG_TYPE_TRACEPOINT) {
        if (!bpf_program__attach_tracepoint(program, argv[2], argv[3]))
            die("attach");
    } else {
        attach_sites(bpf_program__fd(program), type, argv[2], argv[3]);
    }
    if (ready && write(atoi(ready), "ready\n", 6) != 6)
        die("ready");

    while (!ended)
        ring_buffer__poll(ring, 100);
    close(site_link);
    ring_buffer__consume(ring);
    printf("%lu events, %llu lost\n", events, (unsigned long long)object->bss->floor_lost);
    return 0;
}
