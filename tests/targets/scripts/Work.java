// Reads lines with one word each, does what the word says a known number of times, and prints
// "done". The words are: calls, recurse, throw, objects, collect, threads.
import java.io.*;

public class Work {
    static class Octi {}
    static int calls;

    static int leaf(int n) {
        calls++;
        return n + 1;
    }
    static int deep(int n) {
        return n == 0 ? 0 : deep(n - 1) + 1;
    }
    static void fails() {
        throw new IllegalStateException();
    }
    static void catches() {
        try {
            fails();
        } catch (IllegalStateException e) {
            calls++;
        }
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String word; (word = in.readLine()) != null;) {
            switch (word) {
            case "calls":
                for (int i = 0; i < 500; i++)
                    leaf(i);
                break;
            case "recurse":
                for (int i = 0; i < 3; i++)
                    deep(9);
                break;
            case "throw":
                for (int i = 0; i < 20; i++)
                    catches();
                break;
            case "objects":
                Object[] kept = new Object[700];
                for (int i = 0; i < kept.length; i++)
                    kept[i] = new Octi();
                break;
            case "collect":
                for (int i = 0; i < 3; i++)
                    System.gc();
                break;
            case "threads":
                for (int i = 0; i < 5; i++) {
                    Thread thread = new Thread(() -> calls++, "octi-" + i);
                    thread.start();
                    thread.join();
                }
                break;
            }
            System.out.println("done");
        }
    }
}
