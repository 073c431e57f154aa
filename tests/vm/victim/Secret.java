/** Makes an object of its own class, one of another and an array each time, wherever its class may have come from. */
public class Secret {
    static volatile Object sink;

    public static int f(int n) {
        sink = new Secret();
        sink = new StringBuilder(0);
        int[][] numbers = new int[n][];
        sink = numbers;
        return numbers.length;
    }
}
