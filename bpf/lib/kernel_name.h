/* What crosses between the program that has the kernel name an address and its frontend. */
#pragma once

/* "name+0x1a/0x80 [module]": names have up to 511 characters (KSYM_NAME_LEN in Linux 6.1), modules 55. */
#define KERNEL_NAME_BYTES 640
