//! A backtracking matcher over a small program, with a bound on its steps.

use super::Refused;
use super::class::{Set, is_word};
use super::parse::{At, Node, Parsed};

/// Instructions of one program, look-arounds included.
const MAX_INSTRUCTIONS: usize = 50_000;
/// Steps of one search. Python makes some ten million a second; an answer must not take it longer
/// than a blink.
const MAX_STEPS: usize = 500_000;
/// Places to go back to.
const MAX_STACK: usize = 1_000_000;
/// Characters of one text.
const MAX_TEXT: usize = 200_000;

#[derive(Debug)]
enum Instruction {
    Set(Set),
    Any {
        all: bool,
    },
    At(At),
    /// Try the first, then the second.
    Split(usize, usize),
    Jump(usize),
    /// Note the position in a slot.
    Save(usize),
    /// Fail if nothing was consumed since the slot was saved: an empty round of a loop ends it.
    Progress(usize),
    Reference(usize),
    Look {
        program: Vec<Instruction>,
        is_negative: bool,
        behind: Option<usize>,
    },
    Match,
}

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Program {
    instructions: Vec<Instruction>,
    slots: usize,
}

pub(super) fn compile(parsed: &Parsed) -> Result<Program, Refused> {
    let mut compiler = Compiler { slots: 2 * count_groups(&parsed.root) + 2, size: 0 };
    let mut instructions = Vec::new();
    compiler.node(&parsed.root, &mut instructions)?;
    instructions.push(Instruction::Match);
    Ok(Program { instructions, slots: compiler.slots })
}

fn count_groups(node: &Node) -> usize {
    match node {
        Node::Set(_) | Node::Any { .. } | Node::At(_) | Node::Reference(_) => 0,
        Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().map(count_groups).max().unwrap_or(0),
        Node::Repeat { node, .. } | Node::Look { node, .. } => count_groups(node),
        Node::Group { number, node } => number.unwrap_or(0).max(count_groups(node)),
    }
}

struct Compiler {
    slots: usize,
    size: usize,
}

impl Compiler {
    fn push(&mut self, instruction: Instruction, out: &mut Vec<Instruction>) -> Result<usize, Refused> {
        self.size += 1;
        if self.size > MAX_INSTRUCTIONS {
            return Err(Refused::NotModelled("such large repetitions"));
        }
        out.push(instruction);
        Ok(out.len() - 1)
    }

    fn node(&mut self, node: &Node, out: &mut Vec<Instruction>) -> Result<(), Refused> {
        match node {
            Node::Set(set) => self.push(Instruction::Set(set.clone()), out).map(drop),
            Node::Any { all } => self.push(Instruction::Any { all: *all }, out).map(drop),
            Node::At(at) => self.push(Instruction::At(*at), out).map(drop),
            Node::Reference(group) => self.push(Instruction::Reference(*group), out).map(drop),
            Node::Concat(nodes) => nodes.iter().try_for_each(|n| self.node(n, out)),
            Node::Alternate(branches) => self.alternate(branches, out),
            Node::Group { number: None, node } => self.node(node, out),
            Node::Group { number: Some(number), node } => {
                self.push(Instruction::Save(2 * number), out)?;
                self.node(node, out)?;
                self.push(Instruction::Save(2 * number + 1), out).map(drop)
            }
            Node::Look { node, is_negative, behind } => {
                let mut program = Vec::new();
                self.node(node, &mut program)?;
                program.push(Instruction::Match);
                let look = Instruction::Look { program, is_negative: *is_negative, behind: *behind };
                self.push(look, out).map(drop)
            }
            Node::Repeat { node, min, max, is_lazy } => self.repeat(node, *min, *max, *is_lazy, out),
        }
    }

    fn alternate(&mut self, branches: &[Node], out: &mut Vec<Instruction>) -> Result<(), Refused> {
        let mut jumps = Vec::new();
        for (i, branch) in branches.iter().enumerate() {
            if i + 1 == branches.len() {
                self.node(branch, out)?;
                break;
            }
            let split = self.push(Instruction::Split(0, 0), out)?;
            self.node(branch, out)?;
            jumps.push(self.push(Instruction::Jump(0), out)?);
            let next = out.len();
            set(out, split, Instruction::Split(split + 1, next));
        }
        let end = out.len();
        jumps.into_iter().for_each(|jump| set(out, jump, Instruction::Jump(end)));
        Ok(())
    }

    fn repeat(
        &mut self,
        node: &Node,
        min: u32,
        max: Option<u32>,
        is_lazy: bool,
        out: &mut Vec<Instruction>,
    ) -> Result<(), Refused> {
        for _ in 0..min {
            self.node(node, out)?;
        }
        let split = |body: usize, end: usize| match is_lazy {
            false => Instruction::Split(body, end),
            true => Instruction::Split(end, body),
        };
        let Some(max) = max else {
            let slot = self.slots;
            self.slots += 1;
            let start = self.push(Instruction::Split(0, 0), out)?;
            self.push(Instruction::Save(slot), out)?;
            self.node(node, out)?;
            self.push(Instruction::Progress(slot), out)?;
            self.push(Instruction::Jump(start), out)?;
            let end = out.len();
            set(out, start, split(start + 1, end));
            return Ok(());
        };
        let mut splits = Vec::new();
        for _ in min..max {
            splits.push(self.push(Instruction::Split(0, 0), out)?);
            self.node(node, out)?;
        }
        let end = out.len();
        splits.into_iter().for_each(|at| set(out, at, split(at + 1, end)));
        Ok(())
    }
}

fn set(out: &mut [Instruction], at: usize, instruction: Instruction) {
    if let Some(slot) = out.get_mut(at) {
        *slot = instruction;
    }
}

/// What to do when a path fails.
enum Back {
    Go { instruction: usize, position: usize },
    Restore { slot: usize, value: Option<usize> },
}

/// The search ran out of steps.
struct TooLong;

struct Run<'t> {
    text: &'t [char],
    slots: Vec<Option<usize>>,
    steps: usize,
}

impl Program {
    pub(super) fn search(&self, text: &str) -> Option<bool> {
        let text: Vec<char> = text.chars().take(MAX_TEXT + 1).collect();
        if text.len() > MAX_TEXT {
            return None;
        }
        let mut run = Run { text: &text, slots: Vec::new(), steps: 0 };
        for start in 0..=text.len() {
            run.slots = vec![None; self.slots];
            match run.run(&self.instructions, start) {
                Ok(Some(_)) => return Some(true),
                Ok(None) => {}
                Err(TooLong) => return None,
            }
        }
        Some(false)
    }
}

impl Run<'_> {
    /// The end of the first match of `program` at `start`.
    fn run(&mut self, program: &[Instruction], start: usize) -> Result<Option<usize>, TooLong> {
        let mut back = Vec::new();
        let (mut at, mut position) = (0, start);
        loop {
            self.steps += 1;
            if self.steps > MAX_STEPS || back.len() > MAX_STACK {
                return Err(TooLong);
            }
            let next = match program.get(at) {
                None | Some(Instruction::Match) => return Ok(Some(position)),
                Some(instruction) => self.step(instruction, at, position, &mut back)?,
            };
            match next {
                Some(next) => (at, position) = next,
                None => match self.go_back(&mut back) {
                    Some(next) => (at, position) = next,
                    None => return Ok(None),
                },
            }
        }
    }

    fn go_back(&mut self, back: &mut Vec<Back>) -> Option<(usize, usize)> {
        loop {
            match back.pop()? {
                Back::Go { instruction, position } => return Some((instruction, position)),
                Back::Restore { slot, value } => self.put(slot, value),
            }
        }
    }

    fn put(&mut self, slot: usize, value: Option<usize>) {
        if let Some(place) = self.slots.get_mut(slot) {
            *place = value;
        }
    }

    fn get(&self, slot: usize) -> Option<usize> {
        self.slots.get(slot).copied().flatten()
    }

    /// Where to go on, or `None` if the path fails here.
    fn step(
        &mut self,
        instruction: &Instruction,
        at: usize,
        position: usize,
        back: &mut Vec<Back>,
    ) -> Result<Option<(usize, usize)>, TooLong> {
        let here = self.text.get(position).copied();
        let go_if = |ok: bool, consumed: usize| ok.then_some((at + 1, position + consumed));
        Ok(match instruction {
            Instruction::Set(set) => go_if(here.is_some_and(|c| set.contains(c)), 1),
            Instruction::Any { all } => go_if(here.is_some_and(|c| *all || c != '\n'), 1),
            Instruction::At(place) => go_if(self.is_at(*place, position), 0),
            Instruction::Jump(to) => Some((*to, position)),
            Instruction::Split(first, second) => {
                back.push(Back::Go { instruction: *second, position });
                Some((*first, position))
            }
            Instruction::Save(slot) => {
                back.push(Back::Restore { slot: *slot, value: self.get(*slot) });
                self.put(*slot, Some(position));
                go_if(true, 0)
            }
            Instruction::Progress(slot) if self.get(*slot) == Some(position) => {
                // An empty round: leave the loop behind the jump.
                Some((at + 2, position))
            }
            Instruction::Progress(_) | Instruction::Match => go_if(true, 0),
            Instruction::Reference(group) => match (self.get(2 * group), self.get(2 * group + 1)) {
                (Some(from), Some(to)) if from <= to => {
                    let length = to - from;
                    let same = self.text.get(from..to) == self.text.get(position..position + length);
                    self.steps += length;
                    go_if(same, length)
                }
                _ => None,
            },
            Instruction::Look { program, is_negative, behind } => {
                let start = position.checked_sub(behind.unwrap_or(0));
                let before = self.slots.clone();
                let found = match start {
                    Some(start) => self.run(program, start)?.is_some(),
                    None => false,
                };
                let after = std::mem::replace(&mut self.slots, before);
                if found && !is_negative {
                    // Groups of a positive look-around stay set, until the path is given up.
                    for (slot, value) in after.into_iter().enumerate().filter(|(_, v)| v.is_some()) {
                        back.push(Back::Restore { slot, value: self.get(slot) });
                        self.put(slot, value);
                    }
                }
                go_if(found != *is_negative, 0)
            }
        })
    }

    fn is_at(&self, place: At, position: usize) -> bool {
        let length = self.text.len();
        let before = position.checked_sub(1).and_then(|i| self.text.get(i)).copied();
        let here = self.text.get(position).copied();
        match place {
            At::Start => position == 0,
            At::LineStart => before.is_none_or(|c| c == '\n'),
            At::End => position == length,
            At::EndOrLastLine => position == length || (position + 1 == length && here == Some('\n')),
            At::LineEnd => here.is_none_or(|c| c == '\n'),
            At::Boundary { negated, ascii } => {
                let word = |c: Option<char>| c.is_some_and(|c| is_word(c, ascii));
                // Before 3.14, `\B` finds nothing in an empty text.
                length > 0 && (word(before) != word(here)) != negated
            }
        }
    }
}
