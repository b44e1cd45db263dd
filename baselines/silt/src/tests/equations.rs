//! The equations give the text's numbers.

use baseline_silt::equations::{
    Load, SORTED_BYTES_PER_ITEM, measured_memory, measured_reads, measured_write_amplification,
};

fn example(merge_entries: f64) -> Load {
    Load { keys: 100e6, merge_entries, tag_bits: 15, instances: 4.0 }
}

/// Table 2.4 and the example of §2.4.
#[test]
fn the_example_of_the_text_comes_out() {
    let load = example(7.5e6);
    assert!((load.write_amplification() - 5.4).abs() < 0.02);
    assert!((load.hash_stores() - 30.7).abs() < 0.1);
    assert!((load.reads() - 1.008).abs() < 0.0005);
    assert!((load.memory_bytes(SORTED_BYTES_PER_ITEM) - 0.73).abs() < 0.005);
    let flash_bytes = 256.0 * (1_u64 << 30) as f64;
    let years = load.lifetime_s(flash_bytes, 10_000.0, 5000.0, 1024.0) / (365.25 * 86_400.0);
    assert!((years - 3.15).abs() < 0.01, "{years}");
    assert!((load.false_positives() - 2.44e-4).abs() < 1e-6);
}

/// Figure 2.8 by its formulas: write amplification, reads and memory for each *d* in millions.
#[test]
fn the_figure_of_merge_sizes_comes_out() {
    for (millions, writes, reads, memory) in [
        (1.0, 27.07, 1.0012, 0.472),
        (2.5, 12.07, 1.0027, 0.532),
        (5.0, 7.08, 1.0052, 0.632),
        (10.0, 4.58, 1.0102, 0.833),
        (15.0, 3.74, 1.0152, 1.034),
    ] {
        let load = example(millions * 1e6);
        assert!((load.write_amplification() - writes).abs() < 0.01, "{millions}");
        assert!((load.reads() - reads).abs() < 1e-4, "{millions}");
        // The text rounds 0.0672 to 0.067.
        let share = load.memory_bytes(SORTED_BYTES_PER_ITEM) / memory;
        assert!((share - 1.0).abs() < 0.003, "{millions}: {share}");
    }
    assert_eq!(measured_write_amplification(540, 100), 5.4);
    assert_eq!(measured_reads(101, 100), 1.01);
    assert_eq!(measured_memory(73, 100), 0.73);
}
