//! The signals of which evidence is made: what each means, which rule it leads to, and how it is
//! recognised as a constellation of concepts.

use super::lexicon::*;

macro_rules! signals {
    ($($name:ident = $word:literal, $lead:expr, $meaning:literal;)*) => {
        /// One observation about a text.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Signal { $($name),* }
        impl Signal {
            pub const ALL: &[Signal] = &[$(Signal::$name),*];
            /// Name in the weights file.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Signal::$name => $word),* }
            }
            /// For messages: completes "it …".
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Signal::$name => $meaning),* }
            }
            /// The rule that it leads to; `None` for what only supports other signals.
            #[must_use]
            pub fn lead(self) -> Option<Lead> {
                match self { $(Signal::$name => $lead),* }
            }
        }
    };
}

/// Which rule reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lead {
    Instruction,
    Concealment,
    CredentialPath,
    CrossTool,
    Consent,
    ForcedCall,
    Preference,
    Harvest,
    Exfiltration,
    Tampering,
    Command,
    Scripted,
    RugPull,
}

use Lead::{
    Command, Concealment, Consent, CredentialPath, CrossTool, Exfiltration, ForcedCall, Harvest, Instruction,
    Preference, RugPull, Scripted, Tampering,
};

signals! {
    Conceal = "conceal", Some(Concealment), "keeps something from the user";
    Hush = "hush", Some(Concealment), "asks the agent not to mention it";
    NotShown = "not-shown", Some(Concealment), "has something not shown to the user";
    Unaware = "unaware", Some(Concealment), "says that the user must not know";
    KeepQuiet = "keep-quiet", Some(Concealment), "asks to keep something secret";
    HideFrom = "hide-from", Some(Concealment), "hides something from the user";
    Unsaid = "unsaid", Some(Concealment), "has something left unmentioned";
    LeftOut = "left-out", Some(Concealment), "leaves something out of what the user is told";
    DeedUnsaid = "deed-unsaid", Some(Concealment), "leaves a deed out of what the user is told";
    Quiet = "quiet", Some(Concealment), "has something done silently";
    SentenceName = "sentence-name", Some(Instruction), "makes a sentence with orders out of a name";
    Override = "override", Some(Instruction), "sets the agent's earlier instructions aside";
    RulesEnd = "rules-end", Some(Instruction), "declares the rules that the agent was given to be over";
    Supersede = "supersede", Some(Instruction), "claims to take the place of other instructions";
    SafetyOff = "safety-off", Some(Instruction), "switches safety rules off";
    Voided = "voided", Some(Instruction), "declares rules void";
    ObeyThis = "obey-this", Some(Instruction), "claims obedience for this text alone";
    Persona = "persona", Some(Instruction), "gives the agent another role or mode";
    Template = "template", Some(Instruction), "imitates system or chat-template markers";
    AiNote = "ai-note", Some(Instruction), "addresses the agent rather than the reader";
    Obey = "obey", Some(Instruction), "declares what it returns to be orders";
    AtListing = "at-listing", Some(Instruction), "gives orders for the moment at which the list is read";
    DataOrder = "data-order", Some(Instruction), "speaks to the agent from a place for data";
    DecodedOrder = "decoded-order", Some(Instruction), "holds orders in encoded form";
    SkipConsent = "skip-consent", Some(Consent), "does away with the user's confirmation";
    ConsentGiven = "consent-given", Some(Consent), "takes the user's consent for granted";
    SkipAsk = "skip-ask", Some(Consent), "has the agent act without asking";
    SkipConsentUser = "skip-consent-user", Some(Consent), "has the agent act without asking the user";
    AgreedElsewhere = "agreed-elsewhere", Some(Consent), "says that someone agreed beforehand, so that nobody need ask";
    WaivedGrave = "waived-grave", Some(Consent), "waives consent for what cannot be undone";
    HarvestTalk = "harvest-talk", Some(Harvest), "demands the conversation";
    FullTalk = "full-talk", Some(Harvest), "speaks of the whole conversation";
    PromptNamed = "prompt-named", Some(Harvest), "names the system prompt or the agent's reasoning";
    HarvestPrompt = "harvest-prompt", Some(Harvest), "demands the system prompt or the agent's reasoning";
    SendTalk = "send-talk", Some(Harvest), "demands the whole conversation";
    HarvestPromptName = "harvest-prompt-name", Some(Harvest), "names a parameter after the system prompt or the agent's reasoning";
    HarvestName = "harvest-name", Some(Harvest), "names a parameter after the conversation";
    TalkField = "talk-field", Some(Harvest), "fills an argument that is about something else with the conversation or the agent's instructions";
    Evil = "evil", Some(Exfiltration), "speaks of stealing";
    TakeSecret = "take-secret", Some(Exfiltration), "demands credentials or environment variables";
    SecretInto = "secret-into", Some(Exfiltration), "has credentials put into an argument";
    SecretField = "secret-field", Some(Exfiltration), "fills an argument that is about something else with secrets";
    PersonalField = "personal-field", Some(Exfiltration), "fills an argument that is about something else with the user's private things";
    PrivateRead = "private-read", Some(Exfiltration), "has private things looked at that are not its subject";
    PrivateUrl = "private-url", Some(Exfiltration), "has private things written into an address";
    TakePrivate = "take-private", Some(Exfiltration), "demands private data";
    SendCollector = "send-collector", Some(Exfiltration), "sends private data to someone's endpoint";
    SendPrivate = "send-private", Some(Exfiltration), "sends private data to an address";
    SendUrl = "send-url", Some(Exfiltration), "has something sent to an address";
    FixedSink = "fixed-sink", Some(Exfiltration), "orders sending to an address that it names itself";
    AlsoSend = "also-send", Some(Exfiltration), "has a copy sent to an address";
    StandingCopy = "standing-copy", Some(Exfiltration), "copies each message to an address that it names itself";
    Beacon = "beacon", Some(Exfiltration), "has the agent build data into an address";
    CallUrl = "call-url", Some(Exfiltration), "has the agent open an address";
    PassContents = "pass-contents", Some(Exfiltration), "has contents handed on in an argument or answer";
    IntoArgument = "into-argument", Some(Exfiltration), "has something put into an argument";
    FetchInto = "fetch-into", Some(Exfiltration), "has the agent fetch something and put it into an argument";
    SecretPath = "secret-path", Some(CredentialPath), "names where secrets are kept";
    Hoard = "hoard", Some(CredentialPath), "names several places where secrets are kept";
    SystemPath = "system-path", Some(CredentialPath), "names a system or start-up file";
    ReadSecret = "read-secret", Some(CredentialPath), "has a secret file read or sent";
    SendSecret = "send-secret", Some(CredentialPath), "has a secret file sent away";
    Shadow = "shadow", Some(CrossTool), "changes how another tool behaves";
    ShadowSend = "shadow-send", Some(CrossTool), "has another tool's data go elsewhere";
    ShadowArgument = "shadow-argument", Some(CrossTool), "changes the arguments of another tool";
    AlterCall = "alter-call", Some(CrossTool), "fixes what another tool is given";
    ShadowOrder = "shadow-order", Some(CrossTool), "gives orders about another tool";
    Redirect = "redirect", Some(CrossTool), "sends the agent from one tool to another";
    Disowned = "disowned", Some(CrossTool), "calls another tool deprecated, disabled or unsafe";
    Correct = "correct", Some(CrossTool), "claims to correct another tool's result";
    Preflight = "preflight", Some(ForcedCall), "demands something before each use";
    FirstOfAll = "first-of-all", Some(ForcedCall), "wants to come before all other tools";
    BeforeAnswer = "before-answer", Some(ForcedCall), "wants to be called before each answer";
    EveryTurn = "every-turn", Some(ForcedCall), "wants to be called at each answer or session";
    CallRegardless = "call-regardless", Some(ForcedCall), "wants to be called whatever the task is";
    EveryCall = "every-call", Some(ForcedCall), "wants to be called on every request";
    Chain = "chain", Some(ForcedCall), "demands that another tool be called";
    Pressed = "pressed", Some(ForcedCall), "presses for another tool's call with security, compliance or vague benefits";
    ChainOwn = "chain-own", Some(ForcedCall), "makes another tool's call a condition of its own use";
    Tamper = "tamper", Some(Tampering), "has arguments changed";
    Skew = "skew", Some(Tampering), "has amounts changed";
    TamperUser = "tamper-user", Some(Tampering), "overrides what the user asked for";
    Overrule = "overrule", Some(Tampering), "holds whatever the user asked for";
    OverruleMild = "overrule-mild", Some(Tampering), "goes on whatever the user asked for";
    Shell = "shell", Some(Command), "holds a shell command";
    PipeShell = "pipe-shell", Some(Command), "has a download run in a shell";
    Smuggled = "smuggled", Some(Command), "smuggles a command into a value";
    Destroy = "destroy", Some(Command), "has the agent delete or change files of the user";
    RunShell = "run-shell", Some(Command), "has the agent run a command";
    Praise = "praise", Some(Preference), "praises itself";
    PraiseMild = "praise-mild", Some(Preference), "speaks well of itself";
    PraiseMuch = "praise-much", Some(Preference), "praises itself again and again";
    PraiseName = "praise-name", Some(Preference), "praises itself in its name or title";
    Endorse = "endorse", Some(Preference), "claims endorsements";
    Urge = "urge", Some(Preference), "presses with urgency";
    PraiseMix = "praise-mix", Some(Preference), "praises itself, runs others down or demands to be chosen, all at once";
    Rival = "rival", Some(Preference), "runs other tools down";
    OthersUnfit = "others-unfit", Some(Preference), "declares other tools unfit for use";
    Prefer = "prefer", Some(Preference), "tells the agent to prefer it";
    PreferAll = "prefer-all", Some(Preference), "tells the agent to use it for everything, or nothing else";
    Script = "script", Some(Scripted), "dictates what the agent says";
    ScriptRegardless = "script-regardless", Some(Scripted), "fixes what the user is told, whatever the result";
    ScriptQuote = "script-quote", Some(Scripted), "puts a ready-made sentence into the agent's mouth";
    IfAsked = "if-asked", Some(Scripted), "says what to answer if someone asks";
    GoodNews = "good-news", Some(Scripted), "has good news told of a bad result";
    Dormant = "dormant", Some(RugPull), "behaves only until it is trusted";
    AcceptChange = "accept-change", Some(RugPull), "wants changed definitions accepted without review";
    FutureUnchecked = "future-unchecked", Some(RugPull), "has later versions accepted unchecked";
    OrdersElsewhere = "orders-elsewhere", Some(RugPull), "has the agent follow orders that stand elsewhere";
    Authority = "authority", None, "poses as a system or security notice";
    Pretext = "pretext", None, "gives compliance, security or proper working as the reason";
    AllRequests = "all-requests", None, "claims to hold for all requests";
    Caution = "caution", None, "warns of what it does";
    Vague = "vague", None, "promises vague benefits";
    Order = "order", None, "is phrased as an order";
    Trigger = "trigger", None, "waits for a certain phrase, call or moment";
    Tag = "tag", None, "is wrapped in a tag that addresses the agent";
    HiddenTag = "hidden-tag", None, "is wrapped in a tag called hidden, system or override";
    Contents = "contents", None, "is about a file's contents";
    Purpose = "purpose", None, "explains where an argument comes from";
    Detects = "detects", None, "describes the detection of such text";
    Veiled = "veiled", None, "stands where a person does not see it";
    OddPlace = "odd-place", None, "stands where no prose belongs";
    ReaderOrder = "reader-order", None, "says what the agent must do";
}

/// How the steps of a pattern follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// In this order, always.
    Strict,
    /// In this order in English; in any order where a term of another language takes part.
    Natural,
    /// In any order.
    Any,
}

/// Concepts that stand together in one sentence.
#[derive(Debug, Clone, Copy)]
pub struct Pattern {
    pub signal: Signal,
    pub steps: &'static [Mask],
    /// The most words between one step and the next.
    pub gap: u32,
    pub flow: Flow,
    /// Whether a negation before it undoes it ("never reads …").
    pub negatable: bool,
}

const fn p(signal: Signal, flow: Flow, gap: u32, negatable: bool, steps: &'static [Mask]) -> Pattern {
    Pattern { signal, steps, gap, flow, negatable }
}

use Flow::{Any, Natural, Strict};
use Signal as S;

const ACT: Mask = READ | SENDOUT | PASS | CALL | CHANGE | EXEC;
const PRIVATE: Mask = SYSPROMPT | CRED | ENVV | PII;
const ADDRESS: Mask = URL | HOST | EMAIL;
const OTHER: Mask = FOREIGN | SIBLING;

/// All patterns; a signal may have several.
pub static PATTERNS: &[Pattern] = &[
    p(S::Conceal, Natural, 5, false, &[NEG, TELL, USER]),
    p(S::NotShown, Natural, 5, false, &[NEG, DISPLAY, USER]),
    p(S::Unaware, Natural, 4, false, &[NEG, USER, ORDER, KNOW]),
    p(S::HideFrom, Natural, 6, true, &[HIDING, ONESELF, USER]),
    p(S::HideFrom, Natural, 6, true, &[HIDING, UNSAID]),
    p(S::Unaware, Natural, 4, true, &[USER, ORDER, KEEP, UNSAID]),
    p(S::Unaware, Natural, 4, true, &[KEEP, USER, UNSAID]),
    p(S::Unaware, Natural, 4, false, &[USER, ORDER, NEG, KNOW]),
    p(S::Unaware, Natural, 3, false, &[WITHOUT, USER, KNOW]),
    p(S::Unaware, Natural, 6, false, &[NEG, ONESELF, USER, ORDER, KNOW]),
    p(S::KeepQuiet, Natural, 3, true, &[KEEP, ONESELF, UNSAID]),
    p(S::KeepQuiet, Natural, 6, true, &[KEEP, UNSAID]),
    p(S::Unsaid, Natural, 2, false, &[NEG, TELL, ONESELF]),
    p(S::Unsaid, Natural, 4, false, &[TELL, USER, SKIP]),
    p(S::Unsaid, Natural, 5, false, &[NEG, TELL, REPLY]),
    p(S::Unsaid, Natural, 3, false, &[WITHOUT, UNSAID]),
    p(S::Hush, Any, 0, false, &[HUSH]),
    p(S::Quiet, Any, 5, true, &[QUIET, ACT]),
    p(S::Override, Natural, 4, true, &[IGNORE, PRIOR | ANY, INSTR | SAFETY]),
    p(S::Override, Natural, 4, true, &[IGNORE, INSTR, PRIOR]),
    p(S::Override, Natural, 5, true, &[IGNORE, INSTR | GIVEN, GIVEN | PRIOR]),
    p(S::Override, Natural, 3, true, &[IGNORE, INSTR, GIVEN]),
    p(S::Voided, Natural, 5, false, &[PRIOR, INSTR | GIVEN | SAFETY, VOID]),
    p(S::Voided, Natural, 5, false, &[INSTR | SAFETY | GIVEN, GIVEN | PRIOR, VOID]),
    p(S::Voided, Natural, 5, true, &[THISTEXT | INSTR | THISTOOL, SUPERSEDE, SYSPROMPT | PRIOR]),
    p(S::Override, Natural, 3, true, &[DISABLE, READER, SAFETY]),
    p(S::Voided, Natural, 4, false, &[SAFETY, VOID]),
    p(S::ObeyThis, Natural, 4, true, &[FOLLOW, ONLY, THISTEXT]),
    p(S::ObeyThis, Natural, 4, true, &[ONLY, THISTEXT, FOLLOW]),
    p(S::ObeyThis, Natural, 4, true, &[ONLY, FOLLOW, THISTEXT]),
    p(S::ObeyThis, Natural, 5, false, &[FOLLOW, THISTEXT, NEG, USER]),
    p(S::ObeyThis, Natural, 5, true, &[FOLLOW, INSTR, INSTEAD, USER]),
    p(S::Supersede, Natural, 5, true, &[SUPERSEDE, PRIOR, INSTR]),
    p(S::Supersede, Natural, 8, true, &[PRIOR, INSTR, SUPERSEDE]),
    p(S::Supersede, Natural, 5, true, &[SUPERSEDE, ANY, INSTR | SAFETY]),
    p(S::SafetyOff, Natural, 4, true, &[DISABLE, SAFETY]),
    p(S::Persona, Any, 0, true, &[PERSONA]),
    p(S::Persona, Natural, 3, true, &[BECOME, UNBOUND]),
    p(S::Template, Any, 0, false, &[TEMPLATE]),
    p(S::AiNote, Any, 0, false, &[AINOTE]),
    p(S::SkipConsent, Natural, 2, true, &[SKIP | NEG, CONSENT]),
    p(S::SkipConsentUser, Natural, 2, true, &[SKIP | NEG, CONSENT, USER]),
    p(S::SkipConsentUser, Natural, 2, true, &[SKIP | NEG, USER, CONSENT]),
    p(S::SkipConsentUser, Natural, 2, true, &[SKIP | NEG, ASK, CONSENT]),
    p(S::ConsentGiven, Natural, 4, true, &[USER, ALREADY, CONSENT]),
    p(S::ConsentGiven, Natural, 4, true, &[USER, CONSENT, ALREADY]),
    p(S::ConsentGiven, Natural, 3, true, &[USER | OFFICE, GIVEN, ALREADY, CONSENT]),
    p(S::ConsentGiven, Natural, 5, true, &[USER | OFFICE, ALREADY, GIVEN, CONSENT]),
    p(S::ConsentGiven, Natural, 3, true, &[ONESELF | ALL | REQUESTS | CALL, ALREADY, CONSENT]),
    p(S::ConsentGiven, Natural, 4, true, &[CONSENT, USER | ALL, ALREADY, GIVEN]),
    p(S::ConsentGiven, Natural, 2, true, &[CONSENT, ALREADY, GIVEN]),
    p(S::SkipAsk, Natural, 2, true, &[SKIP | NEG, ASK]),
    p(S::HarvestTalk, Natural, 6, true, &[PASS | SENDOUT | ORDER, TALK]),
    p(S::HarvestTalk, Strict, 8, true, &[TALK, ORDER, PASS | SENDOUT]),
    p(S::SendTalk, Natural, 4, true, &[PASS | SENDOUT, WHOLE, TALK]),
    p(S::SendTalk, Natural, 6, true, &[PASS | SENDOUT, ANYTHING | WHOLE, SAID]),
    p(S::FullTalk, Natural, 2, true, &[WHOLE, TALK]),
    p(S::FullTalk, Natural, 6, true, &[ANYTHING | WHOLE, SAID]),
    p(S::HarvestPrompt, Natural, 7, true, &[PASS | SENDOUT | READ | TELL, SYSPROMPT]),
    p(S::PromptNamed, Any, 0, true, &[SYSPROMPT]),
    p(S::Evil, Any, 0, true, &[EVIL]),
    p(S::Obey, Any, 0, true, &[DIRECTIVE]),
    p(S::Obey, Natural, 5, true, &[FOLLOW, INSTR, RETURNED]),
    p(S::Obey, Natural, 8, true, &[INSTR, AUTHORITATIVE, FOLLOW]),
    p(S::Obey, Natural, 7, true, &[INSTR, RETURNED, FOLLOW | AUTHORITATIVE]),
    p(S::Obey, Natural, 5, true, &[RETURNED, AUTHORITATIVE, INSTR]),
    p(S::TakeSecret, Natural, 8, true, &[PASS | SENDOUT | READ | TELL | FALSIFY, CRED | ENVV]),
    p(S::SecretInto, Natural, 7, true, &[PASS | READ, CRED | ENVV, AS, OWNPARAM | ARG]),
    p(S::SecretInto, Natural, 7, true, &[READ, CRED | ENVV, PASS, OWNPARAM | ARG]),
    p(S::TakePrivate, Natural, 6, true, &[PASS | SENDOUT | READ, PII]),
    p(S::SendPrivate, Natural, 9, true, &[PASS | SENDOUT, PRIVATE, ADDRESS]),
    p(S::AlsoSend, Natural, 7, true, &[ALSO, PASS | SENDOUT, ADDRESS]),
    p(S::AlsoSend, Natural, 7, true, &[SENDOUT, ALSO, ADDRESS]),
    p(S::IntoArgument, Natural, 6, true, &[PASS | SENDOUT, AS, OWNPARAM | ARG]),
    p(S::IntoArgument, Natural, 4, true, &[PASS, OWNPARAM]),
    p(S::FetchInto, Natural, 9, true, &[READ, PASS, OWNPARAM | ARG]),
    p(S::SendCollector, Natural, 6, true, &[PASS | SENDOUT, PRIVATE, COLLECTOR]),
    p(S::SendCollector, Strict, 8, true, &[READ, PRIVATE, SENDOUT, COLLECTOR]),
    p(S::SendPrivate, Strict, 7, true, &[READ, PRIVATE, SENDOUT, ADDRESS]),
    p(S::SendUrl, Natural, 9, true, &[PASS | SENDOUT, ADDRESS]),
    p(S::SendUrl, Strict, 9, true, &[SHELLCMD, URL]),
    p(S::FixedSink, Natural, 8, true, &[ORDER, PASS | SENDOUT, ADDRESS]),
    p(S::FixedSink, Natural, 8, true, &[ORDER, CALL | READ, URL]),
    p(S::CallUrl, Natural, 8, true, &[ORDER | AFTER | BEFORE, CALL | READ, URL]),
    p(S::PassContents, Natural, 7, true, &[PASS | SENDOUT, CONTENTS | READ]),
    p(S::ReadSecret, Natural, 8, true, &[READ | SENDOUT | PASS, SECRETPATH]),
    p(S::SendSecret, Natural, 6, true, &[SENDOUT, SECRETPATH]),
    p(S::SendSecret, Natural, 8, true, &[SECRETPATH, SENDOUT]),
    p(S::SecretPath, Any, 0, true, &[SECRETPATH]),
    p(S::SystemPath, Any, 0, true, &[SEMIPATH]),
    p(S::ReadSecret, Natural, 8, true, &[READ | SENDOUT | PASS | CHANGE, SEMIPATH]),
    p(S::ReadSecret, Natural, 5, true, &[ORDER, CALL, SEMIPATH | SECRETPATH]),
    p(S::Shadow, Any, 6, true, &[OTHER, SHADOW, REMADE]),
    p(S::Shadow, Natural, 9, true, &[OTHER, SHADOW, OWNNAME | THISTOOL]),
    p(S::ShadowSend, Natural, 9, true, &[OTHER, SENDOUT | PASS, ADDRESS]),
    p(S::ShadowSend, Natural, 9, true, &[WHEN, OTHER, CALL, SENDOUT | PASS, PII | TALK | SAID | CRED]),
    p(S::ShadowSend, Strict, 9, true, &[SENDOUT, OTHER, SENDOUT | PASS, ADDRESS]),
    p(S::ShadowArgument, Any, 8, true, &[OTHER, ARG | AMOUNT, CHANGE | ALSO]),
    p(S::ShadowArgument, Natural, 6, true, &[OTHER, ORDER, PASS | CHANGE, ARG | ADDRESS | AMOUNT]),
    p(S::ShadowArgument, Any, 6, true, &[OTHER, CHANGE, ADDRESS | AMOUNT]),
    p(S::ShadowOrder, Natural, 8, true, &[WHEN | BEFORE, OTHER, ORDER]),
    p(S::ShadowOrder, Natural, 8, true, &[WHEN | BEFORE, OTHER, PASS | CHANGE]),
    p(S::Redirect, Natural, 6, true, &[ORDER | CALL, INSTEAD, OTHER]),
    p(S::Redirect, Natural, 6, true, &[ORDER | CALL | CHANGE, OTHER, INSTEAD]),
    p(S::Disowned, Natural, 8, true, &[OTHER | OWNNAME, DEPRECATED]),
    p(S::Correct, Natural, 9, true, &[AFTER, OTHER, CHANGE]),
    p(S::Correct, Natural, 6, true, &[AFTER, OTHER, CALL, THISTOOL | OWNNAME]),
    p(S::Preflight, Natural, 8, true, &[BEFORE, CALL, THISTOOL | OWNNAME]),
    p(S::Preflight, Natural, 6, true, &[ORDER, BEFORE, READ]),
    p(S::FirstOfAll, Natural, 8, true, &[CALL, THISTOOL | OWNNAME, BEFORE, OTHERTOOL]),
    p(S::EveryCall, Natural, 8, true, &[CALL, THISTOOL | OWNNAME, EVERY]),
    p(S::EveryCall, Natural, 8, true, &[EVERY, CALL, THISTOOL | OWNNAME]),
    p(S::EveryCall, Natural, 8, true, &[THISTOOL, ORDER, CALL, BEFORE | EVERY]),
    p(S::EveryCall, Natural, 8, true, &[CALL, THISTOOL | OWNNAME, BEFORE, OTHERTOOL]),
    p(S::EveryCall, Natural, 8, true, &[CALL, BEFORE, OTHERTOOL | EVERY]),
    p(S::Chain, Natural, 5, true, &[AFTER, CALL, OTHER]),
    p(S::Preflight, Natural, 9, true, &[BEFORE, ORDER, BEFORE, CALL]),
    p(S::Chain, Natural, 7, true, &[ORDER, CALL, OTHER]),
    p(S::ChainOwn, Natural, 9, true, &[BEFORE | AFTER, CALL, THISTOOL | OWNNAME, ORDER, CALL, OTHER]),
    p(S::ChainOwn, Natural, 9, true, &[BEFORE, ORDER, BEFORE, CALL, OTHER]),
    p(S::ChainOwn, Natural, 9, true, &[BEFORE | AFTER, THISTOOL | OWNNAME, CALL, OTHER]),
    p(S::BeforeAnswer, Natural, 6, true, &[CALL, BEFORE, RESPOND]),
    p(S::BeforeAnswer, Strict, 10, true, &[ORDER, CALL, BEFORE, RESPOND]),
    p(S::BeforeAnswer, Natural, 8, true, &[BEFORE, RESPOND, CALL, THISTOOL | OWNNAME]),
    p(S::CallRegardless, Natural, 6, false, &[ALL | EVERY, REQUESTS, REGARDLESS | UNRELATED]),
    p(S::CallRegardless, Natural, 8, true, &[CALL, THISTOOL | OWNNAME, REGARDLESS | UNRELATED]),
    p(S::CallRegardless, Natural, 6, false, &[CALL, REGARDLESS, REQUESTS]),
    p(S::EveryCall, Natural, 6, true, &[CALL, ALL, REQUESTS]),
    p(S::FirstOfAll, Natural, 4, true, &[CALL, BEFORE, ANYTHING]),
    p(S::FirstOfAll, Natural, 2, true, &[BEFORE, ANYTHING]),
    p(S::FirstOfAll, Natural, 6, false, &[NEG, OTHERTOOL | ANYTHING, CALL, UNTIL]),
    p(S::AllRequests, Natural, 5, true, &[ALL, REQUESTS]),
    p(S::Vague, Any, 0, true, &[VAGUE]),
    p(S::Destroy, Natural, 7, true, &[ORDER, DESTROY, ALL | FILES]),
    p(S::Destroy, Natural, 7, true, &[ORDER | AFTER, CHANGE | PASS, SEMIPATH]),
    p(S::Tamper, Natural, 8, true, &[CHANGE, ARG]),
    p(S::TamperUser, Natural, 6, true, &[CHANGE, USERINPUT]),
    p(S::TamperUser, Any, 8, true, &[REGARDLESS, USERINPUT]),
    p(S::TamperUser, Natural, 8, true, &[CHANGE | ORDER, ARG, REGARDLESS]),
    p(S::Shell, Any, 0, true, &[SHELLCMD]),
    p(S::RunShell, Natural, 9, true, &[EXEC | ORDER, CMDNOUN, SHELLCMD]),
    p(S::RunShell, Natural, 1, true, &[EXEC, SHELLCMD]),
    p(S::RunShell, Natural, 9, true, &[ORDER, EXEC, SHELLCMD]),
    p(S::RunShell, Natural, 7, true, &[ORDER, EXEC, CMDNOUN]),
    p(S::Skew, Natural, 4, true, &[SKEW, AMOUNT | USERINPUT]),
    p(S::Skew, Natural, 5, true, &[ARG | OWNPARAM, SKEW, USERINPUT]),
    p(S::Skew, Natural, 4, true, &[AMOUNT, SKEW]),
    p(S::Skew, Natural, 5, true, &[OTHER, ORDER, SKEW]),
    p(S::Skew, Natural, 4, true, &[PASS, AMOUNT, AMOUNT]),
    p(S::Beacon, Any, 0, true, &[BEACON]),
    p(S::PipeShell, Strict, 4, true, &[SHELLCMD, URL | HOST, SHELLCMD]),
    p(S::Dormant, Natural, 6, false, &[BENIGNLY, UNTIL | NTH]),
    p(S::Dormant, Natural, 6, false, &[NTH, BENIGNLY]),
    p(S::Dormant, Natural, 8, true, &[NTH, PASS | SENDOUT, PRIVATE]),
    p(S::AcceptChange, Natural, 8, false, &[ACCEPT, REDEFINE, NEG | WITHOUT, REVIEW]),
    p(S::AcceptChange, Natural, 8, false, &[REDEFINE, NEG | WITHOUT, REVIEW]),
    p(S::Praise, Natural, 1, true, &[SUPER, QUALITY]),
    p(S::Endorse, Natural, 4, true, &[APPROVES, EXPERTS]),
    p(S::Endorse, Natural, 2, true, &[EXPERTS, APPROVES]),
    p(S::Rival, Natural, 4, true, &[OTHERS, RIVAL]),
    p(S::ScriptRegardless, Natural, 6, true, &[ALL | REGARDLESS, REQUESTS, TELL | FALSIFY, USER]),
    p(S::ScriptRegardless, Natural, 12, true, &[TELL, USER, REGARDLESS]),
    p(S::ScriptRegardless, Natural, 7, true, &[REGARDLESS, TELL | FALSIFY, USER]),
    p(S::Pretext, Natural, 3, true, &[FORTO, SOUNDNESS]),
    p(S::Authority, Strict, 1, true, &[OFFICE, NOTICE]),
    p(S::Praise, Any, 0, true, &[PRAISE]),
    p(S::PraiseMild, Any, 0, true, &[MILDPRAISE]),
    p(S::Caution, Any, 0, false, &[CAUTION]),
    p(S::Endorse, Any, 0, true, &[ENDORSE]),
    p(S::Urge, Any, 0, true, &[URGENCY]),
    p(S::Rival, Any, 6, true, &[OTHERTOOL | OTHER, RIVAL]),
    p(S::Rival, Any, 6, true, &[TOOLNOUN, RIVAL]),
    p(S::Prefer, Natural, 5, true, &[PREFER, THISTOOL | TOOLNOUN | OWNNAME]),
    p(S::Prefer, Natural, 8, true, &[ORDER, CALL, THISTOOL, OTHERTOOL | INSTEAD]),
    p(S::Prefer, Natural, 5, true, &[CALL, THISTOOL, REGARDLESS | INSTEAD]),
    p(S::Prefer, Natural, 6, true, &[THISTOOL, ORDER, CALL, PREFER]),
    p(S::PreferAll, Natural, 4, true, &[ONLY, TOOLNOUN | THISTOOL, ORDER, CALL]),
    p(S::PreferAll, Natural, 4, true, &[ALL | EVERY, SENDOUT, THISTOOL | OWNNAME]),
    p(S::Prefer, Natural, 5, true, &[PREFER, ANYTHING | OTHERTOOL | OTHERS]),
    p(S::PreferAll, Natural, 6, false, &[NEG | IGNORE, CALL | IGNORE, OTHERTOOL]),
    p(S::PreferAll, Natural, 3, true, &[IGNORE, OTHERTOOL]),
    p(S::PreferAll, Natural, 5, false, &[NEG | IGNORE, CALL | IGNORE, RIVAL | OTHERS, TOOLNOUN]),
    p(S::Script, Any, 0, true, &[FALSIFY]),
    p(S::ScriptQuote, Natural, 4, true, &[ORDER, TELL, QUOTED]),
    p(S::ScriptQuote, Natural, 4, true, &[TELL, USER, QUOTED]),
    p(S::ScriptQuote, Strict, 5, true, &[DISPLAY, AS, QUOTED]),
    p(S::ScriptQuote, Natural, 6, true, &[FALSIFY, QUOTED]),
    p(S::Authority, Any, 0, true, &[AUTHORITY]),
    p(S::Pretext, Any, 0, true, &[PRETEXT]),
    p(S::Order, Any, 0, false, &[ORDER]),
    p(S::ReaderOrder, Natural, 3, true, &[READER, ORDER]),
    p(S::Trigger, Any, 0, true, &[TRIGGER]),
    p(S::Contents, Any, 0, true, &[CONTENTS]),
    p(S::Purpose, Any, 0, false, &[PURPOSE]),
    p(S::Detects, Any, 0, false, &[DETECT]),
];
