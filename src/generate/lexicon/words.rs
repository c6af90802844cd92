//! The word lists: what people send, by the words of the parameter's name. Version 1.
//!
//! A list that changes changes reference solutions, so it belongs in the changelog.

/// Names that end in these words, and what they hold. More telling rows stand first; every value is
/// made up, under reserved domains and documentation address ranges.
pub(super) type Row = (&'static [&'static str], &'static [&'static str]);

/// Rows for the last two words of a name.
pub(super) const PAIRS: &[Row] = &[
    (
        &[
            "start date",
            "from date",
            "begin date",
            "date from",
            "date start",
            "departure date",
            "check in",
            "checkin date",
            "min date",
        ],
        &["2025-03-03", "2025-06-02", "2025-09-01"],
    ),
    (
        &[
            "end date",
            "to date",
            "date to",
            "date end",
            "due date",
            "return date",
            "check out",
            "checkout date",
            "until date",
            "max date",
        ],
        &["2025-03-14", "2025-06-30", "2025-09-12"],
    ),
    (
        &["start time", "from time", "time min", "time start"],
        &["2025-03-14T09:30:00Z", "2025-06-30T14:00:00Z"],
    ),
    (&["end time", "to time", "time max", "time end"], &["2025-03-14T10:30:00Z", "2025-06-30T15:00:00Z"]),
    (&["date time"], &["2025-03-14T09:30:00Z", "2025-06-30T14:00:00Z"]),
    (&["first name", "given name"], &["Maria", "Samuel", "Li"]),
    (&["last name", "family name"], &["Jensen", "Okafor", "Wei"]),
    (
        &[
            "full name",
            "user name",
            "customer name",
            "person name",
            "contact name",
            "author name",
            "display name",
        ],
        &["Maria Jensen", "Samuel Okafor", "Li Wei"],
    ),
    (&["company name", "organization name", "business name"], &["Northwind Traders", "Acme Corp"]),
    (&["file name"], &["report.pdf", "notes.txt", "summary.csv"]),
    (&["sheet name"], &["Sheet1", "Budget"]),
    (&["table name"], &["customers", "orders"]),
    (&["branch name"], &["feature/login", "main"]),
    (&["city name"], &["Lisbon", "Toronto", "Nairobi"]),
    (&["tool name", "function name"], &["search_orders", "send_message"]),
    (&["country code"], &["PT", "CA", "KE"]),
    (&["currency code"], &["EUR", "USD", "JPY"]),
    (&["language code"], &["en", "de", "pt"]),
    (&["zip code", "postal code"], &["94107", "1100-148"]),
    (&["time zone"], &["Europe/Lisbon", "America/Toronto", "UTC"]),
    (&["phone number"], &["+351210000000", "+14165550123"]),
    (&["search query", "search term"], &["wireless headphones", "annual report", "open invoices"]),
    (&["content type", "mime type"], &["application/json", "text/plain"]),
    (&["project key"], &["WEB", "OPS"]),
    (&["issue key"], &["WEB-42", "OPS-7"]),
    (&["api key", "access token", "auth token"], &["tok_4f9a2c7e", "tok_b81d03aa"]),
    (&["user agent"], &["Mozilla/5.0"]),
    (&["cell range"], &["A1:C10", "B2:B20"]),
    (&["commit message"], &["Fix the login redirect", "Add export to CSV"]),
    (
        &["contract address", "wallet address", "token address"],
        &["0x52908400098527886E0F7030069857D2E4169EE7", "0x8617E340B3D01FA5F11F306F4090FD50E238070D"],
    ),
    (
        &["image source", "image url", "image ref"],
        &["https://example.com/photo.jpg", "https://example.com/logo.png"],
    ),
    (&["video source"], &["https://example.com/videos/tour.mp4"]),
    (&["ip address"], &["192.0.2.10", "198.51.100.7"]),
];

/// Rows for one word of a name, the last word first.
pub(super) const WORDS: &[Row] = &[
    (
        &["email", "mail", "recipient", "cc", "bcc"],
        &["maria.jensen@example.com", "sam.okafor@example.org", "li.wei@example.com"],
    ),
    (
        &["city", "town", "destination", "origin", "departure", "arrival"],
        &["Lisbon", "Toronto", "Nairobi", "Osaka"],
    ),
    (&["country", "nation"], &["Portugal", "Canada", "Kenya", "Japan"]),
    (&["currency"], &["EUR", "USD", "JPY", "GBP"]),
    (&["locale"], &["en-US", "de-DE", "pt-BR"]),
    (&["timezone", "tz"], &["Europe/Lisbon", "America/Toronto", "UTC"]),
    (&["lang", "language"], &["en", "de", "pt", "ja"]),
    (&["symbol", "ticker"], &["AAPL", "MSFT", "NVDA"]),
    (&["uuid", "guid"], &["3f2b8c1e-7d4a-4e9b-9c6f-2a1d5e8b7c30", "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d"]),
    (
        &["query", "search", "q", "keyword", "term"],
        &["wireless headphones", "annual report", "open invoices", "release notes"],
    ),
    (&["question"], &["Which orders are still open?", "How do I reset my password?"]),
    (&["word"], &["harbour", "lantern", "orchard"]),
    (
        &["sql", "jql"],
        &["SELECT id, name FROM customers WHERE active = true LIMIT 10", "SELECT count(*) FROM orders"],
    ),
    (
        &["video", "videourl"],
        &["https://example.com/videos/tour.mp4", "https://example.com/videos/intro.mp4"],
    ),
    (&["audio"], &["https://example.com/audio/interview.mp3"]),
    (
        &["url", "uri", "link", "href", "endpoint", "website", "webhook", "homepage"],
        &[
            "https://example.com/articles/42",
            "https://docs.example.net/guide",
            "https://shop.example.org/orders",
        ],
    ),
    (&["host", "hostname", "domain", "server"], &["example.com", "api.example.com", "shop.example.org"]),
    (&["ip"], &["192.0.2.10", "198.51.100.7"]),
    (&["filename"], &["report.pdf", "notes.txt", "summary.csv"]),
    (&["path", "file", "filepath"], &["docs/report.md", "src/main.py", "data/orders.csv"]),
    (&["directory", "dir", "folder", "workspace", "cwd", "root"], &["projects/website", "docs", "data/2025"]),
    (&["branch", "base", "head"], &["main", "develop", "feature/login"]),
    (
        &["sha", "commit", "hash", "digest"],
        &["7fd1a60b01f91b314f59955a4e4d4e80d8edf11d", "553c2077f0edc3d5dc5d17262f6aa498e69d6f8e"],
    ),
    (&["repo", "repository"], &["website", "hello-world", "inventory-api"]),
    (&["owner", "org", "organization", "organisation"], &["acme", "octo-labs", "northwind"]),
    (&["phone", "tel", "mobile", "fax"], &["+351210000000", "+14165550123"]),
    (&["datetime", "timestamp"], &["2025-03-14T09:30:00Z", "2025-06-30T14:00:00Z"]),
    (&["since", "after", "begin"], &["2025-03-03", "2025-06-02"]),
    (&["until", "before"], &["2025-03-14", "2025-06-30"]),
    (&["date", "day", "birthday"], &["2025-03-14", "2025-06-30", "2025-09-01"]),
    (&["time"], &["09:30:00", "14:00:00"]),
    (&["month"], &["2025-03", "2025-06"]),
    (&["year"], &["2025", "2024"]),
    (&["cron", "schedule"], &["0 9 * * 1", "*/15 * * * *"]),
    (&["duration", "interval", "ttl", "timeframe"], &["1h", "30m", "7d"]),
    (&["color", "colour", "fill", "stroke"], &["#3366cc", "#22aa66", "#ff9900"]),
    (&["latitude", "lat"], &["38.7223", "43.6532"]),
    (&["longitude", "lng", "lon"], &["-9.1393", "-79.3832"]),
    (&["coordinates"], &["38.7223,-9.1393", "43.6532,-79.3832"]),
    (&["address", "street"], &["12 Harbour Street", "48 King Street West"]),
    (&["zip", "postal", "postcode"], &["94107", "1100-148"]),
    (&["password", "secret", "passphrase"], &["correct-horse-battery", "quiet-river-42"]),
    (&["token", "apikey"], &["tok_4f9a2c7e", "tok_b81d03aa"]),
    (&["cursor"], &["eyJwYWdlIjoyfQ"]),
    (
        &["username", "user", "login", "author", "assignee", "creator", "member", "reviewer"],
        &["maria.jensen", "sam.okafor", "li.wei"],
    ),
    (&["firstname"], &["Maria", "Samuel", "Li"]),
    (&["lastname", "surname"], &["Jensen", "Okafor", "Wei"]),
    (&["company", "employer", "vendor", "customer", "client", "brand"], &["Northwind Traders", "Acme Corp"]),
    (
        &["title", "subject", "headline", "heading", "caption"],
        &["Quarterly planning", "Release checklist", "Team offsite"],
    ),
    (
        &["message", "text", "comment", "body", "note", "content", "reply", "feedback", "review"],
        &[
            "The delivery arrived this morning, thank you.",
            "Please review the attached draft by Friday.",
            "The build is green again.",
        ],
    ),
    (
        &["prompt", "instruction", "task", "goal", "objective"],
        &[
            "Summarise the release notes in three sentences.",
            "Draw a lighthouse at dusk.",
            "List the open invoices of March.",
        ],
    ),
    (
        &["thought", "reasoning", "idea"],
        &[
            "The total depends on the exchange rate, so look that up first.",
            "Compare both options before deciding.",
        ],
    ),
    (
        &["description", "summary", "detail", "reason", "bio", "abstract", "overview", "purpose", "intent"],
        &[
            "Monthly overview of open orders",
            "Short summary of the last meeting",
            "Replaces the old settings page",
        ],
    ),
    (
        &["observation", "fact", "entity", "memory"],
        &["Maria prefers meetings in the morning", "The office moved to Lisbon in 2024"],
    ),
    (&["ingredient"], &["tomato", "basil", "olive oil"]),
    (&["label", "tag", "category", "topic", "genre", "section"], &["urgent", "billing", "documentation"]),
    (&["status", "state"], &["open", "active", "closed"]),
    (&["priority", "severity", "importance"], &["high", "medium", "low"]),
    (&["sort", "orderby", "order"], &["name", "created"]),
    (&["direction"], &["asc", "desc"]),
    (&["filter", "where", "condition"], &["status = 'open'", "name = 'Lisbon'"]),
    (
        &["field", "column", "select", "property", "attribute", "metric", "dimension"],
        &["name", "status", "created_at"],
    ),
    (
        &["table", "collection", "dataset", "database", "schema", "index"],
        &["customers", "orders", "inventory"],
    ),
    (&["sheet", "worksheet"], &["Sheet1", "Budget"]),
    (&["cell", "range"], &["A1:C10", "B2:B20"]),
    (&["namespace"], &["default", "production"]),
    (&["pod", "deployment", "container", "cluster"], &["web-7d4b9c", "orders-api"]),
    (&["service", "app", "application"], &["orders-api", "website"]),
    (&["region", "datacenter"], &["eu-west-1", "us-east-1"]),
    (&["environment", "env", "stage"], &["staging", "production"]),
    (&["version", "revision", "release"], &["1.4.2", "2.0.0"]),
    (&["package", "module", "library", "dependency"], &["requests", "lodash", "serde"]),
    (&["model"], &["standard", "large"]),
    (&["command", "cmd"], &["ls -la", "git status"]),
    (&["code", "script", "snippet"], &["print('hello')", "x = 1 + 2"]),
    (&["expression", "formula", "equation"], &["2 * (3 + 4)", "x + 1"]),
    (&["selector", "locator"], &["#submit", ".result a"]),
    (&["pattern", "regex", "glob"], &["*.md", "src/**"]),
    (&["format", "extension"], &["json", "csv"]),
    (&["mime", "mimetype", "contenttype"], &["application/json", "text/plain"]),
    (
        &["image", "picture", "photo", "avatar", "icon", "thumbnail", "screenshot"],
        &["https://example.com/photo.jpg", "https://example.com/logo.png"],
    ),
    (&["unit"], &["metric", "celsius"]),
    (&["role"], &["member", "admin"]),
    (&["period"], &["month", "week"]),
    (&["type", "kind", "mode"], &["standard", "basic"]),
    (&["channel", "room"], &["general", "support"]),
    (
        &["team", "group", "project", "board", "workspace", "department"],
        &["platform", "website-relaunch", "design"],
    ),
    (&["location", "place", "venue", "area"], &["Lisbon", "Toronto", "Nairobi"]),
    (&["device", "sensor"], &["kitchen-lamp", "pixel-8"]),
    (&["event", "meeting"], &["Quarterly planning", "Team offsite"]),
    (&["job", "position", "occupation"], &["Data analyst", "Product designer"]),
    (&["product", "item"], &["Wireless headphones", "Desk lamp"]),
    (&["book", "movie", "song", "album", "film"], &["Harbour Lights", "The Long Orchard"]),
    (&["artist"], &["Maria Jensen", "The Lanterns"]),
    (&["coin", "crypto", "asset"], &["bitcoin", "ethereum"]),
    (&["network", "chain"], &["ethereum", "polygon"]),
    (&["header"], &["Accept: application/json"]),
    (&["method"], &["GET", "POST"]),
    (&["resource", "target", "object"], &["orders", "customers"]),
    (&["key"], &["theme", "language"]),
    (&["value"], &["dark", "42"]),
    (&["slug"], &["quarterly-planning", "release-checklist"]),
    (&["id", "uid", "ref", "identifier", "number", "code"], &["a1b2c3", "ord-1042", "7f3k9q"]),
    (&["name"], &["Harbour Lights", "Northwind", "Spring launch"]),
    (&["input", "data", "string"], &["The quick survey is ready.", "Lisbon, Toronto, Nairobi"]),
];

/// Kinds of file by a word anywhere in the name.
pub(super) const FILES: &[Row] = &[
    (&["image", "photo", "picture", "screenshot", "png"], &["images/photo.png", "images/logo.png"]),
    (&["video", "mp4"], &["videos/tour.mp4"]),
    (&["audio", "mp3"], &["audio/interview.mp3"]),
    (&["pdf"], &["reports/summary.pdf"]),
    (&["excel", "workbook", "spreadsheet", "xlsx"], &["reports/budget.xlsx"]),
    (&["csv"], &["data/orders.csv"]),
    (&["json"], &["data/orders.json"]),
    (&["doc", "docx", "document", "word"], &["documents/letter.docx"]),
    (&["presentation", "pptx", "slides"], &["presentations/quarterly.pptx"]),
    (&["log"], &["logs/app.log"]),
    (&["config"], &["config/settings.json"]),
    (&["project", "repo", "repository"], &["projects/website"]),
];

/// What a description asks for, by a phrase in it (lower case).
pub(super) const PHRASES: &[Row] = &[
    (
        &[
            "yyyy-mm-ddthh",
            "iso 8601 date-time",
            "iso 8601 datetime",
            "iso 8601 timestamp",
            "rfc3339",
            "rfc 3339",
        ],
        &["2025-03-14T09:30:00Z", "2025-06-30T14:00:00Z"],
    ),
    (&["yyyy-mm-dd", "iso date"], &["2025-03-14", "2025-06-30"]),
    (&["yyyymmdd"], &["20250314", "20250630"]),
    (&["yyyy/mm/dd"], &["2025/03/14"]),
    (&["mm/dd/yyyy"], &["03/14/2025"]),
    (&["dd/mm/yyyy"], &["14/03/2025"]),
    (&["yyyy-mm"], &["2025-03", "2025-06"]),
    (&["hh:mm:ss"], &["09:30:00", "14:00:00"]),
    (&["hh:mm"], &["09:30", "14:00"]),
    (&["iso 8601", "iso8601", "iso format", "iso-8601"], &["2025-03-14T09:30:00Z", "2025-06-30T14:00:00Z"]),
    (&["two-letter country", "2-letter country", "iso 3166", "country code"], &["PT", "CA", "KE"]),
    (&["iso 4217", "currency code"], &["EUR", "USD", "JPY"]),
    (&["iso 639", "language code"], &["en", "de", "pt"]),
    (&["iana time", "timezone", "time zone"], &["Europe/Lisbon", "America/Toronto"]),
    (&["cron expression"], &["0 9 * * 1"]),
    (&["email address", "e-mail address"], &["maria.jensen@example.com", "sam.okafor@example.org"]),
    (&["phone number"], &["+351210000000", "+14165550123"]),
    (&["base64"], &["aGVsbG8gd29ybGQ="]),
    (&["hex color", "hex colour"], &["#3366cc", "#22aa66"]),
    (&["uuid"], &["3f2b8c1e-7d4a-4e9b-9c6f-2a1d5e8b7c30"]),
    (&["json string", "json object", "json-encoded", "stringified json"], &["{\"status\": \"open\"}"]),
    (&["file path", "path to"], &["docs/report.md", "data/orders.csv"]),
    (
        &["a url", "the url", "full url"],
        &["https://example.com/articles/42", "https://docs.example.net/guide"],
    ),
    (&["ticker"], &["AAPL", "MSFT"]),
    (&["search query", "search term"], &["wireless headphones", "annual report"]),
    (&["city"], &["Lisbon", "Toronto", "Nairobi"]),
    (&["comma-separated", "comma separated"], &["name,status", "open,closed"]),
];

/// Words for parameters that say nothing.
pub(super) const PLAIN: [&str; 12] = [
    "harbour", "lantern", "meadow", "orchard", "summit", "willow", "compass", "cedar", "ember", "granite",
    "juniper", "marble",
];

/// Keys for what no schema names.
pub(super) const EXTRA_KEYS: [&str; 8] =
    ["note", "extra", "label", "source", "detail", "origin", "context", "remark"];

/// People, for `name` where a person is meant.
pub(super) const PEOPLE: &[&str] = &["Maria Jensen", "Samuel Okafor", "Li Wei"];
/// Words that say a `name` is a person's.
pub(super) const PERSONAL: [&str; 12] = [
    "user",
    "person",
    "contact",
    "customer",
    "author",
    "patient",
    "employee",
    "attendee",
    "guest",
    "candidate",
    "student",
    "lead",
];
