/*
 * Calls a function and ends.
 * build: -fno-omit-frame-pointer
 */
__attribute__((noipa)) void work(int number)
{
    __asm__ volatile("" ::"r"(number));
}

int main(void)
{
    work(1);
    return 0;
}
