// The parts of the extension that commands work with.

import type * as vscode from "vscode";

import type { ApprovalsView } from "./approvalsView";
import type { Catalogue } from "./catalogue";
import type { Client } from "./client";
import type { Configuration } from "./configuration";
import type { Documents } from "./documents";
import type { Logs } from "./log";
import type { Resources } from "./resources";
import type { ServersView } from "./serversView";
import type { ToolForms } from "./toolForm";

/** The parts that commands work with. */
export interface Parts {
  client: Client;
  catalogue: Catalogue;
  servers: ServersView;
  approvals: ApprovalsView;
  forms: ToolForms;
  resources: Resources;
  documents: Documents;
  configuration: Configuration;
  logs: Logs;
  output: vscode.LogOutputChannel;
  /** Starts the language server anew; `afresh` makes its environment again first. */
  restartHost(afresh: boolean): Promise<void>;
}

/** What a command does, with the thing that it was called on, if any. */
export type Run = (subject: unknown) => Promise<unknown>;
