//! How figures of launches are written for people.

/// A time in seconds, with the unit that suits it.
pub fn time(seconds: f64) -> String {
    if seconds >= 1.0 {
        format!("{seconds:.3} s")
    } else if seconds >= 1e-3 {
        format!("{:.3} ms", seconds * 1e3)
    } else {
        format!("{:.3} us", seconds * 1e6)
    }
}

/// `32x4x1` without trailing ones: `32x4`.
pub fn shape([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => format!("{x}"),
        (_, 1) => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    }
}

/// A time that somebody waits for, in whole seconds, minutes or hours.
pub fn span(time: std::time::Duration) -> String {
    let seconds = time.as_secs_f64().round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// A large number with three digits and a word.
pub fn count(number: f64) -> String {
    match number {
        n if n >= 1e9 => format!("{:.2} billion", n / 1e9),
        n if n >= 1e8 => format!("{:.0} million", n / 1e6),
        n if n >= 1e6 => format!("{:.1} million", n / 1e6),
        n => format!("{n:.0}"),
    }
}
