// Virtual threads, which change their carriers when they wait: 16 of them, each with 10 calls of outer(), which calls
// nap() once. Answers each line of standard input by "done" and the nanoseconds that all calls of nap() took. By
// reflection: JDK 17 compiles it, JDK 21 and later run it.
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
