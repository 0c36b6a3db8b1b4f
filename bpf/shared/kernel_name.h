/* Shared by the frontend and the BPF program that makes the kernel print an address's name. */
#pragma once

/* "name+0x1a/0x80 [module]": names have up to 511 characters (KSYM_NAME_LEN in Linux 6.1), module
 * names up to 55. */
#define KERNEL_NAME_BYTES 640
