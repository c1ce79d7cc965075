//! `gpuc lsp`: a language server for C with directives, IR (`.mlir`) and PTX.
//!
//! It speaks the Language Server Protocol 3.17 on standard input and output, and does everything in one thread:
//! what the editor has sent meanwhile is read before a document is compiled again, so that typing never waits in
//! a queue of compilations.
//!
//! | module | holds |
//! |---|---|
//! | [`text`] | a document's text and the editor's positions |
//! | [`documents`] | what is open, how it is compiled, what came of it |
//! | [`files`] | URIs, and `compile_commands.json` |
//! | [`c`] | C: diagnostics, hover, completion, definitions, hints |
//! | [`mlir`] | IR: the same |
//! | [`ptx`] | PTX: the same |

mod c;
mod documents;
mod files;
mod mlir;
mod ptx;
mod text;

use std::time::Duration;

use gpuc_diagnostics::Diagnostic;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CompletionOptions,
    CompletionResponse, GotoDefinitionResponse, HoverProviderCapability, OneOf,
    PositionEncodingKind, ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind,
    Uri,
};
use serde_json::Value;

use documents::Documents;
use text::Columns;

/// Serves an editor until it says that it ends; the exit status.
///
/// # Errors
/// What comes is not the protocol, or nobody takes the answers.
pub fn serve() -> Result<i32, Diagnostic> {
    let (connection, threads) = Connection::stdio();
    let served = session(&connection);
    // The threads end once nobody can send any more.
    drop(connection);
    match served.and_then(|good| threads.join().map(|()| good).map_err(|error| error.to_string())) {
        Ok(true) => Ok(0),
        // The protocol's word on an editor that goes without `shutdown`.
        Ok(false) => Ok(1),
        Err(error) => Err(Diagnostic::error(format!("the language server ended: {error}"))),
    }
}

fn session(connection: &Connection) -> Result<bool, String> {
    let (id, parameters) = connection.initialize_start().map_err(|error| error.to_string())?;
    // Two of some hundred fields are of interest: what reads them all into types is a fiftieth of the compiler.
    let offered = parameters["capabilities"]["general"]["positionEncodings"].as_array();
    let utf8 = PositionEncodingKind::UTF8;
    let columns = match offered.is_some_and(|all| all.iter().any(|each| each == utf8.as_str())) {
        true => Columns::Utf8,
        false => Columns::Utf16,
    };
    let answer = serde_json::json!({
        "capabilities": capabilities(columns),
        "serverInfo": { "name": "gpuc", "version": env!("CARGO_PKG_VERSION") },
    });
    connection.initialize_finish(id, answer).map_err(|error| error.to_string())?;
    let flags = flags(&parameters["initializationOptions"]);
    let mut server = Server { connection, documents: Documents::new(columns, flags) };
    server.run()
}

/// `{"flags": [...]}` of the editor's settings: how files are compiled that no `compile_commands.json` has.
fn flags(options: &Value) -> Vec<String> {
    let flags = options["flags"].as_array().into_iter().flatten();
    flags.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn capabilities(columns: Columns) -> ServerCapabilities {
    let triggers = [" ", "#", "(", ",", ":", "%", "."];
    ServerCapabilities {
        position_encoding: Some(match columns {
            Columns::Utf8 => PositionEncodingKind::UTF8,
            Columns::Utf16 => PositionEncodingKind::UTF16,
        }),
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::FULL)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(triggers.map(str::to_owned).into()),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        ..ServerCapabilities::default()
    }
}

/// How long a changed document waits for a message on its way: what reads them hands over one at a time.
const PAUSE: Duration = Duration::from_millis(5);

struct Server<'a> {
    connection: &'a Connection,
    documents: Documents,
}

impl Server<'_> {
    /// Answers until the end; whether that was an orderly one.
    fn run(&mut self) -> Result<bool, String> {
        loop {
            let changed = self.documents.next_changed();
            let receiver = &self.connection.receiver;
            let received = match &changed {
                Some(_) => receiver.recv_timeout(PAUSE).map_err(|error| error.is_disconnected()),
                None => receiver.recv().map_err(|_| true),
            };
            let message = match (received, changed) {
                (Ok(message), _) => message,
                // Nothing more has come: now is the time to compile.
                (Err(false), Some(uri)) => {
                    self.publish(&uri)?;
                    continue;
                }
                (Err(_), _) => return Ok(false),
            };
            match message {
                Message::Request(request) => {
                    if self
                        .connection
                        .handle_shutdown(&request)
                        .map_err(|error| error.to_string())?
                    {
                        return Ok(true);
                    }
                    let response = self.answer(request);
                    self.send(Message::Response(response))?;
                }
                Message::Notification(notification) => self.note(notification)?,
                Message::Response(_) => {}
            }
        }
    }

    fn send(&self, message: Message) -> Result<(), String> {
        self.connection.sender.send(message).map_err(|error| error.to_string())
    }

    fn publish(&mut self, uri: &Uri) -> Result<(), String> {
        let published = self.documents.diagnostics(uri);
        let method = notification::PublishDiagnostics::METHOD.to_owned();
        let notification = Notification::new(method, published);
        self.send(Message::Notification(notification))
    }

    fn note(&mut self, notification: Notification) -> Result<(), String> {
        // What cannot be read is none of ours: a notification has no answer.
        match notification.method.as_str() {
            notification::DidOpenTextDocument::METHOD => {
                let read = serde_json::from_value(notification.params);
                if let Ok(lsp_types::DidOpenTextDocumentParams { text_document: document }) = read {
                    self.documents.open(document.uri, document.version, document.text);
                }
            }
            notification::DidChangeTextDocument::METHOD => {
                let read = serde_json::from_value(notification.params);
                let Ok(change) = read else { return Ok(()) };
                let lsp_types::DidChangeTextDocumentParams { text_document, content_changes } =
                    change;
                if let Some(last) = content_changes.into_iter().next_back() {
                    self.documents.open(text_document.uri, text_document.version, last.text);
                }
            }
            notification::DidSaveTextDocument::METHOD => self.documents.disk_changed(),
            notification::DidCloseTextDocument::METHOD => {
                let read = serde_json::from_value(notification.params);
                if let Ok(lsp_types::DidCloseTextDocumentParams { text_document }) = read {
                    self.documents.close(&text_document.uri);
                    self.publish(&text_document.uri)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn answer(&mut self, request: Request) -> Response {
        let Request { id, method, params } = request;
        let result = match method.as_str() {
            request::HoverRequest::METHOD => reply::<request::HoverRequest>(params, |params| {
                let at = params.text_document_position_params;
                self.documents.hover(&at.text_document.uri, at.position)
            }),
            request::Completion::METHOD => reply::<request::Completion>(params, |params| {
                let at = params.text_document_position;
                let items = self.documents.complete(&at.text_document.uri, at.position);
                Some(CompletionResponse::Array(items))
            }),
            request::GotoDefinition::METHOD => reply::<request::GotoDefinition>(params, |params| {
                let at = params.text_document_position_params;
                let found = self.documents.definition(&at.text_document.uri, at.position);
                found.map(GotoDefinitionResponse::Scalar)
            }),
            request::CodeActionRequest::METHOD => {
                reply::<request::CodeActionRequest>(params, |params| {
                    Some(self.documents.actions(&params.text_document.uri, params.range))
                })
            }
            request::InlayHintRequest::METHOD => {
                reply::<request::InlayHintRequest>(params, |params| {
                    Some(self.documents.hints(&params.text_document.uri, params.range))
                })
            }
            _ => {
                let message = format!("`{method}` is not supported");
                return Response::new_err(id, ErrorCode::MethodNotFound as i32, message);
            }
        };
        match result {
            Ok(result) => Response { id, result: Some(result), error: None },
            Err(error) => Response::new_err(id, ErrorCode::InvalidParams as i32, error),
        }
    }
}

/// Reads what a request asks, and writes what the answer is.
fn reply<R: request::Request>(
    parameters: Value,
    answer: impl FnOnce(R::Params) -> R::Result,
) -> Result<Value, String> {
    let parameters = serde_json::from_value(parameters).map_err(|error| error.to_string())?;
    serde_json::to_value(answer(parameters)).map_err(|error| error.to_string())
}
