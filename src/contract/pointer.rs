//! The pointers of contracts: rooted at an interaction, at the element a quantifier binds (`@/…`), or at a
//! response descriptor (plain RFC 6901).

use super::lexical::is_identifier;
use serde_json::Value;

/// Channels that a call sends its inputs on, of every interface kind.
pub const INPUT_CHANNELS: [&str; 9] =
    ["path", "query", "header", "body", "argument", "option", "environment", "stdin", "arguments"];

/// What of an interaction is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Channel {
    ResponseBody,
    ResponseHeaders,
    ResponseStatus,
    Stdout,
    Stderr,
    ExitCode,
    /// What was sent, on one of [`INPUT_CHANNELS`].
    CallInputs(&'static str),
    /// A file that the call wrote.
    Artifact(String),
    /// The text blocks of an answer, joined by line ends: see [`super::extension`].
    Text,
    /// The same text, read as JSON.
    TextJson,
}

impl Channel {
    /// As pointers spell it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Channel::ResponseBody => "response-body",
            Channel::ResponseHeaders => "response-headers",
            Channel::ResponseStatus => "response-status",
            Channel::Stdout => "stdout",
            Channel::Stderr => "stderr",
            Channel::ExitCode => "exit-code",
            Channel::CallInputs(_) => "call-inputs",
            Channel::Artifact(_) => "artifact",
            Channel::Text => "response-text",
            Channel::TextJson => "response-text-json",
        }
    }

    /// Whether it holds what came back, not what was sent.
    #[must_use]
    pub fn is_response_side(&self) -> bool {
        !matches!(self, Channel::CallInputs(_))
    }
}

/// A pointer that an operand may carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    /// As written.
    pub text: String,
    pub target: Target,
}

/// Where a [`Pointer`] leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// `/interactions/STEP/CHANNEL…`, with the unescaped tokens below the channel.
    Interaction { step: String, channel: Channel, tail: Vec<String> },
    /// `@/…`, with the tokens below the bound element; none for the bare `@/`.
    Bound(Vec<String>),
}

/// Longer pointers are none: in a quantifier each stands for many.
pub const MAX_BYTES: usize = 1_024;

impl Pointer {
    /// `None` where `text` is neither rooted at an interaction nor at a bound element, or is too long.
    #[must_use]
    pub fn parse(text: &str) -> Option<Pointer> {
        if text.len() > MAX_BYTES {
            return None;
        }
        let target = match text.strip_prefix('@') {
            Some("/") => Target::Bound(Vec::new()),
            Some(tail) if tail.starts_with('/') => Target::Bound(tokens(tail)?),
            Some(_) => return None,
            None => interaction(text)?,
        };
        Some(Pointer { text: text.to_string(), target })
    }

    /// The step it is rooted at; `None` for a bound element.
    #[must_use]
    pub fn step(&self) -> Option<&str> {
        match &self.target {
            Target::Interaction { step, .. } => Some(step),
            Target::Bound(_) => None,
        }
    }

    #[must_use]
    pub fn channel(&self) -> Option<&Channel> {
        match &self.target {
            Target::Interaction { channel, .. } => Some(channel),
            Target::Bound(_) => None,
        }
    }

    #[must_use]
    pub fn is_bound(&self) -> bool {
        matches!(self.target, Target::Bound(_))
    }

    /// The text with the bound element replaced by the pointer of the collection it comes from.
    #[must_use]
    pub fn substituted(&self, collection: Option<&str>) -> String {
        match (collection, self.text.strip_prefix('@')) {
            (Some(root), Some("/")) => root.to_string(),
            (Some(root), Some(tail)) => format!("{root}{tail}"),
            _ => self.text.clone(),
        }
    }
}

fn interaction(text: &str) -> Option<Target> {
    let (step, rest) = text.strip_prefix("/interactions/")?.split_once('/')?;
    if !is_identifier(step) {
        return None;
    }
    let (name, tail) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let (channel, tail) = match name {
        "response-body" => (Channel::ResponseBody, tail),
        "response-headers" => (Channel::ResponseHeaders, tail),
        "stdout" => (Channel::Stdout, tail),
        "stderr" => (Channel::Stderr, tail),
        "response-status" if tail.is_empty() => (Channel::ResponseStatus, tail),
        "exit-code" if tail.is_empty() => (Channel::ExitCode, tail),
        "response-text" if tail.is_empty() => (Channel::Text, tail),
        "response-text-json" => (Channel::TextJson, tail),
        "call-inputs" | "artifact" => {
            let below = tail.strip_prefix('/')?;
            let (which, tail) = below.find('/').map_or((below, ""), |at| below.split_at(at));
            let channel = match name {
                "artifact" if is_identifier(which) => Channel::Artifact(which.to_string()),
                "artifact" => return None,
                _ => Channel::CallInputs(INPUT_CHANNELS.iter().find(|channel| **channel == which)?),
            };
            (channel, tail)
        }
        _ => return None,
    };
    Some(Target::Interaction { step: step.to_string(), channel, tail: tokens(tail)? })
}

/// The unescaped tokens of an RFC 6901 pointer; `None` where it is none.
#[must_use]
pub fn tokens(pointer: &str) -> Option<Vec<String>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    pointer.strip_prefix('/')?.split('/').map(unescape).collect()
}

fn unescape(token: &str) -> Option<String> {
    let mut out = String::with_capacity(token.len());
    let mut chars = token.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '~' => match chars.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            },
            c => c,
        });
    }
    Some(out)
}

/// `0`, or digits without a leading zero. `-` never resolves.
#[must_use]
pub fn array_index(token: &str) -> Option<usize> {
    let is_index = token == "0" || (!token.starts_with('0') && token.bytes().all(|b| b.is_ascii_digit()));
    if is_index { token.parse().ok() } else { None }
}

/// Whether the token is spelled as an index, however large.
#[must_use]
pub fn is_index(token: &str) -> bool {
    token == "0"
        || (!token.is_empty() && !token.starts_with('0') && token.bytes().all(|b| b.is_ascii_digit()))
}

/// The value below `root` that the tokens lead to; `None` (absent, which is not null) for every miss.
#[must_use]
pub fn walk<'v>(root: &'v Value, tail: &[String]) -> Option<&'v Value> {
    tail.iter().try_fold(root, |value, token| match value {
        Value::Array(items) => items.get(array_index(token)?),
        Value::Object(members) => members.get(token),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn interaction_pointers() {
        let target = |text: &str| Pointer::parse(text).map(|p| p.target);
        let tail = |tokens: &[&str]| tokens.iter().map(ToString::to_string).collect::<Vec<_>>();
        let at = |channel, tokens: &[&str]| {
            Some(Target::Interaction { step: "a-1".into(), channel, tail: tail(tokens) })
        };
        assert_eq!(target("/interactions/a-1/response-body"), at(Channel::ResponseBody, &[]));
        assert_eq!(
            target("/interactions/a-1/response-body/x~1y/~0/"),
            at(Channel::ResponseBody, &["x/y", "~", ""])
        );
        assert_eq!(target("/interactions/a-1/response-status"), at(Channel::ResponseStatus, &[]));
        assert_eq!(
            target("/interactions/a-1/call-inputs/arguments/q"),
            at(Channel::CallInputs("arguments"), &["q"])
        );
        assert_eq!(target("/interactions/a-1/artifact/log/0"), at(Channel::Artifact("log".into()), &["0"]));
        for bad in [
            "",
            "/",
            "/interactions/a-1",
            "/interactions/A/response-body",
            "/interactions//response-body",
            "/interactions/a-1/response-status/x",
            "/interactions/a-1/exit-code/",
            "/interactions/a-1/body",
            "/interactions/a-1/call-inputs",
            "/interactions/a-1/call-inputs/cookies",
            "/interactions/a-1/artifact",
            "/interactions/a-1/artifact/A",
            "/interactions/a-1/response-body/~2",
            "/interactions/a-1/response-body/~",
            "interactions/a-1/response-body",
            "/interactions/a-1/response-bodyx",
        ] {
            assert_eq!(target(bad), None, "{bad}");
        }
    }

    #[test]
    fn bound_elements() {
        let bound = |text: &str| Pointer::parse(text).map(|p| p.target);
        assert_eq!(bound("@/"), Some(Target::Bound(vec![])));
        assert_eq!(bound("@/a/0"), Some(Target::Bound(vec!["a".into(), "0".into()])));
        assert_eq!(bound("@//"), Some(Target::Bound(vec![String::new(), String::new()])));
        assert_eq!((bound("@"), bound("@a"), bound("@/~2")), (None, None, None));
        let parsed = |text| Pointer::parse(text).unwrap();
        assert_eq!(
            parsed("@/a").substituted(Some("/interactions/s/response-body/rows")),
            "/interactions/s/response-body/rows/a"
        );
        assert_eq!(parsed("@/").substituted(Some("/x")), "/x");
        assert_eq!(parsed("@/a").substituted(None), "@/a");
    }

    #[test]
    fn walking_misses_are_absent() {
        let value = json!({"a": [null, {"b": 1}], "": 2, "-": 3});
        let get = |pointer: &str| walk(&value, &tokens(pointer).unwrap()).cloned();
        assert_eq!(get(""), Some(value.clone()));
        assert_eq!(get("/a/0"), Some(json!(null)));
        assert_eq!(get("/a/1/b"), Some(json!(1)));
        assert_eq!(get("/"), Some(json!(2)));
        assert_eq!(get("/-"), Some(json!(3)));
        for miss in
            ["/a/2", "/a/-", "/a/01", "/a/1/b/c", "/a/0/x", "/c", "/a/+1", "/a/99999999999999999999999"]
        {
            assert_eq!(get(miss), None, "{miss}");
        }
    }
}
