/** The command lines that the extension starts, and that the one by default is answered by a server. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";

import { commandLine } from "../src/server";

const nothing = { path: "", interpreter: "", platform: "linux" as NodeJS.Platform };

test("the command of the settings wins", () => {
  assert.deepEqual(commandLine({ ...nothing, path: "/opt/mxlint", chosen: "/venv/bin/python" }), { command: "/opt/mxlint", args: ["server"] });
});

test("then their interpreter, then the chosen one, then the one in PATH", () => {
  const args = ["-m", "mxlint", "server"];
  assert.deepEqual(commandLine({ ...nothing, interpreter: "/a/python", chosen: "/b/python" }), { command: "/a/python", args });
  assert.deepEqual(commandLine({ ...nothing, chosen: "/b/python" }), { command: "/b/python", args });
  assert.deepEqual(commandLine(nothing), { command: "python3", args });
  assert.deepEqual(commandLine({ ...nothing, platform: "win32" }), { command: "python", args });
});

test("the folder of the workspace is put in", () => {
  assert.equal(commandLine({ ...nothing, interpreter: "${workspaceFolder}/.venv/bin/python", folder: "/w" }).command, "/w/.venv/bin/python");
  assert.equal(commandLine({ ...nothing, path: "./bin/mxlint", folder: "/w" }).command, "/w/./bin/mxlint");
});

test("what is started answers", { skip: process.env.MXLINT_PYTHON ? false : "MXLINT_PYTHON names no Python with mxlint[lsp]" }, async () => {
  const line = commandLine({ ...nothing, interpreter: process.env.MXLINT_PYTHON ?? "" });
  const server = spawn(line.command, line.args);
  const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { processId: null, rootUri: null, capabilities: {} } });
  server.stdin.write(`Content-Length: ${request.length}\r\n\r\n${request}`);
  let answer = "";
  for await (const part of server.stdout) {
    answer += String(part);
    if (answer.includes("serverInfo")) {
      break;
    }
  }
  server.kill("SIGKILL");
  assert.match(answer, /"name": ?"mxlint"/);
});
