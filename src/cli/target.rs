//! `--server 'CMD'` and `--url URL`: a live server where a saved listing would stand. A build without the feature
//! `live` has neither.

use crate::error::{ErrorCode, InputError};

#[cfg(feature = "live")]
pub(crate) use live::Served;
#[cfg(feature = "live")]
pub(super) use live::{Reach, from_here};

/// The flags that name a server.
#[cfg(feature = "live")]
pub(super) const SERVED: [&str; 2] = ["server", "url"];
#[cfg(not(feature = "live"))]
pub(super) const SERVED: [&str; 0] = [];

/// The file that is named, or `None` where a server is.
///
/// # Errors
/// Both are named.
pub(super) fn one_of<'f>(file: Option<&'f str>, served: &Served) -> Result<Option<&'f str>, InputError> {
    match file {
        Some(file) if served.is_asked() => {
            let message = "a server and a file are named; name one of them";
            Err(InputError::new(ErrorCode::Usage, message).at(file))
        }
        file => Ok(file),
    }
}

/// Neither is named; the parser of the command line lets nobody get here.
pub(super) fn nothing_named() -> InputError {
    InputError::new(ErrorCode::Usage, "neither a listing nor a server is named")
}

/// The name of a captured listing in messages and reports.
pub(crate) const NAME: &str = "<server>";

#[cfg(not(feature = "live"))]
mod none {
    use crate::error::InputError;
    use crate::source::Document;

    /// No server can be named.
    #[derive(clap::Args, Debug, Default)]
    pub(crate) struct Served {}

    impl Served {
        pub(crate) fn is_asked(&self) -> bool {
            false
        }

        pub(crate) fn listing(&self) -> Option<Result<Document, InputError>> {
            None
        }
    }
}
#[cfg(not(feature = "live"))]
pub(crate) use none::Served;

#[cfg(feature = "live")]
mod live {
    use super::NAME;
    use crate::cli::interrupt;
    use crate::error::{ErrorCode, InputError};
    use crate::manifest::Revision;
    use crate::mcp::capture::{self, Captured};
    use crate::mcp::{Command, Endpoint, Limits, Target};
    use crate::source::{self, Document};
    use std::time::Duration;

    /// A server whose listing is taken.
    #[derive(clap::Args, Debug, Default)]
    #[command(next_help_heading = "A live server instead of a file")]
    pub(crate) struct Served {
        /// Start this server and take what it publishes. The text is split into words as a shell does; no shell runs it.
        #[arg(long, value_name = "CMD", conflicts_with = "url")]
        server: Option<String>,
        #[command(flatten)]
        reach: Reach,
    }

    /// How a server is reached, whatever names it.
    #[derive(clap::Args, Debug, Default)]
    #[command(next_help_heading = "A live server")]
    pub(crate) struct Reach {
        /// The Streamable HTTP endpoint of a server. No redirect is followed, no proxy asked.
        #[arg(long, value_name = "URL")]
        pub(crate) url: Option<String>,
        /// With --url: the environment variable that holds the bearer token.
        #[arg(long, value_name = "NAME", requires = "url")]
        token_env: Option<String>,
        /// Hand this environment variable to the server that is started, which gets PATH alone otherwise. NAME takes the
        /// value from here. May be given several times.
        #[arg(long, value_name = "NAME[=VALUE]", conflicts_with = "url")]
        env: Vec<String>,
        /// Seconds that the server has for everything, 30 unless said otherwise; in a probe, for its start and for each call.
        #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
        timeout: Option<u64>,
        /// Bytes that the server may send in all; in a probe, at its start and for each call.
        #[arg(long, value_name = "BYTES")]
        max_bytes: Option<usize>,
        /// Speak this revision of MCP, such as 2025-06-18; by default the newest that both sides know.
        #[arg(long, value_name = "REVISION", value_parser = revision)]
        protocol: Option<Revision>,
    }

    fn revision(text: &str) -> Result<Revision, String> {
        let known = || Revision::ALL.map(Revision::as_str).join(", ");
        Revision::parse(text).ok_or_else(|| format!("this is no revision of MCP; there are {}", known()))
    }

    impl Served {
        pub(crate) fn is_asked(&self) -> bool {
            self.server.is_some() || self.reach.url.is_some()
        }

        /// What the server that is named publishes; `None` where none is.
        pub(crate) fn listing(&self) -> Option<Result<Document, InputError>> {
            if !self.is_asked() {
                return None;
            }
            let target = match &self.server {
                Some(line) => words(line).and_then(|argv| self.reach.command(argv)),
                None => self.reach.endpoint(),
            };
            Some(target.and_then(|target| self.reach.capture(&target, None)).and_then(|c| parsed(&c)))
        }
    }

    /// The listing as a document. (What does not read back is an error of the server's listing, and said as one.)
    pub(crate) fn parsed(captured: &Captured) -> Result<Document, InputError> {
        source::parse(NAME, captured.text.clone().into_bytes())
    }

    fn usage(message: impl Into<String>) -> InputError {
        InputError::new(ErrorCode::Usage, message)
    }

    /// The words of a command line, by the rules of a POSIX shell for quotes and backslashes.
    fn words(line: &str) -> Result<Vec<String>, InputError> {
        let words = shlex::split(line)
            .ok_or_else(|| usage("--server: a quote is not closed, or a backslash stands at the end"))?;
        if words.is_empty() {
            return Err(usage("--server: the command is empty"));
        }
        Ok(words)
    }

    impl Reach {
        /// The server that `argv` starts.
        pub(crate) fn command(&self, argv: Vec<String>) -> Result<Target, InputError> {
            let env = self.env.iter().map(|declared| variable(declared)).collect::<Result<_, _>>()?;
            let kept = self.env.iter().filter(|declared| !declared.contains('=')).cloned().collect();
            Ok(Target::Command(Command { argv, env, folder: None, kept }))
        }

        /// The server that `--url` names.
        pub(crate) fn endpoint(&self) -> Result<Target, InputError> {
            let Some(url) = self.url.clone() else {
                return Err(
                    usage("no server is named").help("Name a command behind --, or an address with --url.")
                );
            };
            let token = self.token_env.as_deref().map(|name| from_here(name, "--token-env")).transpose()?;
            if token.as_deref().is_some_and(|t| t.is_empty() || !t.bytes().all(|b| b.is_ascii_graphic())) {
                return Err(usage("--token-env: the variable's value is no token (empty, or with spaces)"));
            }
            let endpoint = Endpoint { url, token };
            endpoint.is_address().map_err(|(wrong, help)| usage(format!("--url: {wrong}")).help(help))?;
            Ok(Target::Endpoint(endpoint))
        }

        pub(crate) fn limits(&self) -> Limits {
            let default = Limits::default();
            Limits {
                elapsed: self.timeout.map_or(default.elapsed, Duration::from_secs),
                output_bytes: self.max_bytes.map_or(default.output_bytes, |most| most.min(source::MAX_BYTES)),
                abort: interrupt::is_asked,
                revision: self.protocol,
                is_exact: self.protocol.is_some(),
                ..default
            }
        }

        pub(crate) fn capture(&self, target: &Target, date: Option<&str>) -> Result<Captured, InputError> {
            let _watch = interrupt::watch();
            capture::capture(target, &self.limits(), date).map_err(|fault| fault.to_error())
        }
    }

    fn variable(declared: &str) -> Result<(String, String), InputError> {
        let (name, value) = match declared.split_once('=') {
            Some((name, value)) => (name, value.to_string()),
            None => (declared, from_here(declared, "--env")?),
        };
        if name.is_empty() || declared.contains('\0') {
            return Err(usage("--env: the variable has no name"));
        }
        Ok((name.to_string(), value))
    }

    /// The value of an environment variable.
    pub(crate) fn from_here(name: &str, flag: &str) -> Result<String, InputError> {
        std::env::var(name)
            .map_err(|_| usage(format!("{flag}: the variable {name} is not set here (or is no text)")))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn command_lines_are_split_as_a_shell_does() {
            let split = |line| words(line).unwrap();
            assert_eq!(split("npx -y 'a b' \"c $d\" e\\ f"), ["npx", "-y", "a b", "c $d", "e f"]);
            assert_eq!(
                split("a;b | c > d && e"),
                ["a;b", "|", "c", ">", "d", "&&", "e"],
                "no shell reads this"
            );
            for bad in ["", "  ", "a 'b", "a \"b", "a\\"] {
                assert_eq!(words(bad).unwrap_err().code, ErrorCode::Usage, "{bad}");
            }
        }

        #[test]
        fn variables() {
            assert_eq!(variable("A=b=c").unwrap(), ("A".into(), "b=c".into()));
            assert_eq!(variable("A=").unwrap(), ("A".into(), String::new()));
            assert_eq!(variable("PATH").unwrap().1, std::env::var("PATH").unwrap());
            for bad in ["=x", "", "NO_SUCH_VARIABLE_IS_SET"] {
                assert!(variable(bad).is_err(), "{bad}");
            }
        }
    }
}
