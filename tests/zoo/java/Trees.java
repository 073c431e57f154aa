import java.util.Random;

/** deep DEPTH, or grid SIDE: small arrays that refer to the next below and to a leaf; or a grid whose cells refer to four neighbours. */
final class Trees {
    static final class Cell {
        Cell north;
        Cell east;
        Cell south;
        Cell west;
        byte[] load;
    }

    private static Object[] top;
    private static Cell corner;

    private static void makeDeep(int depth) {
        Random random = new Random(3);
        for (int i = 0; i < depth; i++) {
            top = new Object[] {top, new byte[random.nextInt(64)], new Object[1]};
        }
    }

    private static void makeGrid(int side) {
        Cell[] row = new Cell[side];
        for (int y = 0; y < side; y++) {
            Cell west = null;
            for (int x = 0; x < side; x++) {
                Cell cell = new Cell();
                cell.load = new byte[32];
                cell.west = west;
                cell.north = row[x];
                if (west != null) {
                    west.east = cell;
                }
                if (row[x] != null) {
                    row[x].south = cell;
                }
                row[x] = cell;
                west = cell;
            }
        }
        corner = row[0];
    }

    public static void main(String[] words) throws Exception {
        if (words[0].equals("deep")) {
            makeDeep(Integer.parseInt(words[1]));
        } else {
            makeGrid(Integer.parseInt(words[1]));
        }
        Gap.serve();
    }
}
