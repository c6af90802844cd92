//! INPUT arguments → documents: files, folders, stdin, `./tools.json` by default.
