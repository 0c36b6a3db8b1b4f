/* For each line with a number N on stdin: calls a method N times, prints the nanoseconds per call. */
public class Flood {
    static int sum;
    static void leaf(int number) { sum += number; }
    static long time(int calls) {
        long start = System.nanoTime();
        for (int i = 0; i < calls; i++) leaf(i);
        return (System.nanoTime() - start) / calls;
    }
    public static void main(String[] arguments) throws Exception {
        time(200000); /* so that the JVM compiles the method before anything is measured */
        System.out.println("ready");
        var lines = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null;) System.out.println(time(Integer.parseInt(line)));
    }
}
