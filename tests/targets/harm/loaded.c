/*
 * A library with an indirect function (IFUNC), a constructor and a destructor. loading.c loads and
 * unloads it.
 * build: -shared -fPIC
 */
static int state;

__attribute__((constructor)) static void begin(void)
{
    state = 5;
}

__attribute__((destructor)) static void end(void)
{
    state = -1;
}

static int twice(int n)
{
    return n * 2;
}

static int thrice(int n)
{
    return n * 3;
}

static int (*choose(void))(int)
{
    return state == 77 ? twice : thrice;
}

int multiplied(int n) __attribute__((ifunc("choose")));

int loaded(int n)
{
    return multiplied(n) + state++;
}
