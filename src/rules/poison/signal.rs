//! The signals of which evidence is made: what each means, and which rule it leads to.

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
    TagOrder = "tag-order", Some(Instruction), "gives orders inside a tag that addresses the agent";
    SkipConsent = "skip-consent", Some(Consent), "does away with the user's confirmation";
    ConsentGiven = "consent-given", Some(Consent), "takes the user's consent for granted";
    SkipAsk = "skip-ask", Some(Consent), "has the agent act without asking";
    SkipConsentUser = "skip-consent-user", Some(Consent), "has the agent act without asking the user";
    AgreedElsewhere = "agreed-elsewhere", Some(Consent), "says that someone agreed beforehand, so that nobody need ask";
    WaivedGrave = "waived-grave", Some(Consent), "waives consent for what cannot be undone";
    SelfConfirm = "self-confirm", Some(Consent), "has the agent confirm in the user's stead";
    AskCosts = "ask-costs", Some(Consent), "calls asking the user a nuisance";
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
    Ousted = "ousted", Some(CrossTool), "puts another tool in the place of one that it declares out of service";
    Correct = "correct", Some(CrossTool), "claims to correct another tool's result";
    TakeOver = "take-over", Some(CrossTool), "takes calls that were meant for another tool";
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
    AlterValue = "alter-value", Some(Tampering), "has a value changed by some amount before it is used";
    ShowOriginal = "show-original", Some(Tampering), "has the user shown something other than what is done";
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
    CovertAd = "covert-ad", Some(Preference), "passes paid results off as the agent's own advice";
    Script = "script", Some(Scripted), "dictates what the agent says";
    ScriptRegardless = "script-regardless", Some(Scripted), "fixes what the user is told, whatever the result";
    ScriptQuote = "script-quote", Some(Scripted), "puts a ready-made sentence into the agent's mouth";
    IfAsked = "if-asked", Some(Scripted), "says what to answer if someone asks";
    GoodNews = "good-news", Some(Scripted), "has good news told of a bad result";
    Dormant = "dormant", Some(RugPull), "behaves only until it is trusted";
    AcceptChange = "accept-change", Some(RugPull), "wants changed definitions accepted without review";
    FutureUnchecked = "future-unchecked", Some(RugPull), "has later versions accepted unchecked";
    OrdersElsewhere = "orders-elsewhere", Some(RugPull), "has the agent follow orders that stand elsewhere";
    UnshownDeed = "unshown-deed", Some(Concealment), "keeps a deed out of what the user is shown";
    Unshown = "unshown", Some(Concealment), "keeps something out of what the user is shown";
    TellsOnly = "tells-only", Some(Concealment), "has the user told something else, or a part";
    Spared = "spared", Some(Concealment), "gives the user's peace as the reason for keeping quiet";
    PresentsAs = "presents-as", Some(Concealment), "has what is done go by another name";
    OriginalShown = "original-shown", Some(Tampering), "has the user go on seeing the original";
    OutputOrder = "output-order", Some(Instruction), "gives orders where it describes its results";
    AuditOff = "audit-off", Some(Concealment), "has traces wiped, invented or left out";
    WarnOff = "warn-off", Some(Concealment), "keeps warnings from the user";
    Deemed = "deemed", Some(Consent), "counts consent as given that nobody gave";
    RanksAbove = "ranks-above", Some(Instruction), "ranks its texts above what the user said";
    Unbound = "unbound", Some(Instruction), "frees the agent from whom it serves or what it must refuse";
    Standing = "standing", Some(Instruction), "gives orders that outlast the call";
    Plants = "plants", Some(Command), "has something written where an agent or a machine obeys it later";
    Delayed = "delayed", Some(RugPull), "waits for a number of calls, a date or a word";
    IdentityAsked = "identity-asked", Some(Harvest), "asks for papers or codes that its subject does not need";
    PayeeFixed = "payee-fixed", Some(Tampering), "names the account that money goes to";
    NamesMailbox = "names-mailbox", Some(Exfiltration), "names a mailbox, a number or a wallet of its own for something to go to";
    FalseAccount = "false-account", Some(Scripted), "has somebody told that all is well where it is not";
    RunsDown = "runs-down", Some(Preference), "has the user told that others are broken or unsafe";
    Profits = "profits", None, "speaks of the gain of whoever wrote it";
    NotAsWished = "not-as-wished", Some(Tampering), "puts something in the place of what the user gave";
    OnEach = "on-each", Some(ForcedCall), "wants to be called around each other call or answer";
    KindsMeet = "kinds-meet", None, "puts several kinds of these together";
    AgentTold = "agent-told", None, "says what the assistant does";
    CitesRule = "cites-rule", None, "cites a numbered rule";
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
