//! A curve as one line of text.

/// From nothing to 1, for terminals and for everything else.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const SIGNS: [char; 9] = ['_', '.', ':', '-', '=', '+', '*', '%', '#'];

/// Shares from 0 to 1 as a row of characters, one each.
pub(super) fn row(shares: &[f32], in_signs: bool) -> String {
    let levels = if in_signs { SIGNS } else { BLOCKS };
    let highest = (levels.len() - 1) as f32;
    let level = |share: &f32| levels[(share.clamp(0.0, 1.0) * highest).ceil() as usize];
    shares.iter().map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_rises_with_its_shares() {
        let shares = [0.0, 0.01, 0.25, 0.5, 1.0, 7.0, f32::NAN];
        assert_eq!(row(&shares, false), " ▁▂▄███".replace("███", "██ "));
        assert_eq!(row(&shares, true), "_.:=##_");
    }
}
