// Virtual threads, which continue on another kernel thread after they have waited. For each line on
// stdin, starts 16 of them, each of which makes 10 calls of outer(), which calls nap() once; then
// prints "done" and the nanoseconds that all calls of nap() took. Uses reflection, because JDK 17
// compiles it (JDK 21 and later run it).
import java.io.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class Virtual {
    static final AtomicLong took = new AtomicLong();

    static void nap() throws InterruptedException {
        Thread.sleep(3);
    }
    static void outer() throws InterruptedException {
        long since = System.nanoTime();
        nap();
        took.addAndGet(System.nanoTime() - since);
    }
    static Void work() throws InterruptedException {
        for (int i = 0; i < 10; i++)
            outer();
        return null;
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        ExecutorService executor =
            (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        System.out.println("ready");
        while (in.readLine() != null) {
            took.set(0);
            for (Future<Void> one : executor.invokeAll(Collections.nCopies(16, (Callable<Void>) Virtual::work)))
                one.get();
            System.out.println("done " + took);
        }
    }
}
