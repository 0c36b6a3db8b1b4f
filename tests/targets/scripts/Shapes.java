import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Writes to a file from all kinds of methods, and prints each stack as the JVM itself sees it. The
 * argument is how often it calls all methods before it prints "ready".
 */
public class Shapes {
    static final List<String> wanted = new ArrayList<>();
    static FileOutputStream out;
    static boolean keeps;

    static String shown(StackTraceElement e) {
        boolean hasPlace = !e.isNativeMethod() && e.getFileName() != null;
        String place = hasPlace ? " (" + e.getFileName() + ":" + e.getLineNumber() + ")" : "";
        return e.getClassName() + "." + e.getMethodName() + place;
    }

    static void keep(StackTraceElement[] stack) {
        StringBuilder line = new StringBuilder();
        for (int i = 1; i < stack.length; i++) {
            line.append(i > 1 ? " < " : "").append(shown(stack[i]));
        }
        if (keeps) {
            wanted.add(line.toString());
        }
    }

    static void call() throws IOException {
        keep(Thread.currentThread().getStackTrace()); out.write(1);
    }

    static void recurse(int n) throws IOException {
        if (n == 0)
            call();
        else
            recurse(
                n - 1);
    }

    int outer(int x) throws IOException { return inner(x) + 1; }

    int inner(int x) throws IOException {
        call();
        return x;
    }

    interface Shape {
        void draw() throws IOException;
    }

    record Square(int side) implements Shape {
        public void draw() throws IOException { call(); }
    }

    static class Round implements Shape {
        public void draw() throws IOException { größe(); }

        static void größe() throws IOException { recurse(2); }
    }

    static long many(long a, long b, long c, long d, long e, long f, long g, long h, double x) throws IOException {
        call();
        return a + b + c + d + e + f + g + h + (long) x;
    }

    static void all() throws IOException {
        call();
        recurse(5);
        new Shapes().outer(3);
        for (Shape shape : new Shape[] {new Square(1), new Round()})
            shape.draw();
        Runnable lambda = () -> {
            try {
                call();
            } catch (IOException e) {
                throw new RuntimeException(e);
            }
        };
        lambda.run();
        List.of(3, 1, 2).forEach(x -> lambda.run());
        TreeMap<String, Integer> map = new TreeMap<>((a, b) -> {
            lambda.run();
            return a.compareTo(b);
        });
        map.put("a", 1);
        many(1, 2, 3, 4, 5, 6, 7, 8, 9);
        try {
            throw new IllegalStateException();
        } catch (IllegalStateException e) {
            call();
        } finally {
            call();
        }
    }

    static void waitForLine() throws IOException {
        while (System.in.read() != '\n') {
        }
    }

    public static void main(String[] arguments) throws Exception {
        out = new FileOutputStream("/dev/null");
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++)
            all();
        PrintStream lines = new PrintStream(System.out, true, "UTF-8");
        lines.println("ready");
        waitForLine();
        keeps = true;
        all();
        Thread other = new Thread(() -> {
            try {
                recurse(3);
            } catch (IOException e) {
                throw new RuntimeException(e);
            }
        });
        other.start();
        other.join();
        for (String line : wanted)
            lines.println(line);
        lines.println("done");
        waitForLine();
    }
}
