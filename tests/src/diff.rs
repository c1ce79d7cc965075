//! The difference of two texts, line by line.

/// Lines shown around each change.
const CONTEXT: usize = 3;
/// Products of line counts beyond which only the first difference is shown.
const LARGEST: usize = 4_000_000;

/// The change from `expected` to `actual` in the unified form: `-` lines are expected, `+` lines
/// came. Empty where the texts are the same.
pub fn lines(expected: &str, actual: &str) -> String {
    let old: Vec<&str> = expected.lines().collect();
    let new: Vec<&str> = actual.lines().collect();
    if expected == actual {
        return String::new();
    }
    let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let shortest = old.len().min(new.len()) - same_start;
    let same_end =
        old.iter().rev().zip(new.iter().rev()).take(shortest).take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[same_start..old.len() - same_end], &new[same_start..new.len() - same_end]);
    if a.is_empty() && b.is_empty() {
        return "only the newline at the end differs\n".to_owned();
    }
    if a.len().saturating_mul(b.len()) > LARGEST {
        let show = |lines: &[&str]| lines.first().map_or(String::new(), |l| (*l).to_owned());
        return format!("@@ line {} @@\n-{}\n+{}\n", same_start + 1, show(a), show(b));
    }
    let mut edits: Vec<(char, &str)> = old[..same_start].iter().map(|l| (' ', *l)).collect();
    edits.extend(middle(a, b));
    edits.extend(old[old.len() - same_end..].iter().map(|l| (' ', *l)));
    hunks(&edits)
}

/// The edits from `a` to `b` by their longest common subsequence.
fn middle<'a>(a: &[&'a str], b: &[&'a str]) -> Vec<(char, &'a str)> {
    let width = b.len() + 1;
    let mut common = vec![0u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i * width + j] = if a[i] == b[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut edits = Vec::new();
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            edits.push((' ', a[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len()
            || i < a.len() && common[(i + 1) * width + j] >= common[i * width + j + 1]
        {
            edits.push(('-', a[i]));
            i += 1;
        } else {
            edits.push(('+', b[j]));
            j += 1;
        }
    }
    edits
}

fn hunks(edits: &[(char, &str)]) -> String {
    let changed: Vec<usize> = (0..edits.len()).filter(|&index| edits[index].0 != ' ').collect();
    let mut text = String::new();
    let (mut old_line, mut shown_to) = (1, 0);
    for (index, (mark, line)) in edits.iter().enumerate() {
        let near = changed.partition_point(|&c| c + CONTEXT < index);
        if changed.get(near).is_some_and(|&c| c <= index + CONTEXT) {
            if shown_to < index || index == 0 {
                text.push_str(&format!("@@ line {old_line} @@\n"));
            }
            text.push_str(&format!("{mark}{line}\n"));
            shown_to = index + 1;
        }
        old_line += usize::from(*mark != '+');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_shown_with_context() {
        for (expected, actual, diff) in [
            ("a\nb\n", "a\nb\n", ""),
            ("a\n", "a", "only the newline at the end differs\n"),
            ("a\nb\nc\n", "a\nc\n", "@@ line 1 @@\n a\n-b\n c\n"),
            ("a\nc\n", "a\nb\nc\n", "@@ line 1 @@\n a\n+b\n c\n"),
            ("", "x\n", "@@ line 1 @@\n+x\n"),
            (
                "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
                "0\n2\n3\n4\n5\n6\n7\n8\n0\n",
                "@@ line 1 @@\n-1\n+0\n 2\n 3\n 4\n@@ line 6 @@\n 6\n 7\n 8\n-9\n+0\n",
            ),
        ] {
            assert_eq!(lines(expected, actual), diff);
        }
    }

    #[test]
    fn large_differences_show_the_first() {
        let many =
            |seed: usize| (0..3000).map(|i| format!("{}\n", i * 2 + seed)).collect::<String>();
        assert_eq!(lines(&many(0), &many(1)), "@@ line 1 @@\n-0\n+1\n");
    }
}
