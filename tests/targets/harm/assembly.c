/*
 * Functions as people write them in assembly: unusual returns, first instructions of every kind,
 * entries that are loops, several entries, data after a call. Each function obeys the ABI, but does
 * otherwise what compilers do not.
 */
#define _GNU_SOURCE
#include "check.h"

#include <signal.h>
#include <ucontext.h>

#ifdef __x86_64__
#define FUNCTION(name, body)                                                                     \
    __asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ", @function\n" #name ":\n" body \
            "\n.size " #name ", . - " #name "\n");                                               \
    long name(long, long)

// --- returns and other exits ---
FUNCTION(repeated_return, "lea 3(%rdi,%rsi), %rax\n rep ret");
FUNCTION(bound_return, "lea 4(%rdi,%rsi), %rax\n .byte 0xf2\n ret");
FUNCTION(jump_to_return_address, "lea 5(%rdi,%rsi), %rax\n pop %rdx\n jmp *%rdx");
FUNCTION(pushed_return, "lea 6(%rdi,%rsi), %rax\n lea 1f(%rip), %rdx\n push %rdx\n ret\n 1: ret");
FUNCTION(jump_through_stack, "lea 7(%rdi,%rsi), %rax\n add $8, %rsp\n jmp *-8(%rsp)");
FUNCTION(large_pop_callee, "mov 8(%rsp), %rax\n add 16(%rsp), %rax\n ret $16");
FUNCTION(large_pop, "push %rdi\n push %rsi\n call large_pop_callee\n ret");
FUNCTION(skips_data,
         "call 1f\n .quad 1234567\n mov %rdi, %rax\n add %rcx, %rax\n ret\n"
         "1: pop %rdx\n mov (%rdx), %rcx\n add $8, %rdx\n push %rdx\n ret");
FUNCTION(changes_return_address,
         "lea 2f(%rip), %rdx\n sub $8, %rsp\n mov %rdx, (%rsp)\n mov %rdi, %rax\n ret\n ud2\n"
         "2: add $9, %rax\n ret");
FUNCTION(retpoline,
         "lea 3f(%rip), %r11\n call 1f\n 2: pause\n lfence\n jmp 2b\n 1: mov %r11, (%rsp)\n ret\n"
         "3: lea 8(%rdi), %rax\n ret");
FUNCTION(own_position,
         "call 1f\n 1: pop %rax\n lea 1b(%rip), %rdx\n sub %rdx, %rax\n add %rdi, %rax\n ret");
FUNCTION(frame_by_enter,
         "enter $32, $0\n mov %rdi, -8(%rbp)\n mov %rsi, %rax\n add -8(%rbp), %rax\n leave\n ret");
FUNCTION(other_stack,
         "mov %rsp, %rdx\n lea own_stack+4000(%rip), %rsp\n push %rdx\n call on_other_stack\n pop "
         "%rsp\n ret");
FUNCTION(on_other_stack, "push %rdi\n pop %rax\n imul %rsi, %rax\n ret");
FUNCTION(
    below_the_stack,
    "mov %rdi, -8(%rsp)\n mov %rsi, -128(%rsp)\n mov -8(%rsp), %rax\n add -128(%rsp), %rax\n ret");
FUNCTION(falls_through, "inc %rdi");
FUNCTION(fallen_into, "lea (%rdi,%rsi,4), %rax\n ret");
FUNCTION(shared_end, "mov %rsi, %rax\n jmp 5f");
FUNCTION(
    owns_end,
    "mov %rdi, %rax\n test %rsi, %rsi\n js 6f\n 5: add $77, %rax\n ret\n 6: neg %rax\n jmp 5b");
FUNCTION(conditional_tail, "test %rsi, %rsi\n jle on_other_stack\n lea 1(%rdi), %rax\n ret");

// --- entries ---
FUNCTION(entry_is_loop, "add $2, %rsi\n dec %rdi\n jg entry_is_loop\n mov %rsi, %rax\n ret");
FUNCTION(entry_loops_by_itself, "dec %rdi\n jg entry_loops_by_itself\n mov %rsi, %rax\n ret");
FUNCTION(begins_by_jump, "jmp 1f\n .byte 0x0f, 0x0b\n 1: lea 1(%rdi), %rax\n ret");
FUNCTION(begins_by_jump_if, "jz 1f\n mov %rdi, %rax\n ret\n 1: mov %rsi, %rax\n ret");
FUNCTION(with_flag, "cmp %rdi, %rdi\n jmp begins_by_jump_if");
FUNCTION(without_flag, "cmp $-77, %rdi\n jmp begins_by_jump_if");
FUNCTION(carries, "adc $0, %rdi\n mov %rdi, %rax\n ret");
FUNCTION(with_carry, "stc\n jmp carries");
FUNCTION(begins_by_loop, "loop 1f\n lea 2(%rdi), %rax\n ret\n 1: lea 1(%rdi), %rax\n ret");
FUNCTION(calls_loop, "mov %rsi, %rcx\n and $1, %rcx\n inc %rcx\n jmp begins_by_loop");
FUNCTION(begins_by_jrcxz, "jrcxz 1f\n mov $5, %eax\n ret\n 1: mov $6, %eax\n ret");
FUNCTION(calls_jrcxz, "mov %rsi, %rcx\n and $1, %rcx\n jmp begins_by_jrcxz");
FUNCTION(begins_by_call, "call own_position\n inc %rax\n ret");
FUNCTION(begins_by_far_load, "mov number(%rip), %rax\n add %rdi, %rax\n ret");
FUNCTION(begins_by_far_store, "mov %rdi, number+8(%rip)\n mov number+8(%rip), %rax\n ret");
FUNCTION(begins_by_lock, "lock xadd %rdi, number+16(%rip)\n mov %rdi, %rax\n ret");
FUNCTION(begins_by_push_flags, "pushf\n pop %rax\n and $0xd00, %eax\n ret");
FUNCTION(begins_by_push_const, "push $-5\n pop %rax\n add %rdi, %rax\n ret");
FUNCTION(begins_by_push_sp, "push %rsp\n pop %rax\n sub %rsp, %rax\n ret");
FUNCTION(begins_by_pop, "pop %rdx\n mov %rdi, %rax\n push %rdx\n ret");
FUNCTION(begins_by_string, "rep stosb\n mov %rdi, %rax\n ret");
FUNCTION(calls_string,
         "mov %rsi, %rcx\n and $63, %rcx\n lea own_stack(%rip), %rdi\n mov $7, %al\n push %rdi\n"
         "call begins_by_string\n pop %rdi\n sub %rdi, %rax\n ret");
FUNCTION(begins_by_direction, "std\n cld\n mov %rdi, %rax\n ret");
FUNCTION(begins_by_nop, "nopw 0(%rax,%rax,1)\n lea 1(%rdi), %rax\n ret");
FUNCTION(begins_by_int_nop,
         ".byte 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n lea 1(%rdi), %rax\n ret");
FUNCTION(begins_by_branch_mark, "endbr64\n sub $8, %rsp\n lea 1(%rdi), %rax\n add $8, %rsp\n ret");
FUNCTION(begins_by_system_call, "syscall\n ret");
FUNCTION(calls_system_call,
         "mov $39, %eax\n call begins_by_system_call\n shr $31, %rax\n add %rdi, %rax\n ret");
FUNCTION(begins_by_cpuid, "cpuid\n mov $3, %eax\n ret");
FUNCTION(calls_cpuid, "push %rbx\n xor %eax, %eax\n call begins_by_cpuid\n pop %rbx\n ret");
FUNCTION(begins_by_sse, "movq %rdi, %xmm0\n paddq %xmm0, %xmm0\n movq %xmm0, %rax\n ret");
FUNCTION(begins_by_xchg, "xchg %rdi, %rsi\n mov %rdi, %rax\n ret");
FUNCTION(begins_by_xchg_sp, "xchg %rsp, %rdx\n xchg %rsp, %rdx\n mov %rdi, %rax\n ret");
FUNCTION(begins_by_segment, "mov %fs:0, %rax\n sub %fs:0, %rax\n add %rdi, %rax\n ret");
FUNCTION(begins_by_x87, "fld1\n fstp %st(0)\n mov %rdi, %rax\n ret");
FUNCTION(begins_by_saved_flags, "pushf\n add $1, %rdi\n popf\n mov %rdi, %rax\n ret");
FUNCTION(begins_by_fault, "mov (%rdi), %rax\n ret");
FUNCTION(begins_by_bad_opcode, "ud2\n ret");
FUNCTION(begins_by_string_fault, "rep movsb\n mov %rdi, %rax\n ret");
FUNCTION(calls_string_fault,
         "lea own_stack+200(%rip), %rdi\n lea own_stack(%rip), %rsi\n mov $40, %ecx\n push %rdi\n"
         "call begins_by_string_fault\n pop %rdi\n sub %rdi, %rax\n ret");
FUNCTION(begins_by_clearing, "vzeroupper\n lea (%rdi,%rsi,2), %rax\n ret");
FUNCTION(second_entry,
         "add $100, %rdi\n.globl inner_entry\n.type inner_entry, @function\ninner_entry: lea "
         "(%rdi,%rsi), %rax\n ret");
long inner_entry(long, long);
FUNCTION(counts_in_itself,
         "cmp $0, %rdi\n jle 1f\n push %rdi\n dec %rdi\n call counts_in_itself\n pop %rdi\n add "
         "%rdi, %rax\n ret\n"
         "1: xor %eax, %eax\n ret");
__asm__(
    ".data\n.p2align 4\nnumber: .quad 5, 6, 7\n.bss\n.p2align 4\nown_stack: .zero 4096\n.text\n");

// If a function's first instruction faults, the signal handler must see the address of that
// function, also with a probe: some runtimes rely on it.
static void on_fault(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

    (void)info;
    mix(signal);
    mix(registers[REG_RIP] == (greg_t)begins_by_fault);
    mix(registers[REG_RIP] == (greg_t)begins_by_bad_opcode);
    registers[REG_RIP] += signal == SIGSEGV ? 3 : 2;
    registers[REG_RAX] = 0;
}

static long faults(long a, long b)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    long got;

    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGILL, &action, NULL);
    got = begins_by_fault(a * 8, b) + begins_by_bad_opcode(a, b);
    signal(SIGSEGV, SIG_DFL);
    signal(SIGILL, SIG_DFL);
    return got;
}

static long clears(long a, long b)
{
    return __builtin_cpu_supports("avx") ? begins_by_clearing(a, b) : a + 2 * b;
}

static long (*const functions[])(long, long) = {
    repeated_return,
    bound_return,
    jump_to_return_address,
    pushed_return,
    jump_through_stack,
    large_pop,
    skips_data,
    changes_return_address,
    retpoline,
    own_position,
    frame_by_enter,
    other_stack,
    on_other_stack,
    below_the_stack,
    falls_through,
    fallen_into,
    shared_end,
    owns_end,
    conditional_tail,
    entry_is_loop,
    entry_loops_by_itself,
    begins_by_jump,
    with_flag,
    without_flag,
    with_carry,
    calls_loop,
    calls_jrcxz,
    begins_by_call,
    begins_by_far_load,
    begins_by_far_store,
    begins_by_lock,
    begins_by_push_flags,
    begins_by_push_const,
    begins_by_push_sp,
    begins_by_pop,
    calls_string,
    begins_by_direction,
    begins_by_nop,
    begins_by_int_nop,
    begins_by_branch_mark,
    calls_system_call,
    calls_cpuid,
    begins_by_sse,
    begins_by_xchg,
    begins_by_xchg_sp,
    begins_by_segment,
    begins_by_x87,
    second_entry,
    inner_entry,
    counts_in_itself,
    begins_by_saved_flags,
    faults,
    calls_string_fault,
    clears,
};

// Calls the function, and checks that it preserves the registers that the ABI says it must.
APART static long call(long (*function)(long, long), long a, long b)
{
    long result, rbx = a + 1, r12 = a + 2, r13 = a + 3, r14 = a + 4, r15 = a + 5;

    register long kept_rbx __asm__("rbx") = rbx, kept_r12 __asm__("r12") = r12,
                           kept_r13 __asm__("r13") = r13;
    register long kept_r14 __asm__("r14") = r14, kept_r15 __asm__("r15") = r15;
    // Skip the red zone below the stack pointer, which this function may use itself.
    __asm__ volatile("add $-128, %%rsp\n\tcall *%%rdx\n\tsub $-128, %%rsp"
                     : "=a"(result), "+D"(a), "+S"(b), "+d"(function), "+r"(kept_rbx),
                       "+r"(kept_r12), "+r"(kept_r13), "+r"(kept_r14), "+r"(kept_r15)
                     :
                     : "rcx", "r8", "r9", "r10", "r11", "cc", "memory", "xmm0");
    mix((kept_rbx ^ rbx) | (kept_r12 ^ r12) | (kept_r13 ^ r13) | (kept_r14 ^ r14) |
        (kept_r15 ^ r15));
    return result;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < rounds(argc, argv); i++)
        for (unsigned n = 0; n < sizeof(functions) / sizeof(*functions); n++) {
            uint64_t all = check_sum;
            check_sum = 1;
            for (long a = 1; a < 6; a++)
                mix(call(functions[n], a, a * a - 7));
            if (i == 0)
                printf("%u %016llx\n", n, (unsigned long long)check_sum);
            all ^= check_sum;
            check_sum = all * 31;
        }
    return report("assembly");
}
#else
int main(void)
{
    return report("assembly");
}
#endif
