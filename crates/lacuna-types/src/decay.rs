//! Decay and rehearsal: how much a memory matters now, computed from when it was last brought to mind.
//!
//! The formulas are those of the persona schema, § 03, in these readings:
//!
//! - Salience halves with every half-life since the last rehearsal, or since the memory was formed. The term
//!   of the valence is a **floor**, not a summand: what somebody feels strongly about never falls below it.
//!   The result lies from 0 to 1, whatever was stored.
//! - `rehearsalBoost ^ rehearsalCount` is applied one factor at a time, each at its rehearsal: the stored
//!   salience is the one right after the last rehearsal, and holds every earlier factor already.
//! - The boost is bounded twice. Its full factor needs a day since the last rehearsal ([`SPACING_DAYS`]), so
//!   that a conversation which names a memory at every turn does not cram it; and by rehearsal alone nothing
//!   rises above [`REHEARSED_MAX`], so that the top stays for what somebody called important.
//! - Details fade by themselves, never slower than the gist, and rise only when they were shown.
//!
//! Nothing is written to age a memory. Everything here is a pure function of what is stored and of a moment.

use jiff::{SignedDuration, Timestamp};

use crate::memory::{DecayProfile, Detail, Peak, Vitality};
use crate::time::millis;

/// The time since the last rehearsal at which the next one has its full effect.
pub const SPACING_DAYS: f32 = 1.0;
/// Rehearsal alone lifts neither a salience nor a brightness above this.
pub const REHEARSED_MAX: f32 = 0.9;
/// The largest factor of one rehearsal, whatever a profile says.
pub const BOOST_MAX: f32 = 2.0;
/// The shortest half-life, whatever a profile says: an hour. The longest is a thousand years.
pub const HALF_LIFE_DAYS_MIN: f32 = 1.0 / 24.0;
/// The longest half-life.
pub const HALF_LIFE_DAYS_MAX: f32 = 365_000.0;
/// Earlier peaks that a memory keeps; older ones are dropped first.
pub const PEAKS_MAX: usize = 16;
/// Details below this brightness are not shown to an assistant.
pub const DETAIL_SHOWN_MIN: f32 = 0.1;
/// The most points of one curve.
pub const CURVE_POINTS_MAX: usize = 1_000;

const DAY_MILLIS: f32 = 86_400_000.0;
const SECOND_MILLIS: i64 = 1_000;

/// The curve of a fading salience, small enough to lie beside every entry of an index.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fading {
    peak: f32,
    floor: f32,
    half_lives_per_day: f32,
    /// Seconds since the epoch.
    since: u32,
}

impl Fading {
    /// A salience that does not change.
    pub const fn steady(salience: f32) -> Self {
        Self { peak: salience, floor: salience, half_lives_per_day: 0.0, since: 0 }
    }

    /// The salience at a moment in milliseconds since the epoch. Before the peak it is the peak's.
    pub fn at(&self, now: i64) -> f32 {
        // In whole seconds, as the peak's moment is: nothing fades between a rehearsal and the end of its second.
        let age = (now.div_euclid(SECOND_MILLIS) - i64::from(self.since)).max(0);
        let days = (age * SECOND_MILLIS) as f32 / DAY_MILLIS;
        (self.peak * (-days * self.half_lives_per_day).exp2()).max(self.floor)
    }

    fn from_peak(salience: f32, at: Timestamp, vitality: &Vitality) -> Self {
        let seconds = millis(at).div_euclid(SECOND_MILLIS).clamp(0, i64::from(u32::MAX));
        Self {
            peak: share(salience),
            floor: floor(vitality),
            half_lives_per_day: half_life_days(&vitality.decay).recip(),
            since: seconds as u32,
        }
    }
}

/// A moment on a memory's curve.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// The moment.
    pub at: Timestamp,
    /// The salience at that moment, from 0 to 1.
    pub salience: f32,
}

impl Vitality {
    /// The curve since the last rehearsal.
    pub fn fading(&self) -> Fading {
        Fading::from_peak(self.salience, self.rehearsed_at, self)
    }

    /// The salience at a moment.
    pub fn salience_at(&self, now: Timestamp) -> f32 {
        self.fading().at(millis(now))
    }

    /// The rest at `now` of a detail's stored brightness.
    pub fn brightness_at(&self, brightness: f32, now: Timestamp) -> f32 {
        let rate = finite(self.decay.detail_decay_rate, DecayProfile::default().detail_decay_rate).max(1.0);
        let half_lives = self.days_until(now) / half_life_days(&self.decay);
        share(brightness) * (-rate * half_lives).exp2()
    }

    /// Brings the memory to mind at `now`. `shown` says which details were; the others go on fading.
    pub fn rehearse(&mut self, details: &mut [Detail], shown: impl Fn(usize) -> bool, now: Timestamp) {
        let factor = self.boost_at(now);
        for (at, detail) in details.iter_mut().enumerate() {
            let left = self.brightness_at(detail.brightness, now);
            detail.brightness = if shown(at) { lifted(left, factor) } else { left };
        }
        self.peaks.push(Peak { at: self.rehearsed_at, salience: self.salience });
        if self.peaks.len() > PEAKS_MAX {
            self.peaks.remove(0);
        }
        self.salience = lifted(self.salience_at(now), factor);
        self.rehearsed_at = self.rehearsed_at.max(now);
        self.rehearsals = self.rehearsals.saturating_add(1);
    }

    /// Notes a reading that leaves the salience as it is. A clock that went back changes nothing.
    pub fn note_reading(&mut self, at: Timestamp) {
        self.read_at = self.read_at.max(Some(at));
    }

    /// The known times of rehearsals, oldest first.
    pub fn rehearsal_times(&self) -> Vec<Timestamp> {
        // The first peak of all is the forming of the memory, as long as it is kept.
        let forming = usize::from(self.peaks.len() >= self.rehearsals as usize);
        let last = (self.rehearsals > 0).then_some(self.rehearsed_at);
        self.peaks.iter().skip(forming).map(|peak| peak.at).chain(last).collect()
    }

    /// The salience at evenly spaced moments from `from` to `until`: what it was as far back as the peaks
    /// tell, and what it will be if nothing happens.
    pub fn curve(&self, from: Timestamp, until: Timestamp, points: usize) -> Vec<Point> {
        let points = points.clamp(2, CURVE_POINTS_MAX);
        let step = SignedDuration::from_millis((millis(until) - millis(from)).max(0) / (points as i64 - 1));
        let at = |n: usize| from.saturating_add(step * n as i32).unwrap_or(Timestamp::MAX);
        (0..points).map(|n| Point { at: at(n), salience: self.remembered_at(at(n)) }).collect()
    }

    /// The salience at a moment that may lie before the last rehearsal.
    fn remembered_at(&self, moment: Timestamp) -> f32 {
        let earlier = self.peaks.iter().rev().find(|peak| peak.at <= moment).or(self.peaks.first());
        match earlier {
            Some(peak) if moment < self.rehearsed_at => {
                Fading::from_peak(peak.salience, peak.at, self).at(millis(moment))
            }
            _ => self.salience_at(moment),
        }
    }

    /// The factor of a rehearsal at `now`: the profile's, or less the sooner it follows the one before.
    fn boost_at(&self, now: Timestamp) -> f32 {
        let boost = finite(self.decay.rehearsal_boost, 1.0).clamp(1.0, BOOST_MAX);
        1.0 + (boost - 1.0) * (self.days_until(now) / SPACING_DAYS).min(1.0)
    }

    fn days_until(&self, now: Timestamp) -> f32 {
        millis(now).saturating_sub(millis(self.rehearsed_at)).max(0) as f32 / DAY_MILLIS
    }
}

/// Lifts a value up to the bound; a value above it stays.
fn lifted(value: f32, factor: f32) -> f32 {
    (value * factor).min(REHEARSED_MAX).max(value)
}

fn floor(vitality: &Vitality) -> f32 {
    share(vitality.decay.valence_protection * vitality.valence.abs())
}

fn half_life_days(decay: &DecayProfile) -> f32 {
    let days = finite(decay.half_life_days, DecayProfile::default().half_life_days);
    days.clamp(HALF_LIFE_DAYS_MIN, HALF_LIFE_DAYS_MAX)
}

fn finite(number: f32, otherwise: f32) -> f32 {
    if number.is_finite() { number } else { otherwise }
}

/// A stored number as a share from 0 to 1; what is no number counts nothing.
fn share(number: f32) -> f32 {
    finite(number, 0.0).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DAY: i64 = 86_400;
    const START: i64 = 1_776_000_000;

    fn day(days: f64) -> Timestamp {
        Timestamp::from_millisecond(START * 1_000 + (days * DAY as f64 * 1_000.0) as i64).unwrap()
    }

    fn vitality(salience: f32, valence: f32) -> Vitality {
        let (decay, rehearsed_at) = (DecayProfile::default(), day(0.0));
        Vitality { salience, valence, decay, rehearsals: 0, rehearsed_at, read_at: None, peaks: Vec::new() }
    }

    fn near(one: f32, other: f32) -> bool {
        (one - other).abs() < 1e-4
    }

    #[test]
    fn salience_halves_with_every_half_life_down_to_the_floor_of_its_valence() {
        let neutral = vitality(0.8, 0.0);
        for (days, salience) in [(0.0, 0.8), (14.0, 0.4), (28.0, 0.2), (-3.0, 0.8)] {
            assert!(near(neutral.salience_at(day(days)), salience), "{days}");
        }
        let dear = vitality(0.8, -0.62);
        assert!(near(dear.salience_at(day(14.0)), 0.4));
        assert!(near(dear.salience_at(day(400.0)), 0.3 * 0.62));
    }

    #[test]
    fn details_fade_by_one_and_a_half_half_lives_and_rise_only_when_they_were_shown() {
        let mut memory = vitality(0.8, 0.0);
        assert!(near(memory.brightness_at(0.8, day(14.0)), 0.8 * 0.5f32.powf(1.5)));
        let detail = |content: &str| Detail { content: content.into(), brightness: 0.4 };
        let mut details = [detail("a blue scarf"), detail("the rain")];
        memory.rehearse(&mut details, |at| at == 0, day(14.0));
        let left = 0.4 * 0.5f32.powf(1.5);
        assert!(near(details[0].brightness, left * 1.4) && near(details[1].brightness, left));
        assert!(near(memory.brightness_at(details[1].brightness, day(28.0)), left * 0.5f32.powf(1.5)));
    }

    #[test]
    fn a_rehearsal_multiplies_once_and_cramming_adds_nothing() {
        let mut memory = vitality(0.6, 0.0);
        memory.rehearse(&mut [], |_| true, day(14.0));
        assert!(near(memory.salience, 0.3 * 1.4));
        assert_eq!((memory.rehearsals, memory.rehearsed_at), (1, day(14.0)));
        for _ in 0..50 {
            memory.rehearse(&mut [], |_| true, day(14.0));
        }
        assert!(near(memory.salience, 0.3 * 1.4));
        memory.rehearse(&mut [], |_| true, day(14.5));
        assert!(near(memory.salience, 0.42 * 0.5f32.powf(0.5 / 14.0) * 1.2));
    }

    #[test]
    fn the_past_of_a_curve_shows_every_peak_that_is_kept() {
        let mut memory = vitality(0.8, 0.0);
        memory.rehearse(&mut [], |_| true, day(14.0));
        memory.rehearse(&mut [], |_| true, day(28.0));
        assert_eq!(memory.rehearsal_times(), [day(14.0), day(28.0)]);
        let curve = memory.curve(day(0.0), day(42.0), 4);
        let saliences: Vec<f32> = curve.iter().map(|point| point.salience).collect();
        let expected = [0.8, 0.56, 0.28 * 1.4, 0.14 * 1.4];
        assert!(saliences.iter().zip(expected).all(|(one, other)| near(*one, other)), "{saliences:?}");
        for n in 3..40 {
            memory.rehearse(&mut [], |_| true, day(14.0 * f64::from(n)));
        }
        assert_eq!((memory.peaks.len(), memory.rehearsals), (PEAKS_MAX, 39));
        let times = memory.rehearsal_times();
        assert_eq!(times.len(), PEAKS_MAX + 1);
        assert_eq!((times[0], times[PEAKS_MAX]), (day(14.0 * 23.0), day(14.0 * 39.0)));
    }

    #[test]
    fn a_steady_salience_does_not_fade() {
        let steady = Fading::steady(0.5);
        assert_eq!((steady.at(0), steady.at(i64::MAX)), (0.5, 0.5));
        assert_eq!(size_of::<Fading>(), 16);
    }

    /// Any 32 bits as a number: infinities, NaN and subnormal ones too.
    fn number() -> impl Strategy<Value = f32> {
        prop_oneof![any::<u32>().prop_map(f32::from_bits), 0f32..1.0, -2f32..20.0]
    }

    prop_compose! {
        fn any_vitality()(
            (salience, valence) in (number(), number()),
            numbers in [number(), number(), number(), number(), number()],
        ) -> Vitality {
            let [half_life_days, rehearsal_boost, valence_protection, minimum_salience, detail_decay_rate] = numbers;
            let decay = DecayProfile {
                half_life_days, rehearsal_boost, valence_protection, minimum_salience, detail_decay_rate,
            };
            Vitality { decay, ..vitality(salience, valence) }
        }
    }

    prop_compose! {
        fn sane_vitality()(
            (salience, valence) in (0f32..=1.0, -1f32..=1.0),
            (half_life_days, rehearsal_boost) in (0.5f32..400.0, 1f32..3.0),
            (valence_protection, detail_decay_rate) in (0f32..=1.0, 0f32..4.0),
        ) -> Vitality {
            let decay = DecayProfile {
                half_life_days, rehearsal_boost, valence_protection, detail_decay_rate,
                ..DecayProfile::default()
            };
            Vitality { decay, ..vitality(salience, valence) }
        }
    }

    fn is_share(number: f32) -> bool {
        (0.0..=1.0).contains(&number)
    }

    proptest! {
        #[test]
        fn whatever_was_stored_gives_a_share(
            mut memory in any_vitality(),
            brightness in number(),
            gaps in proptest::collection::vec(-10f64..4_000.0, 0..24),
        ) {
            let mut details = [Detail { content: "x".into(), brightness }];
            let mut now = 0.0;
            for gap in gaps {
                now += gap;
                prop_assert!(is_share(memory.salience_at(day(now))));
                prop_assert!(is_share(memory.brightness_at(details[0].brightness, day(now))));
                memory.rehearse(&mut details, |_| true, day(now));
                prop_assert!(is_share(memory.salience) && is_share(details[0].brightness));
                prop_assert!(memory.peaks.len() <= PEAKS_MAX);
            }
            prop_assert!(memory.curve(day(0.0), day(now), 20).iter().all(|point| is_share(point.salience)));
        }

        #[test]
        fn without_rehearsal_it_only_falls_and_not_below_its_floor(
            memory in sane_vitality(),
            one in 0f64..2_000.0,
            more in 0f64..2_000.0,
        ) {
            let (sooner, later) = (memory.salience_at(day(one)), memory.salience_at(day(one + more)));
            prop_assert!(later <= sooner);
            prop_assert!(later >= floor(&memory));
        }

        #[test]
        fn a_detail_keeps_no_larger_share_of_itself_than_the_gist(
            memory in sane_vitality(),
            brightness in 0.01f32..=1.0,
            days in 0f64..2_000.0,
        ) {
            let gist = memory.salience_at(day(days)) / memory.salience_at(day(0.0)).max(f32::MIN_POSITIVE);
            let detail = memory.brightness_at(brightness, day(days)) / brightness;
            prop_assert!(memory.salience < 0.01 || detail <= gist + 1e-3, "{detail} {gist}");
        }

        #[test]
        fn rehearsing_never_lowers_and_lifts_within_its_bounds(
            mut memory in sane_vitality(),
            gaps in proptest::collection::vec(0f64..3.0, 1..60),
        ) {
            let (mut now, mut days) = (0.0, 0.0);
            let first = memory.salience_at(day(0.0));
            for gap in gaps {
                now += gap;
                days += (gap as f32).min(1.0);
                let before = memory.salience_at(day(now));
                memory.rehearse(&mut [], |_| true, day(now));
                let after = memory.salience_at(day(now));
                prop_assert!(after >= before - 1e-6 && after <= before.max(REHEARSED_MAX) + 1e-6);
                // However often: no more than one full factor for every day that passed, and e for its parts.
                let most = first.max(floor(&memory)) * (days * (BOOST_MAX - 1.0)).exp();
                prop_assert!(after <= most * 1.001, "{after} {most}");
            }
        }
    }
}
