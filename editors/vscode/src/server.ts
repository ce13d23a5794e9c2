/** The command line that the server is started with. Nothing here knows VS Code, so that it can be tested without. */

export interface Choice {
  /** `mxlint.path`: the mxlint command; empty: the module of the interpreter. */
  path: string;
  /** `mxlint.interpreter`: a Python; empty: the one that the Python extension has chosen. */
  interpreter: string;
  /** What the Python extension has chosen, if it is there. */
  chosen?: string;
  /** The folder that `${workspaceFolder}` and relative paths stand for. */
  folder?: string;
  platform: NodeJS.Platform;
}

export interface CommandLine {
  command: string;
  args: string[];
}

/** The command named in the settings, else the module of the interpreter named there, of the chosen one, or of the one in PATH. */
export function commandLine(choice: Choice): CommandLine {
  const path = expanded(choice.path, choice);
  if (path) {
    return { command: path, args: ["server"] };
  }
  const python = expanded(choice.interpreter, choice) || choice.chosen || (choice.platform === "win32" ? "python" : "python3");
  return { command: python, args: ["-m", "mxlint", "server"] };
}

function expanded(text: string, choice: Choice): string {
  const path = text.trim().replaceAll("${workspaceFolder}", choice.folder ?? "");
  const relative = /^\.{1,2}[\\/]/.test(path);
  return relative && choice.folder ? `${choice.folder}/${path}` : path;
}
