//! Powers of floating-point numbers, computed with additions and multiplications only.
//!
//! `f64::powf` calls the machine's C library, and libraries differ in the last bit. A key drawn
//! through it could change with the next release of libc; these bits cannot change.
//!
//! The relative error is below 1e-14 for the arguments used here (checked against `f64::powf`).

// ln 2 in two parts; the first has 21 trailing zero bits, so that a small integer times it is exact.
const LN2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
const LN2_LOW: f64 = f64::from_bits(0x3DEA_39EF_3579_3C76);
const FRACTION_BITS: u32 = f64::MANTISSA_DIGITS - 1;
const FRACTION_MASK: u64 = (1 << FRACTION_BITS) - 1;
const EXPONENT_BIAS: i64 = 1023;

/// 1/1, 1/3, 1/5, …
const ODD_RECIPROCALS: [f64; 11] = {
    let mut reciprocals = [1.0; 11];
    let mut at = 0;
    while at < reciprocals.len() {
        reciprocals[at] = 1.0 / (2 * at + 1) as f64;
        at += 1;
    }
    reciprocals
};

/// 1/0!, 1/1!, 1/2!, …; every factorial here is exact.
const FACTORIAL_RECIPROCALS: [f64; 14] = {
    let mut reciprocals = [1.0; 14];
    let mut factorial = 1.0;
    let mut at = 1;
    while at < reciprocals.len() {
        factorial *= at as f64;
        reciprocals[at] = 1.0 / factorial;
        at += 1;
    }
    reciprocals
};

/// `base` to the power `exponent`, for a positive, normal `base`.
#[inline]
pub(super) fn power(base: f64, exponent: f64) -> f64 {
    exp(exponent * ln(base))
}

/// The natural logarithm of a positive, normal number.
pub(super) fn ln(x: f64) -> f64 {
    debug_assert!(x.is_normal() && x > 0.0, "ln({x})");
    let bits = x.to_bits();
    let mut exponent = (bits >> FRACTION_BITS) as i64 - EXPONENT_BIAS;
    let mut mantissa =
        f64::from_bits((bits & FRACTION_MASK) | (EXPONENT_BIAS as u64) << FRACTION_BITS);
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    // ln m = 2 artanh s, where |s| < 0.172: eleven terms reach 1e-17.
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let square = s * s;
    let series = polynomial(&ODD_RECIPROCALS, square);
    let exponent = exponent as f64;
    exponent * LN2_HIGH + (2.0 * s * series + exponent * LN2_LOW)
}

/// `ln(1 + x) / x` for x above −1, without loss of precision near zero.
#[inline]
pub(super) fn ln_1p_ratio(x: f64) -> f64 {
    if (-0.25..0.25).contains(&x) {
        // ln(1 + x) = 2 artanh(x / (2 + x)), where the argument is below 0.15.
        let s = x / (2.0 + x);
        2.0 / (2.0 + x) * polynomial(&ODD_RECIPROCALS, s * s)
    } else {
        ln(1.0 + x) / x
    }
}

/// `(e^x - 1) / x`, without loss of precision near zero.
#[inline]
pub(super) fn exp_m1_ratio(x: f64) -> f64 {
    if (-0.25..0.25).contains(&x) {
        // Thirteen terms of the series of e^x, omitting the first, divided by x.
        polynomial(FACTORIAL_RECIPROCALS.last_chunk::<13>().expect("14 terms"), x)
    } else {
        (exp(x) - 1.0) / x
    }
}

/// e to the power `x`. Returns zero below the range of normal numbers.
pub(super) fn exp(x: f64) -> f64 {
    debug_assert!(x < 700.0, "exp({x})");
    let twos = (x * std::f64::consts::LOG2_E).round();
    if twos < -1022.0 {
        return 0.0;
    }
    // |rest| < 0.35: thirteen terms of the Taylor series reach 1e-17.
    let rest = (x - twos * LN2_HIGH) - twos * LN2_LOW;
    let series = polynomial(&FACTORIAL_RECIPROCALS, rest);
    let scale = f64::from_bits(((twos as i64 + EXPONENT_BIAS) as u64) << FRACTION_BITS);
    series * scale
}

/// The sum of `coefficients[n] * x^n`, by Horner's rule.
#[inline]
fn polynomial<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_c_library() {
        for exponent in [-2.0, -0.99, -0.5, 0.01, 0.5, 0.99, 2.0, 10.0, 100.0] {
            for base in [1e-3, 0.1, 0.5, 0.7, 0.999, 1.0, 1.5, 2.0, 3.0, 1000.0] {
                let ours = power(base, exponent);
                let theirs = base.powf(exponent);
                // The exponent multiplies the error of the logarithm.
                let tolerance = 1e-15 * f64::max(4.0, (exponent * base.ln()).abs());
                assert!(
                    (ours - theirs).abs() <= tolerance * theirs,
                    "{base} ^ {exponent} = {theirs}, not {ours}"
                );
            }
        }
    }

    #[test]
    fn ratios_agree_with_the_c_library_and_have_no_gap() {
        let magnitudes = [1e-300, 1e-17, 1e-9, 0.1, 0.249, 0.25, 0.251, 0.5, 0.9, 3.0, 40.0];
        for x in magnitudes.into_iter().flat_map(|x: f64| [x, -x]) {
            let theirs = x.exp_m1() / x;
            assert!((exp_m1_ratio(x) / theirs - 1.0).abs() < 4e-15, "{x}");
            if x > -1.0 {
                let theirs = x.ln_1p() / x;
                assert!((ln_1p_ratio(x) / theirs - 1.0).abs() < 4e-15, "{x}");
            }
        }
        assert_eq!((exp_m1_ratio(0.0), ln_1p_ratio(0.0)), (1.0, 1.0));
    }

    #[test]
    fn the_ends_are_exact() {
        assert_eq!(power(1.0, 123.0), 1.0);
        assert_eq!(power(2.0, 0.0), 1.0);
        assert_eq!(power(1e-300, 2.0), 0.0);
    }

    #[test]
    fn bits_are_fixed_for_ever() {
        assert_eq!(power(10.0, 0.01).to_bits(), 0x3FF0_5F68_7901_262C);
        assert_eq!(power(0.3, 100.0).to_bits(), 0x3513_BECE_DA16_8A93);
    }
}
