/*
 * Finds the file of a descriptor of the current process.
 *
 * The layouts of these kernel structures change between kernels, so programs that include this need
 * CO-RE relocations, and loading them parses the kernel's BTF (4-6 ms). libbpf parses it for a
 * whole object as soon as one of its programs needs it, so such programs are in objects of their
 * own.
 *
 * If another thread calls close() meanwhile, the values read here may be wrong, but reading them is
 * safe: bpf_probe_read_kernel() checks every address.
 */
#pragma once

#include <bpf/bpf_core_read.h>

#define FILE_RELOCATED __attribute__((preserve_access_index))
struct inode___file {
	unsigned short i_mode;
} FILE_RELOCATED;
struct file___file {
	struct inode___file *f_inode;
	void *private_data;
} FILE_RELOCATED;
struct socket___file {
	void *sk;
} FILE_RELOCATED;
struct fdtable___file {
	unsigned int max_fds;
	struct file___file **fd;
} FILE_RELOCATED;
struct files_struct___file {
	struct fdtable___file *fdt;
} FILE_RELOCATED;
struct task_struct___file {
	struct files_struct___file *files;
} FILE_RELOCATED;

enum {
	FILE_MODE_TYPE = 0170000, /* S_IFMT, and its values: include/uapi/linux/stat.h */
	FILE_SOCKET = 0140000,
	FILE_REGULAR = 0100000,
	FILE_BLOCK = 0060000,
	FILE_DIRECTORY = 0040000,
	FILE_CHARACTER = 0020000,
	FILE_PIPE = 0010000,
	FILE_ANONYMOUS = 0, /* eventfd, timerfd, epoll, perf events, BPF maps … */
	FILE_NONE = -1,	    /* the descriptor is not open */
};

/* Returns NULL if the descriptor is not open. */
static __always_inline struct file___file *file_of(__u32 descriptor)
{
	struct task_struct___file *task = (void *)bpf_get_current_task();
	struct fdtable___file *table = BPF_CORE_READ(task, files, fdt);
	struct file___file **files = BPF_CORE_READ(table, fd), *file = NULL;

	if (descriptor >= BPF_CORE_READ(table, max_fds))
		return NULL;
	bpf_probe_read_kernel(&file, sizeof(file), &files[descriptor]);
	return file;
}

static __always_inline int file_type_of(struct file___file *file)
{
	struct inode___file *inode = BPF_CORE_READ(file, f_inode);

	if (!inode)
		return FILE_NONE;
	return BPF_CORE_READ(inode, i_mode) & FILE_MODE_TYPE;
}

static __always_inline int file_type(__u32 descriptor)
{
	return file_type_of(file_of(descriptor));
}

/* Returns the kernel's struct sock of the descriptor, or NULL if it is not a socket. */
static __always_inline void *file_socket(__u32 descriptor)
{
	struct file___file *file = file_of(descriptor);
	struct socket___file *socket;

	if (file_type_of(file) != FILE_SOCKET)
		return NULL;
	socket = BPF_CORE_READ(file, private_data);
	return BPF_CORE_READ(socket, sk);
}
