//! "Did you mean": the nearest of the known names.

/// The candidate nearest to `name` by edit distance (insert, delete, replace, swap of neighbours),
/// if it is near enough to be a likely slip: at most a third of the longer length, rounded up.
/// Ties go to the earlier candidate, so the answer is deterministic.
pub fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let limit = name.len().max(candidate.len()).div_ceil(3);
        let distance = distance(name.as_bytes(), candidate.as_bytes());
        if distance <= limit && best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Optimal string alignment distance of two byte strings.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let mut d = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                d = d.min(before[j - 1] + 1);
            }
            row.push(d);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn nearest_name_or_none() {
        let clauses = ["copyin", "copyout", "create", "present"];
        assert_eq!(did_you_mean("coyping", clauses), Some("copyin"));
        assert_eq!(did_you_mean("copyot", clauses), Some("copyout"));
        assert_eq!(did_you_mean("wibble", clauses), None);
        assert_eq!(did_you_mean("", clauses), None);
    }
}
