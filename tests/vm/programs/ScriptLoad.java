import java.util.ArrayList;
import java.util.List;
import org.mozilla.javascript.Context;
import org.mozilla.javascript.Function;
import org.mozilla.javascript.Scriptable;
import org.mozilla.javascript.ScriptableObject;

/**
 * A rule engine as applications build them: hundreds of scripts, each compiled to a class in a class loader of its own, each with a scope
 * that holds functions, closures, objects and arrays; every third tenant leaves again, so that classes can be unloaded.
 * Prints READY when all is built and then keeps still.
 */
public final class ScriptLoad {
    private static final int TENANTS = 300;
    private static final int COMPILED = 9;  // Rhino's highest level: always bytecode

    private static final List<Scriptable> SCOPES = new ArrayList<>();

    public static void main(String[] args) throws InterruptedException {
        long total = 0;
        for (int tenant = 0; tenant < TENANTS; tenant++) {
            Scriptable scope = build(tenant);
            total += price(scope, tenant);
            if (tenant % 3 != 0) {
                SCOPES.add(scope);
            }
        }
        System.out.println("READY " + SCOPES.size() + " scopes, checksum " + total);
        Thread.sleep(Long.MAX_VALUE);
    }

    private static Scriptable build(int tenant) {
        Context context = enter();
        try {
            Scriptable scope = context.initStandardObjects();
            ScriptableObject.putProperty(scope, "tenant", tenant);
            context.evaluateString(scope, script(tenant), "tenant-" + tenant + ".js", 1, null);
            return scope;
        } finally {
            Context.exit();
        }
    }

    private static long price(Scriptable scope, int tenant) {
        Context context = enter();
        try {
            Function total = (Function) scope.get("total", scope);
            return ((Number) total.call(context, scope, scope, new Object[] {tenant})).longValue();
        } finally {
            Context.exit();
        }
    }

    private static Context enter() {
        Context context = Context.enter();
        context.setOptimizationLevel(COMPILED);
        context.setLanguageVersion(Context.VERSION_ES6);
        return context;
    }

    private static String script(int tenant) {
        StringBuilder text = new StringBuilder("var rules = [];\n");
        for (int i = 0; i < 20; i++) {
            text.append("function rule").append(i).append("(order) { return order.items.length * ").append(tenant + i)
                .append(" + (order.name.match(/o(\\d+)/) ? 1 : 0); }\nrules.push(rule").append(i).append(");\n");
        }
        text.append("var orders = [];\n")
            .append("for (var i = 0; i < 200; i++) {\n")
            .append("  orders.push({ id: i, name: 'o' + i + '-' + tenant, items: [i, i + 1, { weight: i / 3 }], next: orders[i - 1] });\n")
            .append("}\n")
            .append("var byName = {};\n")
            .append("orders.forEach(function (order) { byName[order.name] = order; });\n")
            .append("var discounts = orders.map(function (order) { return function (share) { return order.id * share; }; });\n")
            .append("function total(share) {\n")
            .append("  var sum = 0;\n")
            .append("  orders.forEach(function (order, i) { sum += rules[i % rules.length](order) - discounts[i](share); });\n")
            .append("  return sum;\n")
            .append("}\n");
        return text.toString();
    }
}
