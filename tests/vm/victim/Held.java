import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ref.WeakReference;

/**
 * A program whose sessions are referred to from places that are known exactly: an array, two fields of carts, a static field, weak references, and a
 * local variable. It says READY and lives until its input ends.
 */
final class Held {
  static final int SESSIONS = 100;
  static final int CARTS = 60;
  static final int WEAK = 7;

  static final class Session {
    int number;
  }

  static final class Cart {
    final Session session;
    final Session first;

    Cart(Session session, Session first) {
      this.session = session;
      this.first = first;
    }
  }

  static final Session[] ALL = new Session[SESSIONS];
  static final Cart[] BASKETS = new Cart[CARTS];
  static final WeakReference<?>[] WATCHED = new WeakReference<?>[WEAK];
  static Session last = new Session();

  public static void main(String[] arguments) throws IOException {
    for (int i = 0; i < SESSIONS; ++i) ALL[i] = new Session();
    for (int i = 0; i < CARTS; ++i) BASKETS[i] = new Cart(ALL[i], ALL[0]);
    for (int i = 0; i < WEAK; ++i) WATCHED[i] = new WeakReference<>(ALL[i]);
    Session local = new Session();
    System.out.println("READY");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    while (in.readLine() != null) local.number++;
    System.out.println(local.number);
  }
}
