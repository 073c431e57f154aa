import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.python.core.PyInteger;
import org.python.core.PyObject;
import org.python.util.PythonInterpreter;

/** The kind of DaCapo's jython: a script in Python, compiled to classes by Jython and run. The script's path is in the property `script`. */
final class ScriptRunner implements Rounds.Program {
    private static final int SEED = 42;

    private final PythonInterpreter python = new PythonInterpreter();
    private final PyObject work;

    private ScriptRunner(String script) throws IOException {
        try (InputStream file = new FileInputStream(script)) {
            python.execfile(file, script);
        }
        work = python.get("work");
    }

    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        settings.setProperty("python.cachedir.skip", "true");
        settings.setProperty("python.import.site", "false");
        PythonInterpreter.initialize(System.getProperties(), settings, new String[0]);
        Rounds.run(new ScriptRunner(System.getProperty("script")), arguments);
    }

    @Override
    public long round() {
        return work.__call__(new PyInteger(SEED)).asLong();
    }

    @Override
    public void end() {
        python.close();
    }
}
