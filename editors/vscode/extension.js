// Starts `gpuc lsp` for C, MLIR and PTX, and hands over the settings of package.json.

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const settings = workspace.getConfiguration("gpuc");
  const server = { command: settings.get("path"), args: ["lsp"] };
  const languages = ["c", "mlir", "ptx"];
  client = new LanguageClient("gpuc", "gpuc", server, {
    documentSelector: languages.map((language) => ({ language })),
    initializationOptions: { flags: settings.get("flags") },
  });
  return client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
