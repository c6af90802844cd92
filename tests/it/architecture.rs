//! The invariants of ARCHITECTURE.md that a test can hold, read off the source text.

use std::fs;
use std::path::{Path, PathBuf};

/// Every `.rs` file below src/, as (path relative to src, text without `#[cfg(test)]` tail).
fn sources() -> Vec<(String, String)> {
    fn visit(dir: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                visit(&path, out);
            } else if path.extension().is_some_and(|e| e == "rs") {
                out.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    visit(&root, &mut files);
    files.sort();
    let mut out: Vec<(String, String)> = Vec::new();
    for file in files {
        let name = file.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or("").to_string();
        out.push((name, code));
    }
    assert!(out.len() > 30, "the walk found too little to prove anything");
    out
}

/// Lines of code (comments left out) that contain `needle`, as `file: line`.
fn uses(needle: &str, allowed: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for (name, code) in sources() {
        for line in code.lines() {
            let line = line.split("//").next().unwrap_or("").trim();
            if line.contains(needle) && !allowed(&name) {
                found.push(format!("{name}: {line}"));
            }
        }
    }
    found
}

#[test]
fn one_module_names_each_outside_engine() {
    assert_eq!(uses("jsonschema::", |f| f.starts_with("schema/judge")), Vec::<String>::new());
    assert_eq!(uses("serde_yaml::", |f| f == "yaml.rs" || f.starts_with("yaml/")), Vec::<String>::new());
    assert_eq!(uses("jsonc_parser::", |f| f.starts_with("source/")), Vec::<String>::new());
    assert_eq!(uses("miette::", |f| f.starts_with("report/")), Vec::<String>::new());
    assert_eq!(uses("regexsolver::", |f| f.starts_with("generate/")), Vec::<String>::new());
    assert_eq!(uses("referencing::", |f| f == "schema/references.rs"), Vec::<String>::new());
    for engine in ["rawzip::", "ruzstd::", "miniz_oxide::"] {
        assert_eq!(uses(engine, |f| f == "trace/archive.rs"), Vec::<String>::new());
    }
    assert_eq!(uses("serde_json_canonicalizer::", |f| f == "contract/canonical.rs"), Vec::<String>::new());
    assert_eq!(uses("json_patch::", |f| f == "grade/attempt/control.rs"), Vec::<String>::new());
    assert_eq!(uses("rand_chacha::", |f| f == "generate/rng.rs"), Vec::<String>::new());
}

#[test]
fn pure_rooms_do_no_io() {
    let pure = |f: &str| {
        [
            "rules", "generate", "grade", "expect", "schema", "text", "diff", "gate", "contract", "finding",
            "pointer", "probe",
        ]
        .iter()
        .any(|room| f == format!("{room}.rs") || f.starts_with(&format!("{room}/")))
    };
    for io in ["std::fs", "std::io", "std::env", "std::process", "std::net", "std::time", "std::thread"] {
        assert_eq!(uses(io, |f| !pure(f)), Vec::<String>::new(), "{io} in a pure room");
    }
}

#[test]
fn one_place_reads_the_clock() {
    // Whether a profile or an ignore has expired depends on the day; nothing that is written does.
    assert_eq!(uses("SystemTime", |f| f == "cli/today.rs"), Vec::<String>::new());
    // The time that a server may take.
    assert_eq!(
        uses("Instant::now", |f| matches!(f, "mcp/budget.rs" | "conformance.rs")),
        Vec::<String>::new()
    );
}

#[test]
fn one_room_starts_processes_and_opens_sockets() {
    for what in ["std::net", "TcpStream", "UdpSocket", "UnixStream"] {
        assert_eq!(uses(what, |_| false), Vec::<String>::new());
    }
    assert_eq!(uses("ureq::", |f| f.starts_with("mcp/http")), Vec::<String>::new());
    assert_eq!(uses("rustix::", |f| f == "mcp/group.rs"), Vec::<String>::new());
    // The user names a revision of a file, and only `git` can read it: `verity diff git:REV:path`. Nothing that
    // a manifest says gets there.
    let starts = |f: &str| matches!(f, "cli/git.rs" | "mcp/stdio.rs");
    assert_eq!(uses("process::Command", starts), Vec::<String>::new(), "nothing else is ever started");
    assert_eq!(uses("Command::new(", starts), Vec::<String>::new(), "nothing else is ever started");
}

/// A build without `live` has no such room, not the libraries that it is made of, and not the code that runs `git`: it
/// opens no socket and starts nothing.
#[test]
fn a_build_without_live_is_without_that_room() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = fs::read_to_string(root.join("src/lib.rs")).unwrap();
    assert!(library.contains("#[cfg(feature = \"live\")]\npub mod mcp;\n"));
    let git = fs::read_to_string(root.join("src/cli/git.rs")).unwrap();
    let (outside, inside) = git.split_once("#[cfg(feature = \"live\")]\nmod run {\n").unwrap();
    let (inside, tests) = inside.split_once("\n}\n").unwrap();
    assert!(inside.contains("Command::new(") && !outside.contains("process") && !tests.contains("process"));
    let cargo = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    for library in ["ureq", "rustix", "shlex"] {
        let line = cargo.lines().find(|l| l.starts_with(&format!("{library} = "))).unwrap();
        assert!(line.contains("optional = true"), "{line}");
        let needed = format!("\"dep:{library}\"");
        let features: Vec<&str> = cargo.lines().filter(|l| l.contains(&needed)).collect();
        assert!(matches!(features.as_slice(), [one] if one.starts_with("live = ")), "{features:?}");
    }
}

#[test]
fn nothing_iterates_a_hash_map() {
    // Iteration order of std's maps differs from run to run: use BTreeMap, or serde_json's ordered map.
    assert_eq!(uses("HashMap", |_| false), Vec::<String>::new());
    assert_eq!(uses("HashSet", |_| false), Vec::<String>::new());
}

#[test]
fn data_flows_one_way() {
    // A room may use those before it, never those after it.
    let order = [
        &["pointer", "error", "finding", "unseen", "yaml", "markdown"][..],
        &["source"],
        &["manifest"],
        &["schema", "text", "profile", "trace"],
        &["rules", "generate"],
        &["contract"],
        &["probe"],
        &["mcp", "conformance"],
        &["config", "suppress", "expect", "grade", "pack", "lint", "diff", "fix"],
        &["gate"],
        &["report"],
        &["cli"],
    ];
    let level = |room: &str| order.iter().position(|rooms| rooms.contains(&room));
    let mut wrong = Vec::new();
    for (name, code) in sources() {
        let room = name.split(['/', '.']).next().unwrap_or("");
        let Some(mine) = level(room) else { continue };
        for line in code.lines().map(|l| l.split("//").next().unwrap_or("")) {
            for used in line.match_indices("crate::").filter_map(|(at, m)| line.get(at + m.len()..)) {
                let target: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if level(&target).is_some_and(|theirs| theirs > mine) {
                    wrong.push(format!("{name} uses {target}: {}", line.trim()));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn files_stay_readable() {
    let long: Vec<_> = sources()
        .into_iter()
        .map(|(name, code)| (name, code.lines().count()))
        .filter(|(_, lines)| *lines > 450)
        .collect();
    assert_eq!(long, Vec::new(), "split what has grown past about 400 lines");
}

#[test]
fn main_is_short() {
    let (_, code) = sources().into_iter().find(|(name, _)| name == "main.rs").unwrap();
    assert!(code.lines().count() < 60);
}

#[test]
fn no_arbitrary_precision() {
    // It breaks every serde YAML writer: numbers become maps with a private key.
    let value: serde_json::Value = serde_json::from_str("1e400").unwrap_or(serde_json::Value::Null);
    assert!(value.is_null(), "serde_json/arbitrary_precision is on");
}

#[test]
fn dependencies_are_in_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cargo = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let table = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let section = cargo.split("\n[dependencies]\n").nth(1).unwrap().split("\n[").next().unwrap();
    let missing: Vec<_> = section
        .lines()
        .filter_map(|l| l.split_once(" = ").map(|(name, _)| name.trim()))
        .filter(|name| !table.contains(&format!("`{name}`")))
        .collect();
    assert_eq!(missing, Vec::<&str>::new(), "ARCHITECTURE.md keeps the table of dependencies");
}
