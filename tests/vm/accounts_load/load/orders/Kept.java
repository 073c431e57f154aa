package load.orders;

/** What is kept, so that it can be told apart from what is not. */
public class Kept {
    long number;
    int state;
}
