//! A stockroom, served by the official Rust SDK: what a typical server of it lists and answers.
//!
//! usage: rmcp-peer stdio | http | http-json | typed
//!
//! `http` prints the address that it listens at. `typed` is no server: it reads the result of a tools/list on standard
//! input into the SDK's own types and prints what is left of it.

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt, schemars, tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::sync::Arc;

/// Tools of a page.
const PAGE: usize = 2;

const PARTS: [(&str, Shelf, u32); 4] = [
    ("bolt", Shelf::Low, 12),
    ("nut", Shelf::Low, 5),
    ("gear", Shelf::High, 310),
    ("shaft", Shelf::High, 900),
];

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Shelf {
    Low,
    High,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Named {
    /// Name of the part, in lower-case letters.
    #[schemars(length(min = 1, max = 40))]
    name: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct OfShelf {
    /// Which shelf to look at.
    shelf: Shelf,
    /// How many parts to return at most; all of them if left out.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Division {
    /// Grams in all.
    grams: i32,
    /// Number of parts; not 0.
    parts: i32,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Part {
    name: String,
    shelf: Shelf,
    /// Weight in grams.
    grams: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Parts {
    parts: Vec<Part>,
    total: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Quotient {
    grams: f64,
}

#[derive(Debug, Clone)]
struct Stockroom {
    tools: ToolRouter<Self>,
}

fn part((name, shelf, grams): (&str, Shelf, u32)) -> Part {
    Part { name: name.to_string(), shelf, grams }
}

#[tool_router(router = tools)]
impl Stockroom {
    /// Look up one part by its name.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    fn find_part(&self, Parameters(Named { name }): Parameters<Named>) -> Result<Json<Part>, String> {
        let found = PARTS.into_iter().find(|p| p.0 == name);
        found.map(|p| Json(part(p))).ok_or_else(|| format!("there is no part `{name}`"))
    }

    /// List the parts of one shelf, by name.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    fn list_parts(
        &self,
        Parameters(OfShelf { shelf, limit }): Parameters<OfShelf>,
    ) -> Result<Json<Parts>, String> {
        let limit = limit.map_or(usize::MAX, |n| n as usize);
        let all = || PARTS.into_iter().filter(|p| p.1 == shelf);
        Ok(Json(Parts { parts: all().take(limit).map(part).collect(), total: all().count() }))
    }

    /// Say in words what a part weighs. Returns a sentence in English.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    fn describe_part(&self, Parameters(Named { name }): Parameters<Named>) -> String {
        match PARTS.into_iter().find(|p| p.0 == name) {
            Some((name, _, grams)) => format!("A {name} weighs {grams} grams."),
            None => format!("Nobody knows what a {name} weighs."),
        }
    }

    /// Divide a weight among parts.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    fn weight_each(
        &self,
        Parameters(Division { grams, parts }): Parameters<Division>,
    ) -> Result<Json<Quotient>, ErrorData> {
        match parts {
            0 => Err(ErrorData::invalid_params("parts must not be 0", None)),
            n => Ok(Json(Quotient { grams: f64::from(grams) / f64::from(n) })),
        }
    }

    /// Take a part out of the stock.
    #[tool(annotations(read_only_hint = false, destructive_hint = true, open_world_hint = false))]
    fn take_part(&self, Parameters(Named { name }): Parameters<Named>) -> String {
        format!("Took one {name}.")
    }
}

impl ServerHandler for Stockroom {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("stockroom", "1.0.0"))
            .with_instructions("Parts in stock, with their weights.")
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let all = self.tools.list_all();
        let start = match request.and_then(|r| r.cursor) {
            None => 0,
            Some(cursor) => {
                cursor.parse().map_err(|_| ErrorData::invalid_params("no cursor of mine", None))?
            }
        };
        let tools: Vec<Tool> = all.iter().skip(start).take(PAGE).cloned().collect();
        let next = start + tools.len();
        let mut page = ListToolsResult::with_all_items(tools);
        page.next_cursor = (next < all.len()).then(|| next.to_string());
        Ok(page)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.tools.call(ToolCallContext::new(self, request, context)).await
    }
}

fn stockroom() -> Stockroom {
    Stockroom { tools: Stockroom::tools() }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("stdio") => {
            let transport = (tokio::io::stdin(), tokio::io::stdout());
            stockroom().serve(transport).await?.waiting().await?;
        }
        Some("http") => serve_http(StreamableHttpServerConfig::default()).await?,
        Some("http-json") => {
            let mut config = StreamableHttpServerConfig::default();
            (config.legacy_session_mode, config.json_response) = (false, true);
            serve_http(config).await?;
        }
        Some("typed") => {
            let typed: ListToolsResult = serde_json::from_reader(std::io::stdin())?;
            println!("{}", serde_json::to_string(&typed)?);
        }
        _ => return Err("usage: rmcp-peer stdio | http | http-json | typed".into()),
    }
    Ok(())
}

async fn serve_http(config: StreamableHttpServerConfig) -> Result<(), Box<dyn Error>> {
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(|| Ok(stockroom()), sessions, config);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("http://{}/mcp", listener.local_addr()?);
    loop {
        let stream = TokioIo::new(listener.accept().await?.0);
        let service = TowerToHyperService::new(service.clone());
        // A connection that breaks off concerns nobody else.
        tokio::spawn(http1::Builder::new().serve_connection(stream, service));
    }
}
