//! What was measured of each rule on labelled tools: the figures of `measured.txt`, as prose for its page.

/// Labelled attack tools and honest tools that the figures are of.
#[must_use]
pub fn corpus() -> Option<(u32, u32)> {
    counts("corpus")
}

/// Attacks that the rule reports at warning or error, and honest tools that it does.
#[must_use]
pub fn counts(id: &str) -> Option<(u32, u32)> {
    include_str!("measured.txt").lines().find_map(|line| {
        let mut words = line.split(' ');
        let (name, hits, alarms) = (words.next()?, words.next()?, words.next()?);
        (name == id).then(|| Some((hits.parse().ok()?, alarms.parse().ok()?))).flatten()
    })
}

/// A paragraph about the rule with this id, if it is one of this family.
#[must_use]
pub fn prose(id: &str) -> Option<String> {
    if !id.starts_with("MCP-POISON-") {
        return None;
    }
    let (attacks, honest) = corpus()?;
    let (all_hits, all_alarms) = counts("any")?;
    let (hits, alarms) = counts(id).unwrap_or((0, 0));
    let share = f64::from(hits) * 100.0 / f64::from(attacks.max(1));
    let rate = f64::from(alarms) * 100.0 / f64::from(honest.max(1));
    let all = f64::from(all_hits) * 100.0 / f64::from(attacks.max(1));
    let all_rate = f64::from(all_alarms) * 100.0 / f64::from(honest.max(1));
    Some(format!(
        "On {attacks} published attack tools and {honest} honest ones this rule reports {hits} attacks ({share:.1} %) and {alarms} \
         honest tools ({rate:.2} %) at warning or error; all POISON rules together {all_hits} ({all:.1} %) and {all_alarms} \
         ({all_rate:.2} %). The weights are fitted on the same tools: expect less elsewhere. With each source left out in turn, about \
         nineteen in twenty of its attacks are found; of attacks written to slip past every rule, about half. False alarms may be twice as \
         many."
    ))
}
