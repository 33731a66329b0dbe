//! The loops that touch every memory: the only unsafe code of this crate.
//!
//! Each kernel exists twice, portable and AVX2, in integer arithmetic, so that both give the same bits; the
//! tests hold them to it. Callers see safe functions that choose at run time.

#![allow(unsafe_code)]

/// The largest magnitude of one byte of a code: the upper bytes are symmetric, the lower ones reach −128.
pub(crate) const BYTE_MAGNITUDE_MAX: i32 = 128;
/// Rows whose sign bits are stored together: one AVX2 register of bytes.
pub const SIGN_GROUP: usize = 32;
/// The largest entry of a sign table: four of them still fit in a byte.
pub const SIGN_ENTRY_MAX: u8 = 63;
/// Entries per table: one per pattern of four sign bits.
pub const SIGN_TABLE: usize = 16;

/// The largest query code that cannot overflow 32 bits against `dim` bytes of either sign.
pub fn query_code_max(dim: usize) -> i32 {
    let bound = i64::from(i32::MAX) / (i64::from(BYTE_MAGNITUDE_MAX) * dim.max(1) as i64);
    bound.min(i64::from(i16::MAX)) as i32
}

/// The dot products of consecutive rows with the query, one per element of `out`.
///
/// # Panics
/// When `rows` does not hold exactly `out.len()` rows of the query's length.
pub fn dot_rows(rows: &[i8], query: &[i16], out: &mut [i32]) {
    assert_eq!(rows.len(), query.len() * out.len(), "rows and query differ in length");
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, and the lengths were checked above.
        unsafe { avx2::dot_rows(rows, query, out) };
        return;
    }
    portable::dot_rows(rows, query, out);
}

/// The dot products of picked rows of a plane with the query, one per element of `out`.
///
/// # Panics
/// When `picked` and `out` differ in length, or `rows` does not hold every picked row.
pub(crate) fn dot_picked(rows: &[i8], picked: &[u32], query: &[i16], out: &mut [i32]) {
    assert_eq!(picked.len(), out.len(), "one sum per picked row");
    let held = rows.len() / query.len().max(1);
    assert!(picked.iter().all(|&row| (row as usize) < held), "a picked row lies outside");
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, and the lengths and rows were checked above.
        unsafe { avx2::dot_picked(rows, picked, query, out) };
        return;
    }
    portable::dot_picked(rows, picked, query, out);
}

/// Adds up, for each row of one group, the table entries that its sign bits select. Returns one bit for each row
/// whose sum is at least the threshold.
///
/// `group` holds byte `b` of row `r` at `b * SIGN_GROUP + r`; `tables` holds two tables per byte, the one of
/// the low four bits first. No entry may exceed [`SIGN_ENTRY_MAX`].
///
/// # Panics
/// When `tables` does not hold two tables for each byte of a row, or a row has more than 512 bytes.
pub fn sign_sums(group: &[u8], tables: &[u8], threshold: u16, out: &mut [u16; SIGN_GROUP]) -> u32 {
    let row_bytes = group.len() / SIGN_GROUP;
    assert_eq!(group.len(), row_bytes * SIGN_GROUP, "a group holds whole rows");
    assert_eq!(tables.len(), row_bytes * 2 * SIGN_TABLE, "two tables per byte");
    assert!(row_bytes <= 512, "sums of longer rows would overflow");
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, and the lengths were checked above.
        return unsafe { avx2::sign_sums(group, tables, threshold, out) };
    }
    portable::sign_sums(group, tables, threshold, out)
}

/// Kernels that every processor can run; the fast kernels are tested against them.
pub mod portable {
    use crate::index::{SIGN_GROUP, SIGN_TABLE};

    /// Computes the dot product of each row with the query.
    pub fn dot_rows(rows: &[i8], query: &[i16], out: &mut [i32]) {
        if query.is_empty() {
            out.fill(0);
            return;
        }
        for (row, out) in rows.chunks_exact(query.len()).zip(out) {
            *out = row.iter().zip(query).map(|(&code, &q)| i32::from(code) * i32::from(q)).sum();
        }
    }

    /// Computes the dot product of each picked row with the query.
    pub fn dot_picked(rows: &[i8], picked: &[u32], query: &[i16], out: &mut [i32]) {
        for (&row, out) in picked.iter().zip(out) {
            let start = row as usize * query.len();
            dot_rows(&rows[start..start + query.len()], query, std::slice::from_mut(out));
        }
    }

    /// Sums the table entries for the sign bits of each vector in a group. Returns one bit for each sum that reaches
    /// the threshold.
    pub fn sign_sums(group: &[u8], tables: &[u8], threshold: u16, out: &mut [u16; SIGN_GROUP]) -> u32 {
        out.fill(0);
        for (bytes, tables) in group.chunks_exact(SIGN_GROUP).zip(tables.chunks_exact(2 * SIGN_TABLE)) {
            let (low, high) = tables.split_at(SIGN_TABLE);
            for (&byte, out) in bytes.iter().zip(out.iter_mut()) {
                *out += u16::from(low[usize::from(byte & 15)]) + u16::from(high[usize::from(byte >> 4)]);
            }
        }
        out.iter().enumerate().fold(0, |bits, (row, &sum)| bits | u32::from(sum >= threshold) << row)
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use crate::index::{SIGN_GROUP, SIGN_TABLE};

    const LANES: usize = 16;
    const CACHE_LINE: usize = 64;

    /// # Safety
    /// Needs AVX2, and `rows.len() == query.len() * out.len()`.
    #[target_feature(enable = "avx2")]
    pub(crate) unsafe fn dot_rows(rows: &[i8], query: &[i16], out: &mut [i32]) {
        let dim = query.len();
        let mut row = 0;
        // Four rows at a time share each load of the query.
        while row + 4 <= out.len() {
            // SAFETY: rows `row .. row + 4` lie within `rows`, by the caller's promise about lengths.
            let sums = unsafe {
                let first = rows.as_ptr().add(row * dim);
                dot_four([first, first.add(dim), first.add(2 * dim), first.add(3 * dim)], query)
            };
            out[row..row + 4].copy_from_slice(&sums);
            row += 4;
        }
        while row < out.len() {
            // SAFETY: row `row` lies within `rows`.
            out[row] = unsafe { dot_one(rows.as_ptr().add(row * dim), query) };
            row += 1;
        }
    }

    /// # Safety
    /// Needs AVX2, `picked.len() == out.len()`, and in `rows` every picked row of `query.len()` codes.
    #[target_feature(enable = "avx2")]
    pub(crate) unsafe fn dot_picked(rows: &[i8], picked: &[u32], query: &[i16], out: &mut [i32]) {
        let dim = query.len();
        // SAFETY: every picked row lies within `rows`, by the caller's promise.
        let place = |row: &u32| unsafe { rows.as_ptr().add(*row as usize * dim) };
        let (fours, rest) = picked.as_chunks::<4>();
        let (sums, rest_out) = out.as_chunks_mut::<4>();
        for (at, (four, sums)) in fours.iter().zip(sums).enumerate() {
            // Picked rows lie apart, where the processor does not see them coming.
            for row in fours.get(at + 1).into_iter().flatten() {
                (0..dim).step_by(CACHE_LINE).for_each(|byte| {
                    _mm_prefetch::<_MM_HINT_T0>(place(row).wrapping_add(byte));
                });
            }
            // SAFETY: the four rows lie within `rows`.
            *sums = unsafe { dot_four(four.each_ref().map(place), query) };
        }
        for (row, out) in rest.iter().zip(rest_out) {
            // SAFETY: the row lies within `rows`.
            *out = unsafe { dot_one(place(row), query) };
        }
    }

    /// # Safety
    /// Needs AVX2, and `query.len()` codes at each of the `rows`.
    #[target_feature(enable = "avx2")]
    unsafe fn dot_four(rows: [*const i8; 4], query: &[i16]) -> [i32; 4] {
        let dim = query.len();
        let mut sums = [_mm256_setzero_si256(); 4];
        let mut at = 0;
        while at + LANES <= dim {
            // SAFETY: `at + LANES <= dim`, so each load stays within its row and within the query.
            unsafe {
                let q = _mm256_loadu_si256(query.as_ptr().add(at).cast());
                for (row, sum) in rows.iter().zip(&mut sums) {
                    let codes = _mm_loadu_si128(row.add(at).cast());
                    *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(_mm256_cvtepi8_epi16(codes), q));
                }
            }
            at += LANES;
        }
        let mut out = [0; 4];
        for ((row, sum), out) in rows.into_iter().zip(sums).zip(&mut out) {
            // SAFETY: the tail `at .. dim` lies within the row.
            *out = horizontal_sum(sum) + unsafe { tail(row, query, at) };
        }
        out
    }

    /// # Safety
    /// Needs AVX2, and `query.len()` codes at `row`.
    #[target_feature(enable = "avx2")]
    unsafe fn dot_one(row: *const i8, query: &[i16]) -> i32 {
        let dim = query.len();
        let mut sum = _mm256_setzero_si256();
        let mut at = 0;
        while at + LANES <= dim {
            // SAFETY: `at + LANES <= dim`, so both loads stay in bounds.
            unsafe {
                let q = _mm256_loadu_si256(query.as_ptr().add(at).cast());
                let codes = _mm_loadu_si128(row.add(at).cast());
                sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_cvtepi8_epi16(codes), q));
            }
            at += LANES;
        }
        // SAFETY: the tail `at .. dim` lies within the row.
        horizontal_sum(sum) + unsafe { tail(row, query, at) }
    }

    /// # Safety
    /// Needs `query.len()` codes at `row`.
    unsafe fn tail(row: *const i8, query: &[i16], from: usize) -> i32 {
        // SAFETY: every index is below `query.len()`, which the caller promises the row to hold.
        (from..query.len()).map(|at| i32::from(unsafe { *row.add(at) }) * i32::from(query[at])).sum()
    }

    #[target_feature(enable = "avx2")]
    fn horizontal_sum(sum: __m256i) -> i32 {
        let half = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
        let pair = _mm_add_epi32(half, _mm_shuffle_epi32::<0b00_00_11_10>(half));
        _mm_cvtsi128_si32(_mm_add_epi32(pair, _mm_shuffle_epi32::<0b00_00_00_01>(pair)))
    }

    /// The sum of the two entries that one byte of each row selects.
    #[target_feature(enable = "avx2")]
    fn selected(bytes: &[u8; SIGN_GROUP], low: &[u8; SIGN_TABLE], high: &[u8; SIGN_TABLE]) -> __m256i {
        let nibble = _mm256_set1_epi8(15);
        // SAFETY: the loads read exactly the 32 and 16 bytes of their arrays.
        let (bits, low, high) = unsafe {
            (
                _mm256_loadu_si256(bytes.as_ptr().cast()),
                _mm256_broadcastsi128_si256(_mm_loadu_si128(low.as_ptr().cast())),
                _mm256_broadcastsi128_si256(_mm_loadu_si128(high.as_ptr().cast())),
            )
        };
        let low = _mm256_shuffle_epi8(low, _mm256_and_si256(bits, nibble));
        let high = _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16::<4>(bits), nibble));
        _mm256_add_epi8(low, high)
    }

    /// # Safety
    /// Needs AVX2, whole rows in `group`, two tables per byte of a row, and entries of at most 63.
    #[target_feature(enable = "avx2")]
    pub(crate) unsafe fn sign_sums(
        group: &[u8],
        tables: &[u8],
        threshold: u16,
        out: &mut [u16; SIGN_GROUP],
    ) -> u32 {
        let (bytes, tables) = (group.as_chunks::<SIGN_GROUP>().0, tables.as_chunks::<SIGN_TABLE>().0);
        let (mut even, mut odd) = (_mm256_setzero_si256(), _mm256_setzero_si256());
        let (pairs, last) = bytes.as_chunks::<2>();
        let (fours, last_tables) = tables.as_chunks::<4>();
        for ([first, second], [a, b, c, d]) in pairs.iter().zip(fours) {
            // Two bytes of each row select four entries, whose sum still fits in a byte.
            let sum = _mm256_add_epi8(selected(first, a, b), selected(second, c, d));
            even = _mm256_add_epi16(even, _mm256_and_si256(sum, _mm256_set1_epi16(0xff)));
            odd = _mm256_add_epi16(odd, _mm256_srli_epi16::<8>(sum));
        }
        if let ([byte], [low, high]) = (last, last_tables) {
            let sum = selected(byte, low, high);
            even = _mm256_add_epi16(even, _mm256_and_si256(sum, _mm256_set1_epi16(0xff)));
            odd = _mm256_add_epi16(odd, _mm256_srli_epi16::<8>(sum));
        }
        // Even and odd rows were added up apart; interleaving restores their order within each half.
        let (first, second) = (_mm256_unpacklo_epi16(even, odd), _mm256_unpackhi_epi16(even, odd));
        // SAFETY: `out` holds 32 sums, which the four stores of 8 cover exactly.
        unsafe {
            let out = out.as_mut_ptr();
            _mm_storeu_si128(out.cast(), _mm256_castsi256_si128(first));
            _mm_storeu_si128(out.add(8).cast(), _mm256_castsi256_si128(second));
            _mm_storeu_si128(out.add(16).cast(), _mm256_extracti128_si256::<1>(first));
            _mm_storeu_si128(out.add(24).cast(), _mm256_extracti128_si256::<1>(second));
        }
        // The greater of a sum and the threshold is the sum itself where it reaches. Packing the two halves of each
        // register restores the order of the rows.
        let threshold = _mm256_set1_epi16(threshold.cast_signed());
        let first = _mm256_cmpeq_epi16(_mm256_max_epu16(first, threshold), first);
        let second = _mm256_cmpeq_epi16(_mm256_max_epu16(second, threshold), second);
        _mm256_movemask_epi8(_mm256_packs_epi16(first, second)).cast_unsigned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn dots_are_the_same_bits_on_every_processor(
            (dim, count) in (1usize..500, 1usize..9),
            seed in any::<u64>(),
        ) {
            let mut state = seed | 1;
            let mut next = move || { state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1); (state >> 33) as i32 };
            let top = query_code_max(dim);
            let rows: Vec<i8> = (0..dim * count).map(|_| (next() & 255) as i8).collect();
            let query: Vec<i16> = (0..dim).map(|_| (next() % (2 * top + 1) - top) as i16).collect();
            let (mut fast, mut slow) = (vec![0; count], vec![0; count]);
            dot_rows(&rows, &query, &mut fast);
            portable::dot_rows(&rows, &query, &mut slow);
            prop_assert_eq!(&fast, &slow);

            let picked: Vec<u32> = (0..2 * count).map(|_| next() as u32 % count as u32).collect();
            let expected: Vec<i32> = picked.iter().map(|&row| slow[row as usize]).collect();
            for dot_picked in [dot_picked, portable::dot_picked] {
                let mut found = vec![0; picked.len()];
                dot_picked(&rows, &picked, &query, &mut found);
                prop_assert_eq!(&found, &expected);
            }
        }

        #[test]
        fn sign_sums_are_the_same_bits_on_every_processor(
            row_bytes in 1usize..80,
            bytes in vec(any::<u8>(), 80 * SIGN_GROUP),
            entries in vec(0..=SIGN_ENTRY_MAX, 80 * 2 * SIGN_TABLE),
            share in 0.0..1.1f32,
        ) {
            let (group, tables) = (&bytes[..row_bytes * SIGN_GROUP], &entries[..row_bytes * 2 * SIGN_TABLE]);
            let (mut fast, mut slow) = ([0; SIGN_GROUP], [0; SIGN_GROUP]);
            let threshold = (share * (row_bytes * 2) as f32 * f32::from(SIGN_ENTRY_MAX / 2)) as u16;
            let reaching = sign_sums(group, tables, threshold, &mut fast);
            prop_assert_eq!(reaching, portable::sign_sums(group, tables, threshold, &mut slow));
            prop_assert_eq!(fast, slow);
        }
    }

    #[test]
    fn the_largest_codes_of_the_largest_dimension_do_not_overflow() {
        let dim = 4096;
        let top = query_code_max(dim) as i16;
        let mut out = [0; 2];
        let rows: Vec<i8> = [vec![127i8; dim], vec![-128i8; dim]].concat();
        dot_rows(&rows, &vec![top; dim], &mut out);
        let each = i32::from(top) * dim as i32;
        assert_eq!(out, [127 * each, -128 * each]);
    }
}
