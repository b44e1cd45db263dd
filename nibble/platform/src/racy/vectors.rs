//! Moves of bytes by vector instructions that the compiler does not see.
//!
//! A processor works ahead by a fixed number of instructions, so the fewer a copy takes, the more
//! cache misses overlap. Vectors of 64 bytes are used where the processor has them, which is found
//! out when the program runs; those of 32 bytes where this crate was compiled for them. Registers are
//! named, not chosen by the compiler: it has none of 32 bytes to choose from in a crate that was
//! compiled for older processors and takes in these functions, as documentation tests are.

/// Bytes of a cache line, and of the widest vector.
const LINE_BYTES: usize = 64;
const HALF_BYTES: usize = LINE_BYTES / 2;
/// From this length on, whole lines are stored: a vector that lies across two lines takes two turns
/// at the cache.
const ALIGNED_BYTES: usize = 4 * LINE_BYTES;

/// Whether the program was compiled for AVX.
const HAS_HALVES: bool = cfg!(all(target_arch = "x86_64", target_feature = "avx", not(miri)));

/// Which vectors bytes are moved by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// None; callers copy words.
    Word,
    /// Vectors of 32 bytes, two for a line (AVX).
    Half,
    /// Vectors of 64 bytes (AVX-512).
    Line,
}

impl Width {
    /// The widest that there are.
    #[inline]
    pub(super) fn widest() -> Self {
        if has_lines() {
            Self::Line
        } else if HAS_HALVES {
            Self::Half
        } else {
            Self::Word
        }
    }
}

/// Whether the processor has AVX-512, and its registers in 32 bytes, too. Costs nothing in a program
/// that was compiled for it.
#[inline]
fn has_lines() -> bool {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::is_x86_feature_detected;
        is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl")
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    {
        false
    }
}

/// Moves `bytes` bytes and returns `true`; moves nothing and returns `false` if they are fewer than
/// 32, or there are no vectors.
///
/// The last vector ends where the bytes do, and may move some of them once more.
///
/// # Safety
/// The processor has vectors of this width. `from` is readable and `to` writable for `bytes` bytes,
/// and they do not overlap. Of each, others may access what is part of [`Words`](super::Words), as
/// this module does.
#[inline]
pub(super) unsafe fn move_bytes(width: Width, from: *const u8, to: *mut u8, bytes: usize) -> bool {
    if width == Width::Word || bytes < HALF_BYTES {
        return false;
    }
    if bytes < LINE_BYTES {
        let last = bytes - HALF_BYTES;
        // SAFETY: half a line, and at least as many bytes.
        unsafe { move_half(width, from, to) };
        // SAFETY: it ends where the bytes do.
        unsafe { move_half(width, from.wrapping_add(last), to.wrapping_add(last)) };
        return true;
    }
    // Branches, not choices: the first addresses must not depend on the length, which may itself be on
    // its way from memory.
    let is_even = if bytes < ALIGNED_BYTES {
        let end = bytes / LINE_BYTES * LINE_BYTES;
        // SAFETY: as many lines as there are, at least one.
        unsafe { move_lines(width, from, to, 0, end) };
        end == bytes
    } else {
        let front = to.addr().wrapping_neg() % LINE_BYTES;
        if front > 0 {
            // SAFETY: a line, and at least as many bytes.
            unsafe { move_lines(width, from, to, 0, LINE_BYTES) };
        }
        let end = front + (bytes - front) / LINE_BYTES * LINE_BYTES;
        // SAFETY: as many lines as fit behind the front, which is shorter than one; there are several.
        unsafe { move_lines(width, from, to, front, end) };
        end == bytes
    };
    if !is_even {
        // SAFETY: it ends where the bytes do.
        unsafe { move_lines(width, from, to, bytes - LINE_BYTES, bytes) };
    }
    true
}

/// Whether [`move_any`] moves anything here.
pub(super) const MOVES_ANY: bool = cfg!(all(target_arch = "x86_64", not(miri)));

/// Moves any number of bytes by instructions that the compiler does not see. Never called where
/// [`MOVES_ANY`] is false.
///
/// # Safety
/// `from` is readable and `to` writable for `bytes` bytes, and they do not overlap. Of each, others
/// may access what all who access it access by this function or as relaxed atomic bytes.
#[inline]
pub(super) unsafe fn move_any(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: as of this function; the width is one that the processor has.
    if unsafe { move_bytes(Width::widest(), from, to, bytes) } {
        return;
    }
    /// As many steps of one size as fit, and one more that ends where the bytes do.
    macro_rules! steps {
        ($size:literal, $class:ident, $load:literal, $store:literal) => {{
            let last = bytes - $size;
            for at in (0..last).step_by($size).chain([last]) {
                let (from, to) = (from.wrapping_add(at), to.wrapping_add(at));
                #[cfg(all(target_arch = "x86_64", not(miri)))]
                // SAFETY: inside both ranges, because `at <= bytes - size`. What races is loaded
                // and stored as so many relaxed atomic bytes would be, and the compiler assumes
                // nothing of it.
                unsafe {
                    core::arch::asm!(
                        $load,
                        $store,
                        from = in(reg) from,
                        to = in(reg) to,
                        held = out($class) _,
                        options(nostack, preserves_flags)
                    );
                }
                #[cfg(not(all(target_arch = "x86_64", not(miri))))]
                let _ = (from, to);
            }
        }};
    }
    match bytes {
        0 => {}
        1..=3 => {
            steps!(1, reg_byte, "mov {held}, byte ptr [{from}]", "mov byte ptr [{to}], {held}");
        }
        4..=7 => {
            steps!(4, reg, "mov {held:e}, dword ptr [{from}]", "mov dword ptr [{to}], {held:e}");
        }
        8..=15 => {
            steps!(8, reg, "mov {held}, qword ptr [{from}]", "mov qword ptr [{to}], {held}");
        }
        // Not aligned; every x86-64 processor has the instruction.
        _ => steps!(
            16,
            xmm_reg,
            "movdqu {held}, xmmword ptr [{from}]",
            "movdqu xmmword ptr [{to}], {held}"
        ),
    }
}

/// Moves the whole lines from `at` to `end`, at least one, none of which need be aligned.
///
/// Offsets count up, so an address depends on `at` alone, and on `end` only the branch that ends the loop,
/// which is predicted. Counted from the end, every line would wait until the length has been loaded.
///
/// # Safety
/// As for [`move_bytes`], for `end` bytes.
#[inline]
unsafe fn move_lines(width: Width, from: *const u8, to: *mut u8, at: usize, end: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        if width == Width::Line {
            // SAFETY: as of this function; what races is loaded and stored by an instruction, as
            // relaxed atomics are, and the compiler assumes nothing of it. Programs that are not
            // compiled for register 16 do not use it.
            unsafe {
                core::arch::asm!(
                    "2:",
                    "vmovdqu64 zmm16, zmmword ptr [{from} + {at}]",
                    "vmovdqu64 zmmword ptr [{to} + {at}], zmm16",
                    "add {at}, 64",
                    "cmp {at}, {end}",
                    "jb 2b",
                    from = in(reg) from,
                    to = in(reg) to,
                    end = in(reg) end,
                    at = inout(reg) at => _,
                    out("zmm16") _,
                    options(nostack)
                );
            }
        }
        #[cfg(target_feature = "avx")]
        {
            if width == Width::Half {
                // SAFETY: as above.
                unsafe {
                    core::arch::asm!(
                        "2:",
                        "vmovdqu ymm0, ymmword ptr [{from} + {at}]",
                        "vmovdqu ymm1, ymmword ptr [{from} + {at} + 32]",
                        "vmovdqu ymmword ptr [{to} + {at}], ymm0",
                        "vmovdqu ymmword ptr [{to} + {at} + 32], ymm1",
                        "add {at}, 64",
                        "cmp {at}, {end}",
                        "jb 2b",
                        from = in(reg) from,
                        to = in(reg) to,
                        end = in(reg) end,
                        at = inout(reg) at => _,
                        out("ymm0") _,
                        out("ymm1") _,
                        options(nostack)
                    );
                }
            }
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (width, from, to, at, end);
}

/// Moves half a line, which need not be aligned.
///
/// # Safety
/// As for [`move_bytes`], for half a line.
#[inline]
unsafe fn move_half(width: Width, from: *const u8, to: *mut u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        if width == Width::Line {
            // SAFETY: as in `move_lines`.
            unsafe {
                core::arch::asm!(
                    "vmovdqu64 ymm16, ymmword ptr [{from}]",
                    "vmovdqu64 ymmword ptr [{to}], ymm16",
                    from = in(reg) from,
                    to = in(reg) to,
                    out("ymm16") _,
                    options(nostack, preserves_flags)
                );
            }
        }
        #[cfg(target_feature = "avx")]
        {
            if width == Width::Half {
                // SAFETY: as in `move_lines`.
                unsafe {
                    core::arch::asm!(
                        "vmovdqu ymm0, ymmword ptr [{from}]",
                        "vmovdqu ymmword ptr [{to}], ymm0",
                        from = in(reg) from,
                        to = in(reg) to,
                        out("ymm0") _,
                        options(nostack, preserves_flags)
                    );
                }
            }
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (width, from, to);
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES_MAX: usize = 300;
    const GUARD: u8 = 0xee;

    #[test]
    fn every_width_moves_every_length_and_nothing_beside_it() {
        let source: Vec<u8> = (0..=250).cycle().take(BYTES_MAX + LINE_BYTES).collect();
        let widths = [(Width::Half, HAS_HALVES), (Width::Line, has_lines())];
        for (width, _) in widths.into_iter().filter(|(_, there)| *there) {
            for bytes in 0..=BYTES_MAX {
                for (skip, place) in [(0, 0), (1, 8), (7, 63), (32, 16), (40, 5), (63, 56)] {
                    let mut target = vec![GUARD; BYTES_MAX + 2 * LINE_BYTES];
                    let (from, to) = (source[skip..].as_ptr(), target[place..].as_mut_ptr());
                    // SAFETY: both ranges lie in their vectors, which are different; the width is
                    // one that there is.
                    let moved = unsafe { move_bytes(width, from, to, bytes) };
                    assert_eq!(moved, bytes >= HALF_BYTES, "{width:?}, {bytes} bytes");
                    let end = if moved { place + bytes } else { place };
                    assert_eq!(
                        target[place..end],
                        source[skip..skip + end - place],
                        "{width:?}, {bytes} bytes from {skip} to {place}"
                    );
                    let beside = target[..place].iter().chain(&target[end..]);
                    assert!(beside.into_iter().all(|&byte| byte == GUARD), "{width:?}, {bytes}");
                }
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "there is no such instruction")]
    fn any_number_of_bytes_is_moved_and_nothing_beside_it() {
        let source: Vec<u8> = (0..=250).cycle().take(BYTES_MAX + LINE_BYTES).collect();
        for bytes in (0..=BYTES_MAX).filter(|_| MOVES_ANY) {
            for (skip, place) in [(0, 0), (1, 8), (7, 63), (32, 16), (40, 5), (63, 56)] {
                let mut target = vec![GUARD; BYTES_MAX + 2 * LINE_BYTES];
                let (from, to) = (source[skip..].as_ptr(), target[place..].as_mut_ptr());
                // SAFETY: both ranges lie in their vectors, which are different.
                unsafe { move_any(from, to, bytes) };
                let (front, rest) = target.split_at(place);
                let (moved, back) = rest.split_at(bytes);
                assert_eq!(moved, &source[skip..][..bytes], "{bytes} from {skip} to {place}");
                assert!(front.iter().chain(back).all(|&byte| byte == GUARD), "{bytes} bytes");
            }
        }
    }

    #[test]
    fn words_are_left_to_the_caller() {
        let (source, mut target) = ([1; 64], [0; 64]);
        // SAFETY: both have that many bytes.
        let moved = unsafe { move_bytes(Width::Word, source.as_ptr(), target.as_mut_ptr(), 64) };
        assert_eq!((moved, target), (false, [0; 64]));
    }
}
