//! Whose file a path names: `~/.npmrc` is npm's, and no news in a tool for npm.

use super::Subject;

/// Parts of a path, and the words of tools that such a file belongs to, beside those that the path itself has.
const OWNERS: &[(&[&str], &[&str])] = &[
    (
        &["id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "authorized_keys"],
        &["ssh", "sftp", "scp", "rsync", "git"],
    ),
    (&[".ssh"], &["git", "sftp", "scp", "rsync", "keygen", "keypair"]),
    (&[".ssh/config", "known_hosts"], &["host", "hosts", "server", "servers"]),
    (&[".kube"], &["kubectl", "kubeconfig", "kubernetes", "k8s", "cluster", "clusters", "helm"]),
    (&[".aws"], &["iam", "amazon", "s3", "ec2", "profile", "profiles"]),
    (&["pgpass"], &["pg", "postgres", "postgresql", "psql"]),
    (&["my.cnf"], &["mysql", "mariadb"]),
    (&["gcloud", "application_default"], &["gcp", "google"]),
    (&["gnupg"], &["gpg", "pgp", "sign", "signs", "git"]),
    (&["config/gh"], &["github"]),
    (&["npmrc"], &["yarn", "pnpm"]),
    (&["crontab"], &["cron", "crontab"]),
];

/// Parts of paths that any tool may be called after: they own nothing.
const COMMON: &[&str] = &[
    "config", "file", "files", "json", "yaml", "yml", "txt", "home", "user", "users", "root", "etc", "data",
    "default", "key", "keys", "private", "secret", "secrets", "id", "login", "local", "tmp", "env",
];

impl Subject {
    /// Whether a path is that of the product which the tool is named after: `.npmrc` of npm.
    #[must_use]
    pub fn owns_file(&self, path: &str) -> bool {
        let told = |name: &str| self.words.split(|c: char| !c.is_alphanumeric()).any(|w| w == name);
        let short = |n: &str| n.len() == 2 && path.contains(&format!("/{n}/"));
        let mut names = path
            .split(|c: char| !c.is_alphanumeric())
            .filter(|n| (n.len() >= 3 || short(n)) && !COMMON.contains(n))
            .map(|n| n.strip_suffix("rc").filter(|s| s.len() >= 3).unwrap_or(n));
        let pair = path.contains(".ssh") && self.says("key pair");
        let all = self.says("dotfile") || self.says("dot-file") || self.says("dot file");
        let of_another = || {
            OWNERS
                .iter()
                .any(|(paths, words)| paths.iter().any(|p| path.contains(p)) && words.iter().any(|w| told(w)))
        };
        pair || all || names.any(told) || of_another()
    }
}
