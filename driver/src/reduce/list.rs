//! Leaving out parts of a list: large stretches first, then smaller ones (Zeller and Hildebrandt, "Simplifying and
//! isolating failure-inducing input", 2002, without the halves that are kept alone).

/// The list without what can be left out, by `holds`.
///
/// # Errors
/// Those of `holds`.
pub(super) fn without<T: Clone, E>(
    mut items: Vec<T>,
    largest: usize,
    mut holds: impl FnMut(&[T]) -> Result<bool, E>,
) -> Result<Vec<T>, E> {
    let mut size = largest.min(items.len());
    while size > 0 {
        // From the end: what comes later uses what comes earlier, and goes first.
        let mut end = items.len();
        let mut gone = false;
        while end > 0 {
            let start = end.saturating_sub(size);
            let rest = [&items[..start], &items[end..]].concat();
            if holds(&rest)? {
                items = rest;
                gone = true;
            }
            end = start;
        }
        // What has gone may have been all that used something.
        size = if gone && size == 1 { 1 } else { size / 2 };
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn what_is_needed_stays() {
        let items: Vec<u32> = (0..100).collect();
        let mut runs = 0;
        let left = without(items, 50, |rest: &[u32]| {
            runs += 1;
            Ok::<_, ()>(rest.contains(&3) && rest.contains(&71))
        });
        assert_eq!(left, Ok(vec![3, 71]));
        assert!(runs < 60, "{runs}");
        // 2 is there for 1, and 1 for 0: they go one after the other.
        let chain = |rest: &[u32]| {
            let has = |n: u32| rest.contains(&n);
            Ok::<_, ()>((!has(1) || has(0)) && (!has(2) || has(1)))
        };
        assert_eq!(without(vec![0, 1, 2], 1, chain), Ok(vec![]));
    }
}
