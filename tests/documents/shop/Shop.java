import java.nio.ByteBuffer;
import java.util.*;

/** Serves orders of a shop: with a lock, a hot loop, and an exception that nobody sees. */
public class Shop {
    static class NoSuchCustomer extends RuntimeException {}
    static class Item {
        final int price;
        Item(int price) { this.price = price; }
    }

    static final Object warehouse = new Object();
    static final Map<Integer, ByteBuffer> sessions = new HashMap<>();

    static volatile byte[] receipt;

    static String customer(int id) {
        if (id % 5 == 0)
            throw new NoSuchCustomer();
        return "customer " + id;
    }

    static long total(Item[] items) {
        long sum = 0;
        for (int discount = 0; discount < 100_000; discount++)
            for (Item item : items)
                sum += item.price - discount % 7;
        return sum;
    }

    static void reserve(int order) throws InterruptedException {
        synchronized (warehouse) {
            Thread.sleep(5);
        }
    }

    static void serve(int order) throws InterruptedException {
        try {
            customer(order);
        } catch (NoSuchCustomer e) {
            sessions.remove(order);
        }
        Item[] items = new Item[50];
        for (int i = 0; i < items.length; i++)
            items[i] = new Item(i);
        receipt = new byte[100_000];
        total(items);
        reserve(order);
        synchronized (sessions) {
            sessions.put(order % 500, ByteBuffer.allocateDirect(4000));
        }
        if (order % 50 == 0)
            new Thread(() -> customer(1), "mail-" + order).start();
    }

    static void work() {
        try {
            for (int order = 1;; order++)
                serve(order);
        } catch (InterruptedException e) {
            System.out.println("interrupted");
        }
    }

    public static void main(String[] arguments) {
        System.out.println("open");
        for (int i = 1; i <= 3; i++)
            new Thread(Shop::work, "worker-" + i).start();
    }
}
