// Collections, exceptions, threads, reflection, strings, compression and enough calls for the compilers.
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;
import java.util.zip.*;

public class Workload {
    static long sum = 17;

    static void mix(long value) { sum = (sum * 31 + value) % 1_000_000_007L; }

    static int dive(int depth) {
        if (depth == 0)
            throw new IllegalStateException("bottom");
        try {
            return dive(depth - 1) + 1;
        } finally {
            sum ^= depth;
        }
    }

    static int hot(int n) {
        int total = 0;
        for (int i = 0; i < n; i++)
            total += i % 7 == 0 ? Integer.toString(i).length() : i & 3;
        return total;
    }

    public static void main(String[] words) throws Exception {
        for (int depth = 0; depth < 20; depth++)
            try {
                mix(dive(depth));
            } catch (IllegalStateException error) {
                mix(error.getMessage().length());
            }
        for (int i = 0; i < 200; i++)
            mix(hot(500));
        ExecutorService pool = Executors.newFixedThreadPool(3);
        List<Future<Integer>> jobs = new ArrayList<>();
        for (int n = 0; n < 10; n++) {
            int k = n;
            jobs.add(pool.submit(() -> hot(k * 100)));
        }
        for (Future<Integer> job : jobs)
            mix(job.get());
        pool.shutdown();
        Map<String, Integer> counts = new TreeMap<>();
        for (String word : "the tools never change what the program computes never".split(" "))
            counts.merge(word, 1, Integer::sum);
        mix(counts.toString().hashCode());
        mix(IntStream.range(0, 1000).filter(i -> i % 3 == 0).mapToObj(Integer::toString).collect(Collectors.joining()).hashCode());
        for (int i = 0; i < 3; i++) {
            byte[][] garbage = new byte[200][];
            for (int n = 0; n < 200; n++)
                garbage[n] = new byte[10000];
            mix(garbage[7].length);
            System.gc();
        }
        CRC32 crc = new CRC32();
        crc.update("checksum".getBytes());
        mix(crc.getValue());
        try {
            Object none = null;
            none.hashCode();
        } catch (NullPointerException error) {
            mix(3);
        }
        System.out.println("java " + sum);
    }
}
