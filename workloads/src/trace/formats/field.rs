//! Fields of text formats.

use super::error::Fault;

pub(super) const NS_PER_SECOND: u128 = 1_000_000_000;
const NS_DIGITS: usize = 9;

/// A field as error messages show it: printable, and no longer than a terminal line.
pub(super) fn shown(field: &[u8]) -> String {
    const SHOWN: usize = 40;
    let start = field.get(..SHOWN).unwrap_or(field).escape_ascii();
    let end = if field.len() > SHOWN { "…" } else { "" };
    format!("\"{start}{end}\"")
}

/// Parses a whole decimal number. Unlike [`str::parse`], it rejects a leading `+`.
pub(super) fn number(column: &str, field: &[u8]) -> Result<u64, Fault> {
    let wrong = |why| {
        Fault::new(
            format!("{column} {} {why}", shown(field)),
            "check that the file is complete and has this format",
        )
    };
    if field.is_empty() {
        return Err(wrong("is empty"));
    }
    field.iter().try_fold(0u64, |number, digit| {
        if !digit.is_ascii_digit() {
            return Err(wrong("is not a whole number"));
        }
        number
            .checked_mul(10)
            .and_then(|tens| tens.checked_add(u64::from(digit - b'0')))
            .ok_or_else(|| wrong("is above 64 bits"))
    })
}

/// Parses whole seconds.
pub(super) fn seconds_ns(column: &str, field: &[u8]) -> Result<u128, Fault> {
    Ok(u128::from(number(column, field)?) * NS_PER_SECOND)
}

/// Parses seconds with up to nine decimal places.
pub(super) fn decimal_seconds_ns(column: &str, field: &[u8]) -> Result<u128, Fault> {
    let Some(point) = field.iter().position(|&byte| byte == b'.') else {
        return seconds_ns(column, field);
    };
    let (whole, fraction) = (&field[..point], &field[point + 1..]);
    let digits = fraction.len();
    if digits > NS_DIGITS {
        return Err(Fault::new(
            format!("{column} {} is finer than a nanosecond", shown(field)),
            "write at most nine digits after the decimal point",
        ));
    }
    let scale = 10u128.pow((NS_DIGITS - digits) as u32);
    Ok(seconds_ns(column, whole)? + u128::from(number(column, fraction)?) * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact_or_refused() {
        assert_eq!(number("n", b"0").unwrap(), 0);
        assert_eq!(number("n", b"18446744073709551615").unwrap(), u64::MAX);
        for (field, why) in [
            (&b"18446744073709551616"[..], "is above 64 bits"),
            (b"", "is empty"),
            (b"+1", "is not a whole number"),
            (b"1 ", "is not a whole number"),
            (b"\xff", "is not a whole number"),
        ] {
            assert!(number("n", field).unwrap_err().what.ends_with(why));
        }
        assert_eq!(
            number("size", &[b'x'; 50]).unwrap_err().what.len(),
            "size  is not a whole number".len() + 45
        );
    }

    #[test]
    fn seconds_keep_every_digit() {
        let ns = |text: &str| decimal_seconds_ns("time", text.as_bytes()).ok();
        assert_eq!(ns("12"), Some(12_000_000_000));
        assert_eq!(ns("1.5"), Some(1_500_000_000));
        assert_eq!(ns("1339518083.107412"), Some(1_339_518_083_107_412_000));
        assert_eq!(ns("0.000000001"), Some(1));
        for text in ["", ".", "1.", ".5", "1.0000000001", "1.5.5", "-1"] {
            assert_eq!(ns(text), None, "{text}");
        }
    }
}
