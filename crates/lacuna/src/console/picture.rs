//! The picture of names: circles around the owner, larger for more memories, paler when faded, joined where memories
//! mention both.

use lacuna_core::read::{KnownName, Overview};
use maud::{Markup, html};

use super::language::{PageLanguage, filled};
use super::text::{beginning, visible};

const WIDTH: f32 = 920.0;
const HEIGHT: f32 = 560.0;
/// Names on the inner ring; the rest is on the outer one.
const INNER_MAX: usize = 10;
const INNER: (f32, f32) = (210.0, 130.0);
/// The ring of names that need no second one.
const ONLY: (f32, f32) = (370.0, 200.0);
const OUTER: (f32, f32) = (390.0, 228.0);
const RADIUS_MIN: f32 = 9.0;
const RADIUS_MAX: f32 = 34.0;
/// A faded name is still visible.
const OPACITY_MIN: f32 = 0.35;
/// Characters of a name beside its circle.
const NAME_CHARS_MAX: usize = 18;
/// The distance of a link's bend from its middle, as a share of its length. A straight one might run through the owner.
const BEND: f32 = 0.14;

/// A circle of the picture.
struct Circle {
    x: f32,
    y: f32,
    radius: f32,
}

/// Draws the names of an overview.
pub(super) fn names(language: PageLanguage, overview: &Overview) -> Markup {
    let texts = language.texts();
    let most = overview.names.iter().map(|known| known.memories).max().unwrap_or(1).max(1);
    let count = overview.names.len();
    let circles: Vec<Circle> =
        overview.names.iter().enumerate().map(|(at, known)| circle(at, count, known, most)).collect();
    let (middle_x, middle_y) = (WIDTH / 2.0, HEIGHT / 2.0);
    let label = filled(texts.picture_label, &[&language.number(overview.names.len())]);
    html! {
        figure class="picture" {
            svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(label) {
                @for spoke in &circles {
                    line class="spoke" x1=(middle_x) y1=(middle_y) x2=(tenth(spoke.x)) y2=(tenth(spoke.y)) {}
                }
                @for link in &overview.links {
                    @let (a, b) = (&circles[link.ends.0], &circles[link.ends.1]);
                    path class="link" d=(bent(a, b)) stroke-width=(tenth((link.memories as f32).sqrt().min(6.0))) {}
                }
                circle class="me" cx=(middle_x) cy=(middle_y) r="26" {}
                text class="me-label" x=(middle_x) y=(middle_y + 5.0) { (texts.you) }
                @for (known, circle) in overview.names.iter().zip(&circles) { (drawn(language, known, circle)) }
            }
            figcaption { (texts.picture_hint) }
        }
    }
}

fn drawn(language: PageLanguage, known: &KnownName, circle: &Circle) -> Markup {
    let opacity = OPACITY_MIN + (1.0 - OPACITY_MIN) * known.salience.clamp(0.0, 1.0);
    let name = visible(&beginning(known.name.expose(), NAME_CHARS_MAX));
    let count = language.counted(known.memories, language.texts().memories);
    html! {
        g class={ "name " (kind_class(&known.kind)) } {
            title { (visible(known.name.expose())) ": " (count) }
            // A pale circle hides the lines behind it all the same.
            circle class="under" cx=(tenth(circle.x)) cy=(tenth(circle.y)) r=(tenth(circle.radius)) {}
            circle cx=(tenth(circle.x)) cy=(tenth(circle.y)) r=(tenth(circle.radius)) opacity=(format!("{opacity:.2}")) {}
            text x=(tenth(circle.x)) y=(tenth(circle.y + circle.radius + 17.0)) { (name) }
        }
    }
}

/// A bent line between two circles.
fn bent(a: &Circle, b: &Circle) -> String {
    let (wide, high) = (b.x - a.x, b.y - a.y);
    let (x, y) = ((a.x + b.x) / 2.0 - high * BEND, (a.y + b.y) / 2.0 + wide * BEND);
    format!("M{:.1} {:.1}Q{x:.1} {y:.1} {:.1} {:.1}", a.x, a.y, b.x, b.y)
}

/// The class of a kind of name; kinds come from outside, classes do not.
fn kind_class(kind: &str) -> &'static str {
    match kind {
        "person" => "person",
        "place" | "location" => "place",
        "organisation" | "organization" => "organisation",
        _ => "thing",
    }
}

/// Places the names on two rings, the largest on the inner one.
fn circle(at: usize, count: usize, known: &KnownName, most: usize) -> Circle {
    let inner = count.min(INNER_MAX);
    let ring = if count <= INNER_MAX { ONLY } else { INNER };
    let (place, places, (wide, high)) =
        if at < inner { (at, inner, ring) } else { (at - inner, count - inner, OUTER) };
    // The outer ring is turned by half a place, so that names do not stand behind one another.
    let turn = if at < inner { 0.0 } else { 0.5 };
    let angle =
        std::f32::consts::TAU * (place as f32 + turn) / places.max(1) as f32 - std::f32::consts::FRAC_PI_2;
    let share = (known.memories as f32 / most as f32).sqrt();
    Circle {
        x: WIDTH / 2.0 + wide * angle.cos(),
        y: HEIGHT / 2.0 + high * angle.sin(),
        radius: RADIUS_MIN + (RADIUS_MAX - RADIUS_MIN) * share,
    }
}

fn tenth(number: f32) -> String {
    format!("{number:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_circle_of_a_full_picture_lies_inside_it() {
        let most = lacuna_core::read::NAMES_SHOWN_MAX;
        for (count, at) in
            [INNER_MAX, most].into_iter().flat_map(|count| (0..count).map(move |at| (count, at)))
        {
            let known = KnownName {
                name: "Maria".into(),
                kind: "person".to_owned(),
                relation: None,
                memories: count - at,
                salience: 1.0,
            };
            let Circle { x, y, radius } = circle(at, count, &known, count);
            assert!(x - radius > 0.0 && x + radius < WIDTH, "{at}: {x}");
            assert!(y - radius > 0.0 && y + radius + 20.0 < HEIGHT, "{at}: {y}");
        }
    }
}
