// What YCSB's generator draws: run by scripts/ycsb-check, with YCSB's core.jar on the class path.
// Prints the records that it drew most often as a table: the first rank that falls on each, how
// often it was drawn, and how probable it is. Only the draws depend on chance: the probability
// follows from YCSB's hash and from the formula of its zipfian generator.

import java.util.Comparator;
import java.util.Locale;
import java.util.stream.IntStream;
import site.ycsb.Utils;
import site.ycsb.generator.ScrambledZipfianGenerator;

public final class YcsbScrambled {
  private static final int HOTTEST = 100;
  private static final double THETA = ScrambledZipfianGenerator.USED_ZIPFIAN_CONSTANT;
  private static final double ZETAN = ScrambledZipfianGenerator.ZETAN;
  // The generator draws ranks from 0 to ITEM_COUNT, both included.
  private static final long RANKS = ScrambledZipfianGenerator.ITEM_COUNT + 1;
  // Ranks below this one are hashed one by one. The others are so many and so rare that they count
  // as spread evenly.
  private static final long HASHED = 1 << 27;

  public static void main(String[] arguments) {
    int records = Integer.parseInt(arguments[0]);
    long draws = Long.parseLong(arguments[1]);

    long[] drawn = new long[records];
    ScrambledZipfianGenerator generator = new ScrambledZipfianGenerator(records);
    for (long draw = 0; draw < draws; draw++) {
      drawn[generator.nextValue().intValue()]++;
    }

    double[] probability = new double[records];
    long[] firstRank = new long[records];
    double below = 0;
    for (long rank = 0; rank < HASHED; rank++) {
      int record = (int) (Utils.fnvhash64(rank) % records);
      if (probability[record] == 0) {
        firstRank[record] = rank;
      }
      double upTo = below(rank + 1);
      probability[record] += upTo - below;
      below = upTo;
    }
    double rest = (1 - below) / records;

    IntStream.range(0, records)
        .boxed()
        .sorted(Comparator.comparingLong(record -> -drawn[record]))
        .limit(HOTTEST)
        .sorted(Comparator.comparingDouble(record -> -probability[record]))
        .map(record -> String.format(Locale.ROOT, "%d\t%d\t%d\t%.8f", record, firstRank[record],
            drawn[record], probability[record] + rest))
        .forEach(System.out::println);
  }

  // The probability of a rank below this one: the formula of ZipfianGenerator, solved for its
  // uniform number.
  private static double below(long rank) {
    if (rank < 2) {
      return rank / ZETAN;
    }
    double eta = (1 - Math.pow(2.0 / RANKS, 1 - THETA)) / (1 - (1 + Math.pow(0.5, THETA)) / ZETAN);
    return 1 - (1 - Math.pow((double) rank / RANKS, 1 - THETA)) / eta;
  }
}
