// The language client: typed requests to the server, its notifications as events, and its questions.

import * as vscode from "vscode";
import {
  ExecuteCommandRequest,
  LanguageClient,
  ResponseError,
  State,
  WorkDoneProgress,
  type InitializeResult,
  type StaticFeature,
} from "vscode-languageclient/node";

import type { ServerCommand } from "./install/locate";
import { whyNotStarted } from "./model/words";
import {
  CLIENT_FEATURES,
  PROTOCOL_VERSION,
  WORKSPACE_TRUST_CHANGED,
  type Commands,
  type Notifications,
  type Questions,
} from "./protocol";

export type HostState = "off" | "installing" | "starting" | "running" | "failed";

export interface Progress {
  message?: string;
  /** 0 to 100. */
  percentage?: number;
}

export interface RequestOptions {
  token?: vscode.CancellationToken;
  onProgress?: (progress: Progress) => void;
}

/** A request that failed, in the server's words, with what it says about the failure. */
export class HostError extends Error {
  constructor(
    message: string,
    readonly kind: string,
    readonly hint: string | undefined,
    readonly mayHaveTakenEffect: boolean,
  ) {
    super(message);
  }
}

export class Client implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private readonly stateChange = new vscode.EventEmitter<HostState>();
  private readonly handlers: ((client: LanguageClient) => void)[] = [];
  private current: HostState = "off";
  private tokens = 0;

  readonly onDidChangeState = this.stateChange.event;
  /** Why the state is `failed`. */
  problem: string | undefined;

  /** `features`: what the client can do besides answering questions. */
  constructor(
    private readonly output: vscode.LogOutputChannel,
    private readonly features: readonly string[] = [],
  ) {}

  get state(): HostState {
    return this.current;
  }

  setState(state: HostState, problem?: string): void {
    this.problem = problem;
    this.current = state;
    this.stateChange.fire(state);
  }

  /** To be told of a notification; call before `start`. */
  onNotification<M extends keyof Notifications>(method: M, handler: (params: Notifications[M]) => void): void {
    this.handlers.push((client) => client.onNotification(method, handler));
  }

  /** To answer a question; `null` is a no. Call before `start`. */
  onQuestion<M extends keyof Questions>(
    method: M,
    answer: (params: Questions[M]["params"], token: vscode.CancellationToken) => Promise<Questions[M]["result"]>,
  ): void {
    this.handlers.push((client) =>
      client.onRequest(method, answer as (params: unknown, token: vscode.CancellationToken) => unknown),
    );
  }

  /** Starts the server, and resolves when it has answered `initialize`. */
  async start(server: ServerCommand): Promise<void> {
    await this.stop();
    this.setState("starting");
    const client = new QuietClient(
      "codeagent",
      "CodeAgent MCP",
      { command: server.command, args: server.args, options: { cwd: server.cwd, env: server.env } },
      {
        documentSelector: [{ scheme: "file" }, { scheme: "untitled" }, { scheme: "vscode-scm" }],
        outputChannel: this.output,
        initializationOptions: () => ({
          clientFeatures: [...CLIENT_FEATURES, ...this.features],
          workspaceTrust: vscode.workspace.isTrusted,
          variables: server.variables,
          settings: serverSettings(),
        }),
        initializationFailedHandler: () => false,
        markdown: { isTrusted: false, supportHtml: false },
        synchronize: { configurationSection: "codeagent" },
      },
    );
    client.registerFeature(protocolVersion());
    this.handlers.forEach((register) => register(client));
    client.onDidChangeState(({ newState }) => this.follow(client, newState));
    this.client = client;
    try {
      await client.start();
      checkVersion(client.initializeResult);
    } catch (error) {
      await client.stop(2_000).catch(() => undefined);
      this.client = undefined;
      const message = error instanceof Error ? error.message : String(error);
      this.setState("failed", whyNotStarted(message, server.command));
      return;
    }
    this.setState("running");
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client !== undefined) {
      await client.dispose(5_000).catch(() => undefined);
      this.setState("off");
    }
  }

  /** One workspace command of the server. Raises `HostError`, or `vscode.CancellationError`. */
  async request<C extends keyof Commands>(
    command: C,
    params: Commands[C]["params"],
    options: RequestOptions = {},
  ): Promise<Commands[C]["result"]> {
    const client = this.client;
    if (client === undefined || this.current !== "running") {
      throw new HostError("The language server is not running.", "notReady", undefined, false);
    }
    const workDoneToken = `codeagent-vscode-${(this.tokens += 1)}`;
    const listening =
      options.onProgress === undefined
        ? undefined
        : client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => options.onProgress?.(value as Progress));
    try {
      const sent = { command, arguments: [params], ...(listening === undefined ? {} : { workDoneToken }) };
      return (await client.sendRequest(ExecuteCommandRequest.type, sent, options.token)) as Commands[C]["result"];
    } catch (error) {
      throw asHostError(error, options.token);
    } finally {
      listening?.dispose();
    }
  }

  /** Tells the server that the user has come to trust the workspace. */
  async trustChanged(): Promise<void> {
    await this.client?.sendNotification(WORKSPACE_TRUST_CHANGED, { workspaceTrust: vscode.workspace.isTrusted });
  }

  /** Makes what the server sends as LSP into VS Code's own. */
  get converter(): LanguageClient["protocol2CodeConverter"] | undefined {
    return this.client?.protocol2CodeConverter;
  }

  dispose(): void {
    void this.stop();
    this.stateChange.dispose();
  }

  private follow(client: LanguageClient, state: State): void {
    if (client !== this.client) {
      return;
    }
    if (state === State.Running && this.current !== "running" && client.initializeResult !== undefined) {
      this.setState("running"); // it was restarted after a crash
    } else if (state === State.Stopped && this.current === "running") {
      this.setState("failed", "The language server has stopped.");
    }
  }
}

/** The settings that the server reads; it asks for them again when they change. */
function serverSettings(): Record<string, unknown> {
  const settings = vscode.workspace.getConfiguration("codeagent");
  return Object.fromEntries(["alsoRead", "completeArguments"].map((name) => [name, settings.get(name)]));
}

/** A language client whose errors go to the log: what the user has to know, we say ourselves. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** `experimental.codeagent.protocol`, our way. */
function protocolVersion(): StaticFeature {
  return {
    fillClientCapabilities: (capabilities) => {
      const others = (capabilities.experimental ?? {}) as object;
      capabilities.experimental = { ...others, codeagent: { protocol: PROTOCOL_VERSION } };
    },
    initialize: () => undefined,
    getState: () => ({ kind: "static" }),
    clear: () => undefined,
  };
}

function checkVersion(result: InitializeResult | undefined): void {
  const experimental = result?.capabilities.experimental as { codeagent?: { protocol?: number } } | undefined;
  const theirs = experimental?.codeagent?.protocol;
  if (theirs !== undefined && theirs !== PROTOCOL_VERSION) {
    throw new Error(
      `The language server speaks protocol ${theirs}, this extension ${PROTOCOL_VERSION}. Update the older of the two.`,
    );
  }
}

function asHostError(error: unknown, token: vscode.CancellationToken | undefined): Error {
  if (token?.isCancellationRequested === true || (error instanceof ResponseError && error.code === -32800)) {
    return new vscode.CancellationError();
  }
  if (error instanceof ResponseError) {
    const data = (error.data ?? {}) as { kind?: string; hint?: string; mayHaveTakenEffect?: boolean };
    return new HostError(error.message, data.kind ?? "serverError", data.hint, data.mayHaveTakenEffect === true);
  }
  const message = error instanceof Error ? error.message : String(error);
  return new HostError(`The language server did not answer: ${message}`, "exited", undefined, true);
}
