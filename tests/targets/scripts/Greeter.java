// Loads a class and starts a named thread whenever a line is read.
import java.util.Scanner;

public class Greeter {
    static class Octi {
        static String greet() { return "hello"; }
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        Scanner lines = new Scanner(System.in);
        while (lines.hasNextLine()) {
            String name = lines.nextLine();
            Thread thread = new Thread(() -> System.out.println(Octi.greet()), name);
            thread.start();
            thread.join();
        }
    }
}
