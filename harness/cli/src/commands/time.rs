//! Times on the command line.

use std::time::Duration;

use super::Failure;

/// `90s`, `8m` or `1h`, given as the option `name`.
pub(super) fn parse_time(name: &str, text: &str) -> Result<Duration, Failure> {
    let wrong = || Failure::usage(format!("{name} `{text}`: write 90s, 8m or 1h"));
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1.0,
        'm' => 60.0,
        'h' => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = text[..text.len() - 1].trim().parse().map_err(|_| wrong())?;
    if !(number.is_finite() && number > 0.0 && number * seconds <= 86_400.0) {
        return Err(wrong());
    }
    Ok(Duration::from_secs_f64(number * seconds))
}

/// `50us`, `2ms` or `1s` in nanoseconds, given as the option `name`.
pub(super) fn parse_latency_ns(name: &str, text: &str) -> Result<u64, Failure> {
    let wrong = || Failure::usage(format!("{name} `{text}`: write 50us, 2ms or 1s"));
    let (number, unit_ns) = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)]
        .iter()
        .find_map(|(unit, ns)| Some((text.strip_suffix(unit)?, *ns)))
        .ok_or_else(wrong)?;
    let number: f64 = number.trim().parse().map_err(|_| wrong())?;
    if number.is_nan() || number <= 0.0 {
        return Err(wrong());
    }
    Ok((number * unit_ns) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_times() {
        assert_eq!(parse_time("budget", "90s").unwrap(), Duration::from_secs(90));
        assert_eq!(parse_time("budget", "1.5m").unwrap(), Duration::from_secs(90));
        assert_eq!(parse_time("budget", "1h").unwrap(), Duration::from_secs(3600));
        for text in ["", "8", "m", "-8m", "8 minutes", "0s", "25h", "NaNs"] {
            let said = parse_time("budget", text).unwrap_err().message.unwrap();
            assert!(
                said.contains(&format!("budget `{text}`: write 90s, 8m or 1h")),
                "{text}: {said}"
            );
        }
    }
}
