/** Starts `mxlint server` and restarts it when its settings or the chosen interpreter change. All else is the server's. */

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions } from "vscode-languageclient/node";

import { type CommandLine, commandLine } from "./server";

interface Python {
  ready?: Promise<void>;
  environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    onDidChangeActiveEnvironmentPath(listener: () => void): vscode.Disposable;
  };
}

const RESTARTING = ["mxlint.path", "mxlint.interpreter"];
let client: LanguageClient | undefined;
let output: vscode.OutputChannel;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  output = vscode.window.createOutputChannel("mxlint");
  const python = await pythonExtension();
  const restart = () => restarted(python);
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("mxlint.restart", restart),
    vscode.commands.registerCommand("mxlint.showOutput", () => output.show()),
    vscode.commands.registerCommand("mxlint.makeSafeFixes", makeSafeFixes),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (RESTARTING.some((name) => event.affectsConfiguration(name))) {
        await restart();
      }
    }),
  );
  if (python) {
    context.subscriptions.push(python.environments.onDidChangeActiveEnvironmentPath(restart));
  }
  await restart();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function pythonExtension(): Promise<Python | undefined> {
  const extension = vscode.extensions.getExtension<Python>("ms-python.python");
  const python = await extension?.activate();
  await python?.ready;
  return python?.environments ? python : undefined;
}

async function restarted(python: Python | undefined): Promise<void> {
  await client?.stop().catch(() => undefined);
  const folder = vscode.workspace.workspaceFolders?.[0];
  const settings = vscode.workspace.getConfiguration("mxlint", folder?.uri);
  const line: CommandLine = commandLine({
    path: settings.get("path", ""),
    interpreter: settings.get("interpreter", ""),
    chosen: python?.environments.getActiveEnvironmentPath(folder?.uri).path,
    folder: folder?.uri.fsPath,
    platform: process.platform,
  });
  output.appendLine([line.command, ...line.args].join(" "));
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "python" },
      { scheme: "untitled", language: "python" },
      { scheme: "vscode-notebook-cell", language: "python" },
    ],
    outputChannel: output,
    synchronize: { configurationSection: "mxlint" },
  };
  client = new LanguageClient("mxlint", "mxlint", { ...line, options: { cwd: folder?.uri.fsPath } }, options);
  try {
    await client.start();
  } catch (error) {
    output.appendLine(String(error));
    const shown = await vscode.window.showErrorMessage(
      "mxlint did not start. Install it with `pip install 'mxlint[lsp]'`, or name it in the setting mxlint.path.",
      "Show Output",
    );
    if (shown) {
      output.show();
    }
  }
}

async function makeSafeFixes(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document && client?.isRunning()) {
    await client.sendRequest("workspace/executeCommand", { command: "mxlint.fixAll", arguments: [document.uri.toString()] });
  }
}
