/*
 * Looks like a PostgreSQL server that was built with whole-program optimization: the functions that
 * uscope probes are still exported, but PostgresMain() does not call pq_getbyte().
 */
__attribute__((noipa)) int pq_getbyte(void)
{
    __asm__ volatile("");
    return -1;
}

__attribute__((noipa)) void pgstat_report_activity(int state, const char *text)
{
    __asm__ volatile("" : : "r"(state), "r"(text));
}

__attribute__((noipa)) void PostgresMain(const char *database, const char *user)
{
    pgstat_report_activity(0, database);
    pgstat_report_activity(0, user);
}

int main(void)
{
    PostgresMain("", "");
    return pq_getbyte();
}
