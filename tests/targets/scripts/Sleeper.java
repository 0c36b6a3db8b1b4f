/** Calls a function of the JVM from a method, for ever. */
public class Sleeper {
    static void nap() throws InterruptedException {
        Thread.sleep(10);
    }

    public static void main(String[] arguments) throws InterruptedException {
        System.out.println("ready");
        for (;;) {
            nap();
        }
    }
}
