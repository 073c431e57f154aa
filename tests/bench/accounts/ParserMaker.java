import antlr.Tool;
import java.io.CharArrayWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The kind of DaCapo's antlr: ANTLR 2 reads grammars and makes parsers and lexers of them. Grammars are files, what comes out stays in memory. */
final class ParserMaker implements Rounds.Program {
    private static final int GRAMMARS = 5;
    private static final int LEVELS = 14;       // of expressions, each with operators of its own
    private static final int STATEMENTS = 45;
    private static final int LOOK_AHEAD = 2;

    private final Path directory;
    private final List<Path> grammars = new ArrayList<>();

    private ParserMaker() throws IOException {
        directory = Files.createTempDirectory("parser-maker-");
        for (int i = 0; i < GRAMMARS; i++) {
            Path file = directory.resolve("Lang" + i + ".g");
            Files.writeString(file, grammar("Lang" + i, new Random(i)));
            grammars.add(file);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Rounds.run(new ParserMaker(), arguments);
    }

    @Override
    public long round() {
        Digest digest = new Digest();
        for (Path grammar : grammars) {
            InMemory tool = new InMemory();
            int status = tool.doEverything(new String[] {"-o", directory.toString(), grammar.toString()});
            Rounds.check(status == 0, "ANTLR ends with %d on %s", status, grammar);
            tool.digest(digest);
        }
        return digest.value();
    }

    @Override
    public void end() throws IOException {
        for (Path grammar : grammars) {
            Files.delete(grammar);
        }
        Files.delete(directory);
    }

    /** A tool whose files are kept in memory and whose fatal errors are exceptions. */
    private static final class InMemory extends Tool {
        private final List<CharArrayWriter> files = new ArrayList<>();

        @Override
        public PrintWriter openOutputFile(String name) {
            CharArrayWriter file = new CharArrayWriter();
            files.add(file);
            return new PrintWriter(file);
        }

        @Override
        public void fatalError(String message) {
            throw new IllegalStateException(message);
        }

        @Override
        @Deprecated
        public void panic(String message) {
            throw new IllegalStateException(message);
        }

        @Override
        public void warning(String message, String file, int line, int column) { }  // of ambiguities, which real grammars have too

        @Override
        public void warning(String[] message, String file, int line, int column) { }

        void digest(Digest digest) {
            boolean parser = false;
            for (CharArrayWriter file : files) {
                String text = file.toString();
                parser |= text.contains("extends antlr.LLkParser");
                digest.addWithoutDigits(text.substring(text.indexOf('\n') + 1));  // the first line names the path; labels have numbers that go on
            }
            Rounds.check(parser, "no parser is among %d files", files.size());
        }
    }

    // --- a small language with many statements ------------------------------------------------------------------------

    private static String grammar(String name, Random random) {
        StringBuilder made = new StringBuilder();
        made.append("class ").append(name).append("Parser extends Parser;\noptions { k=").append(LOOK_AHEAD)
            .append("; buildAST=true; defaultErrorHandler=true; exportVocab=").append(name).append("; }\n\n");
        made.append("program : ( declaration | statement )* EOF! ;\n");
        made.append("declaration : \"var\"^ IDENT ( COLON! type )? ( ASSIGN! e0 )? SEMI!\n")
            .append("  | \"function\"^ IDENT LPAREN! ( parameter ( COMMA! parameter )* )? RPAREN! block ;\n");
        made.append("parameter : IDENT ( COLON! type )? ;\ntype : IDENT ( LBRACK RBRACK )* | \"int\" | \"string\" | \"bool\" ;\n");
        made.append("block : LBRACE! ( declaration | statement )* RBRACE! ;\n");
        statements(made, random);
        expressions(made);
        lexer(made, name);
        return made.toString();
    }

    private static void statements(StringBuilder made, Random random) {
        made.append("statement : block | e0 SEMI!");
        for (int i = 0; i < STATEMENTS; i++) {
            made.append("\n  | statement").append(i);
        }
        made.append(" ;\n");
        for (int i = 0; i < STATEMENTS; i++) {
            made.append("statement").append(i).append(" { int depth = ").append(random.nextInt(100)).append("; } : \"word").append(i).append("\"^ ");
            for (int part = 0; part < 2 + random.nextInt(4); part++) {
                made.append(part(random, i, part));
            }
            made.append("SEMI! { depth++; } ;\n");
        }
    }

    private static String part(Random random, int statement, int part) {
        String keyword = "\"key" + statement + "x" + part + "\"";
        switch (random.nextInt(5)) {
            case 0: return "( " + keyword + " e0 )? ";
            case 1: return "LPAREN! e0 ( COMMA! e0 )* RPAREN! ";
            case 2: return "( " + keyword + " IDENT ASSIGN! e0 | \"else" + part + "\" block )* ";
            case 3: return "( ( IDENT COLON ) => IDENT COLON! type | e0 ) ";
            default: return keyword + " block ";
        }
    }

    private static void expressions(StringBuilder made) {
        for (int i = 0; i < LEVELS; i++) {
            made.append("e").append(i).append(" : e").append(i + 1).append(" ( ( OP").append(i).append("A^ | OP").append(i).append("B^ ) e")
                .append(i + 1).append(" )* ;\n");
        }
        made.append("e").append(LEVELS).append(" : primary ( DOT^ IDENT | LPAREN^ ( e0 ( COMMA! e0 )* )? RPAREN! | LBRACK^ e0 RBRACK! )* ;\n");
        made.append("primary : IDENT | NUMBER | STRING | LPAREN! e0 RPAREN! | \"new\"^ type | \"true\" | \"false\" ;\n\n");
    }

    private static void lexer(StringBuilder made, String name) {
        made.append("class ").append(name).append("Lexer extends Lexer;\noptions { k=3; exportVocab=").append(name)
            .append("; testLiterals=false; charVocabulary='\\3'..'\\377'; }\n\n");
        String[][] fixed = {{"COLON", ":"}, {"ASSIGN", "="}, {"SEMI", ";"}, {"LPAREN", "("}, {"RPAREN", ")"}, {"COMMA", ","}, {"LBRACK", "["},
            {"RBRACK", "]"}, {"LBRACE", "{"}, {"RBRACE", "}"}, {"DOT", "."}};
        for (String[] token : fixed) {
            made.append(token[0]).append(" : '").append(token[1]).append("' ;\n");
        }
        for (int i = 0; i < LEVELS; i++) {
            char mark = "+-*/%<>!&|^~?@".charAt(i);
            made.append("OP").append(i).append("A : \"").append(mark).append(mark).append("\" ;\nOP").append(i).append("B : \"").append(mark)
                .append("=\" ;\n");
        }
        made.append("IDENT options { testLiterals=true; } : ( 'a'..'z' | 'A'..'Z' | '_' ) ( 'a'..'z' | 'A'..'Z' | '_' | '0'..'9' )* ;\n");
        made.append("NUMBER : ( '0'..'9' )+ ;\nSTRING : '\"' ( ~'\"' )* '\"' ;\n");
        made.append("WS : ( ' ' | '\\t' | '\\n' { newline(); } )+ { $setType(Token.SKIP); } ;\n");
    }
}
