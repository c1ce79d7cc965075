//! The tutorial is true: its program is built up as the page says, its commands are executed in a folder of their
//! own, and print what stands behind them.

use std::path::Path;
use std::process::Command;

use gpuc_tests::execution::{self, End};
use gpuc_tests::tools::Tools;
use gpuc_tests::{corpus, diff};

/// A block of code of the page: its language, its text, and the line it begins at.
struct Block {
    language: String,
    text: String,
    line: usize,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open = false;
    for (number, line) in page.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(language) if !open => {
                let language = language.to_owned();
                found.push(Block { language, text: String::new(), line: number + 1 });
                open = true;
            }
            Some(_) => open = false,
            None if open => {
                let block = found.last_mut().expect("a block is open");
                block.text += line;
                block.text.push('\n');
            }
            None => {}
        }
    }
    found
}

/// Changes a file as a block says whose first line names it: lines with `-` go, those with `+` come, others stay.
fn patch(folder: &Path, block: &Block) {
    let (head, body) = block.text.split_once('\n').expect("a line that names the file");
    let file = folder.join(head.strip_prefix("--- ").expect("`--- FILE`"));
    let side = |other: char| -> String {
        let lines = body.lines().filter(|line| !line.starts_with(other));
        lines.map(|line| format!("{}\n", line.get(1..).unwrap_or_default())).collect()
    };
    let (old, new) = (side('+'), side('-'));
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches(&old).count(), 1, "line {}: not once in {head}:\n{old}", block.line);
    std::fs::write(&file, text.replace(&old, &new)).unwrap();
}

fn shell(folder: &Path, script: &str) -> String {
    let gpuc = Tools::find().ours("gpuc").unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let first = gpuc.parent().map(Path::to_owned);
    let folders = first.into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).expect("a path of folders");
    let mut command = Command::new("sh");
    // One stream, in which neither side overtakes the other.
    command.args(["-e", "-c", &format!("exec 2>&1\n{script}")]).current_dir(folder);
    command
        .env("PATH", path)
        .env("LC_ALL", "C.UTF-8")
        .env_remove("GPUC_DEVICE")
        .env_remove("GPUC_ARCH");
    let outcome = execution::run(&mut command, Vec::new(), true).unwrap();
    assert_eq!(outcome.end(), End::Success, "{script}\n{}", outcome.tail());
    outcome.text()
}

/// Whether a text is what was shown; `...` stands for any lines.
fn is_shown(shown: &str, text: &str) -> bool {
    let mut rest: Vec<&str> = text.lines().collect();
    let mut skips = false;
    for line in shown.lines() {
        if line == "..." {
            skips = true;
            continue;
        }
        let at = match skips {
            true => rest.iter().position(|there| *there == line),
            false => (rest.first() == Some(&line)).then_some(0),
        };
        let Some(at) = at else { return false };
        rest.drain(..=at);
        skips = false;
    }
    skips || rest.is_empty()
}

#[test]
fn every_command_prints_what_is_shown() {
    let page = std::fs::read_to_string(corpus::root().join("docs/tutorial.md")).unwrap();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut blocks = blocks(&page).into_iter().peekable();
    let mut commands = 0;
    while let Some(block) = blocks.next() {
        match block.language.as_str() {
            "c" => {
                let (head, text) = block.text.split_once('\n').expect("a line that names the file");
                let name = head.strip_prefix("// ").expect("`// FILE`");
                std::fs::write(folder.path().join(name), text).unwrap();
            }
            "diff" => patch(folder.path(), &block),
            "sh" => {
                commands += block.text.lines().count();
                let said = shell(folder.path(), &block.text);
                let shown = blocks.next_if(|next| next.language == "text");
                if let Some(shown) = shown
                    && !is_shown(&shown.text, &said)
                {
                    let difference = diff::lines(&shown.text, &said);
                    panic!(
                        "docs/tutorial.md:{}: it prints something else\n{difference}",
                        shown.line
                    );
                }
            }
            other => panic!("docs/tutorial.md:{}: a block of `{other}`", block.line),
        }
    }
    assert!(commands > 12, "{commands}");
}
