// As made.py: a class is loaded anew for each line, and unloaded with its loader some time later.
import java.io.*;
import java.net.*;

public class Made {
    public static class Task {
        public static int outer(int n) {
            int sum = 0;
            for (int i = 0; i < 20000; i++)
                sum += inner(n + i) - i;
            return sum / 20000;
        }
        static int inner(int n) {
            return n ^ 1 ^ 1;
        }
    }

    public static void main(String[] arguments) throws Exception {
        URL[] here = {new File(arguments[0]).toURI().toURL()};
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (int n = 1; in.readLine() != null; n++) {
            try (URLClassLoader loader = new URLClassLoader(here, null)) {
                Object sum = loader.loadClass("Made$Task").getMethod("outer", int.class).invoke(null, n);
                if (!sum.equals(n))
                    System.exit(1);
            }
            if (n % 20 == 0)
                System.gc();
            System.out.println("done");
        }
    }
}
