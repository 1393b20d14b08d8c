// Builds every part once and introduces them to each other; starts the language server, and starts it again.

import { mkdir, rm } from "node:fs/promises";
import * as vscode from "vscode";

import { makeApi, type CodeAgentMcp } from "./api";
import { answerApprovals } from "./approval";
import { ApprovalsView } from "./approvalsView";
import { Asker } from "./ask";
import { Catalogue } from "./catalogue";
import { Client } from "./client";
import { registerCommands } from "./commands";
import { Configuration, importable } from "./configuration";
import { Documents } from "./documents";
import { answerElicitations } from "./elicitation";
import { answerInputs } from "./inputs";
import type { Report } from "./install/environment";
import { locateServer, type Surroundings } from "./install/locate";
import { LENS_FEATURES, registerLensCommands } from "./lensCommands";
import { Logs } from "./log";
import type { Parts } from "./parts";
import { Resources } from "./resources";
import { answerSampling } from "./sampling";
import { ServersView } from "./serversView";
import { StatusItem } from "./status";
import { ToolForms } from "./toolForm";

export class Extension {
  private readonly output = vscode.window.createOutputChannel("CodeAgent MCP", { log: true });
  private readonly client = new Client(this.output, LENS_FEATURES);
  private readonly catalogue = new Catalogue(this.client);
  private readonly logs = new Logs(this.client);
  private starting: Promise<void> = Promise.resolve();
  readonly api: CodeAgentMcp;

  constructor(private readonly context: vscode.ExtensionContext) {
    const { client, catalogue, logs, output } = this;
    const asker = new Asker();
    const documents = new Documents();
    const servers = new ServersView(catalogue);
    const approvals = new ApprovalsView(client);
    const forms = new ToolForms(context, client, documents);
    answerApprovals(client, asker, () => approvals.refresh());
    answerElicitations(client, asker, context.extensionUri);
    answerInputs(client, asker);
    answerSampling(client, asker);
    const parts: Parts = {
      client,
      catalogue,
      servers,
      approvals,
      forms,
      documents,
      resources: new Resources(client, catalogue, documents),
      configuration: new Configuration(client, () => catalogue.files),
      logs,
      output,
      restartHost: (afresh) => this.restart(afresh),
    };
    context.subscriptions.push(
      output,
      asker,
      documents,
      servers,
      approvals,
      forms,
      logs,
      new StatusItem(client, catalogue),
      client.onDidChangeState((state) => {
        servers.showState(state);
        approvals.refresh();
        void this.followState();
      }),
      catalogue.onDidChange(({ lists }) => {
        const changed = lists.filter(({ group }) => group === "tools");
        changed.forEach(
          ({ server }) =>
            void catalogue.tools(server).then(
              (tools) => forms.refresh(tools),
              () => undefined,
            ),
        );
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void client.trustChanged()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("codeagent.server")) {
          void this.restart(false);
        }
      }),
      ...registerCommands(parts),
      ...registerLensCommands(parts),
      catalogue,
      client,
    );
    this.api = makeApi(client, catalogue, () => this.whenReady());
    servers.showState("starting");
    void importable().then((found) =>
      vscode.commands.executeCommand("setContext", "codeagentMcp.canImport", found.length > 0),
    );
  }

  /** Starts the language server in the background; what goes wrong is shown, and can be tried again. */
  start(): void {
    this.starting = this.run();
  }

  /** Starts the language server anew; `afresh` makes its environment again first. */
  async restart(afresh: boolean): Promise<void> {
    await this.starting;
    await this.client.stop();
    if (afresh) {
      await rm(this.context.globalStorageUri.fsPath, { recursive: true, force: true });
    }
    this.start();
    await this.starting;
  }

  stop(): Promise<void> {
    return this.client.stop();
  }

  private async run(): Promise<void> {
    try {
      await mkdir(this.context.globalStorageUri.fsPath, { recursive: true });
      const server = await locateServer(this.surroundings());
      this.output.info(`Starting ${[server.command, ...server.args].join(" ")}`);
      // From the extension's activation to the start of the language client: what users wait for because of us.
      performance.measure("codeagent.activation", "codeagent.activate");
      await this.client.start(server);
    } catch (error) {
      this.client.setState("failed", error instanceof Error ? error.message : String(error));
    }
    if (this.client.state === "failed") {
      this.output.error(this.client.problem ?? "The language server could not be started.");
      void this.offerRetry();
    }
  }

  private async offerRetry(): Promise<void> {
    const [retry, show] = ["Try Again", "Show Output"];
    const text = `CodeAgent MCP: ${this.client.problem ?? "the language server could not be started."}`;
    const pressed = await vscode.window.showErrorMessage(text, retry, show);
    if (pressed === retry) {
      await this.restart(false);
    } else if (pressed === show) {
      this.output.show();
    }
  }

  private async followState(): Promise<void> {
    if (this.client.state === "running" || this.client.state === "failed" || this.client.state === "off") {
      await this.catalogue.reload().catch((error: unknown) => this.output.error(String(error)));
    }
    if (this.client.state === "running") {
      await this.logs.followAgain();
    }
  }

  private async whenReady(): Promise<void> {
    await this.starting;
    if (this.client.state !== "running") {
      throw new Error(this.client.problem ?? "The language server is not running.");
    }
  }

  private surroundings(): Surroundings {
    return {
      bundled: vscode.Uri.joinPath(this.context.extensionUri, "dist", "server").fsPath,
      storage: this.context.globalStorageUri.fsPath,
      withProgress: (work) => this.withProgress(work),
    };
  }

  private withProgress<T>(work: (report: Report, signal: AbortSignal) => Promise<T>): Promise<T> {
    this.client.setState("installing");
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: "CodeAgent MCP: setting up the language server (once)",
      cancellable: true,
    };
    return Promise.resolve(
      vscode.window.withProgress(options, async (progress, token) => {
        const abort = new AbortController();
        token.onCancellationRequested(() => abort.abort());
        const report: Report = {
          log: (line) => this.output.info(line),
          step: (message) => progress.report({ message }),
        };
        try {
          return await work(report, abort.signal);
        } catch (error) {
          throw abort.signal.aborted ? new Error("Setting up the language server was cancelled.") : error;
        }
      }),
    );
  }
}
