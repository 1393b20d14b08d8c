// Generated from server/codeagent_lsp/protocol by `make mirror`: do not edit.

/** `experimental.codeagent.protocol`, both ways. */
export const PROTOCOL_VERSION = 1;

/** A JSON object that passes through untouched. */
export type JsonObject = Record<string, unknown>;

export type State = "disabled" | "untrusted" | "starting" | "ready" | "needsAuth" | "failed" | "stopped";

export type Scope = "user" | "project";

export type Transport = "stdio" | "http" | "sse";

export type Trust = "session" | "always" | "denied" | "needed";

export type Capability = "read" | "network" | "write" | "destructive" | "unknown";

export type ToolKind = "tool" | "listResources" | "readResource" | "listPrompts" | "getPrompt";

export type ToolApproval = "auto" | "ask" | "granted" | "denied";

export type Severity = "error" | "warning" | "information" | "hint";

export type LogSource = "stderr" | "server" | "host";

export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** A place in a text document: zero-based line, and character in the negotiated position encoding. */
export interface Position {
  line: number;
  character: number;
}

/** A stretch of a text document; `end` is exclusive. */
export interface Range {
  start: Position;
  end: Position;
}

/** Why a server is not usable: a kind from the error table, a message, and what is known of the process. */
export interface ServerError {
  kind: string;
  message: string;
  hint?: string;
  exitCode?: number;
  stderrTail?: string[];
}

/** Which of a server's lists could not be read, and why. */
export interface ListErrors {
  tools?: string;
  resources?: string;
  prompts?: string;
}

/** One MCP server as an editor shows it. `server` is its id: the name in the config file. */
export interface ServerStatus {
  server: string;
  name: string;
  scope: Scope;
  configUri: string;
  transport: Transport;
  state: State;
  folder?: string;
  detail?: string;
  error?: ServerError;
  protocolVersion?: string;
  serverInfo?: JsonObject;
  instructions?: string;
  capabilities: string[];
  tools: number;
  disabledTools: number;
  resources: number;
  resourceTemplates: number;
  prompts: number;
  listErrors?: ListErrors;
  pid?: number;
  startedAt?: string;
  restarts: number;
  nextRetryAt?: string;
  fingerprint?: string;
  trust?: Trust;
}

/** One thing that is wrong in a config file, with its place. */
export interface ConfigProblem {
  range: Range;
  severity: Severity;
  message: string;
}

/** One of the config files that are read, whether it exists or not. */
export interface ConfigFile {
  uri: string;
  scope: Scope;
  exists: boolean;
  problems: ConfigProblem[];
}

/** A tool as an agent or editor sees it: a safe name, a sanitised schema, and what calling it means. */
export interface Tool {
  name: string;
  server: string;
  tool: string;
  kind: ToolKind;
  description: string;
  inputSchema: JsonObject;
  capability: Capability;
  approval: ToolApproval;
  enabled: boolean;
  title?: string;
  outputSchema?: JsonObject;
  annotations?: JsonObject;
}

/** What a tool answered. `isError` is the tool's own word, and no failure of the call. */
export interface CallResult {
  server: string;
  tool: string;
  isError: boolean;
  text: string;
  content: JsonObject[];
  durationMs: number;
  structuredContent?: unknown;
  warnings?: string[];
}

/** A resource of a server. `uri` is the server's own string, byte for byte. */
export interface Resource {
  server: string;
  uri: string;
  name: string;
  documentUri: string;
  mention: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
  annotations?: JsonObject;
}

/** A template of resource URIs (RFC 6570). */
export interface ResourceTemplate {
  server: string;
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  annotations?: JsonObject;
}

/** One part of a resource that was read: text, or a blob in base64. `size` counts bytes. */
export interface ResourceContents {
  uri: string;
  mimeType: string;
  size: number;
  text?: string;
  blob?: string;
}

/** One argument that a prompt takes. */
export interface PromptArgument {
  name: string;
  required: boolean;
  description?: string;
}

/** A prompt of a server. */
export interface Prompt {
  server: string;
  name: string;
  arguments: PromptArgument[];
  title?: string;
  description?: string;
}

/** One message of a prompt. */
export interface PromptMessage {
  role: string;
  content: JsonObject;
}

/** One line of a log. `time` is RFC 3339 in UTC; `server` is missing on lines of the host itself. */
export interface LogLine {
  time: string;
  source: LogSource;
  level: string;
  text: string;
  server?: string;
}

/** A standing decision of the user: a server's launch, or calls of one tool. */
export interface Approval {
  id: string;
  kind: "server" | "tool";
  server: string;
  scope: string;
  since: string;
  tool?: string;
}

/** One `@server:uri` in a text, with what it stands for. */
export interface Mention {
  range: Range;
  server: string;
  uri: string;
  contents?: ResourceContents[];
  error?: string;
}

/** A command that takes nothing. */
export type NoParams = Record<string, never>;

/** A command about one server. */
export interface ServerParams {
  server: string;
}

/** Switch a server, or one of its tools, on or off for this workspace. */
export interface SetEnabledParams {
  server: string;
  enabled: boolean;
  tool?: string;
}

/** Read the log of one server, or of all; `lines` at most, and later ones too with `follow`. */
export interface LogsParams {
  server?: string;
  /** 200 unless given. */
  lines?: number;
  /** false unless given. */
  follow?: boolean;
}

/** Ask a server for log messages from this level on. */
export interface SetLogLevelParams {
  server: string;
  level: LogLevel;
}

/** List tools, of one server or of all. `waitMs`: how long to wait for servers that are still starting. */
export interface ListToolsParams {
  server?: string;
  /** 8000 unless given. */
  waitMs?: number;
  /** false unless given. */
  includeDisabled?: boolean;
}

/** Call a tool, by its full name or by server and tool. `arguments` reach the server untouched. */
export interface CallToolParams {
  name?: string;
  server?: string;
  tool?: string;
  arguments?: unknown;
  timeoutMs?: number;
}

/** Ask for the tools again if anything has changed since `revision`. */
export interface RefreshToolsParams {
  revision: number;
}

/** List resources or prompts, of one server or of all. */
export interface ListParams {
  server?: string;
  /** 8000 unless given. */
  waitMs?: number;
}

/** Read a resource, by server and URI or by a mention `@server:uri`. */
export interface ReadResourceParams {
  server?: string;
  uri?: string;
  mention?: string;
}

/** A command about one resource. */
export interface ResourceParams {
  server: string;
  uri: string;
}

/** Run a call that stands in an open document; `index` counts the calls of the document from 0. */
export interface RunCallParams {
  uri: string;
  /** 0 unless given. */
  index?: number;
}

/** Get a prompt, filled with arguments. */
export interface GetPromptParams {
  server: string;
  name: string;
  arguments?: JsonObject;
}

/** What an argument belongs to: a prompt by name, or a resource template by its URI template. */
export interface CompletionRef {
  prompt?: string;
  template?: string;
}

/** An argument and what the user has typed of it. */
export interface ArgumentValue {
  name: string;
  value: string;
}

/** Ask a server for values of an argument. */
export interface CompleteArgumentParams {
  server: string;
  ref: CompletionRef;
  argument: ArgumentValue;
  context?: JsonObject;
}

/** A document that is open in the editor. */
export interface TextDocumentId {
  uri: string;
  version?: number;
}

/** Find the mentions in a text, or in a stretch of an open document, and read what they stand for. */
export interface ResolveMentionsParams {
  text?: string;
  textDocument?: TextDocumentId;
  range?: Range;
}

/** Decide about one launch of a server, named by its fingerprint. */
export interface SetTrustParams {
  server: string;
  fingerprint: string;
  decision: "session" | "always" | "deny" | "reset";
}

/** Take one standing decision back. */
export interface RevokeApprovalParams {
  id: string;
}

/** Preview what importing servers from another tool's file would write. */
export interface ImportConfigParams {
  uri: string;
  servers?: string[];
}

/** Nothing to say: it is done. */
export type Done = Record<string, never>;

/** Every server, and every config file. */
export interface Status {
  revision: number;
  servers: ServerStatus[];
  files: ConfigFile[];
}

/** Log lines, oldest first. */
export interface Logs {
  lines: LogLine[];
}

/** Tools; `pending` names the servers that had not come up in time. */
export interface ToolList {
  revision: number;
  complete: boolean;
  pending: string[];
  tools: Tool[];
}

/** The tools again, if they have changed; else only that they have not. */
export interface RefreshedTools {
  changed: boolean;
  revision: number;
  tools?: Tool[];
  instructions?: string;
}

/** Resources and templates; `pending` names the servers that had not come up in time. */
export interface ResourceList {
  revision: number;
  complete: boolean;
  pending: string[];
  resources: Resource[];
  templates: ResourceTemplate[];
}

/** A resource that was read; `documentUri` opens it in the editor. */
export interface ReadResource {
  server: string;
  uri: string;
  documentUri: string;
  contents: ResourceContents[];
}

/** Prompts; `pending` names the servers that had not come up in time. */
export interface PromptList {
  revision: number;
  complete: boolean;
  pending: string[];
  prompts: Prompt[];
}

/** A prompt, filled in: its messages, and all of them as one text. */
export interface FilledPrompt {
  messages: PromptMessage[];
  text: string;
  description?: string;
}

/** Values for an argument. */
export interface Completion {
  values: string[];
  hasMore: boolean;
  total?: number;
}

/** What the servers say about their own use: one text, and each server's part. */
export interface Instructions {
  text: string;
  servers: Record<string, string>;
}

/** The block that an agent puts into the uncached part of its system prompt. */
export interface PromptSection {
  revision: number;
  text: string;
}

/** The mentions of a text. */
export interface Mentions {
  mentions: Mention[];
}

/** Whether the editor showed a resource's document. */
export interface ShownResource {
  shown: boolean;
}

/** The result of a call that stood in a document: the document that shows it, and its text. */
export interface RanCall {
  documentUri: string;
  isError: boolean;
  text: string;
}

/** Every standing decision. */
export interface Approvals {
  approvals: Approval[];
}

/** What an import would write, as an LSP WorkspaceEdit, and what it could not carry. */
export interface ImportPreview {
  edit: JsonObject;
  notes: string[];
}

/** Servers whose status is no longer what it was. */
export interface StatusChanged {
  revision: number;
  servers: ServerStatus[];
}

/** A server's tools are others now; names are full tool names (`mcp__server__tool`). */
export interface ToolsChanged {
  revision: number;
  server: string;
  added: string[];
  removed: string[];
  changed: string[];
}

/** A server's resources or templates are others now. */
export interface ResourcesChanged {
  revision: number;
  server: string;
}

/** A server's prompts are others now. */
export interface PromptsChanged {
  revision: number;
  server: string;
}

/** A subscribed resource has new content. */
export interface ResourceUpdated {
  server: string;
  uri: string;
  documentUri: string;
}

/** From the editor: whether the user trusts the workspace, as a whole or by folder URI. */
export interface WorkspaceTrustChanged {
  workspaceTrust: boolean | Record<string, boolean>;
}

/** A name and its value as it is shown: hidden characters visible, secrets redacted. */
export interface NamedValue {
  name: string;
  value: string;
}

/** What differs from what the user had approved. */
export interface FieldChange {
  field: string;
  before: string;
  after: string;
}

/** May this server start? Every text is plain, whole, and has its hidden characters visible. */
export interface ApproveServerParams {
  server: string;
  name: string;
  configUri: string;
  fingerprint: string;
  transport: Transport;
  warnings: string[];
  folder?: string;
  argv?: string[];
  resolvedCommand?: string;
  cwd?: string;
  env?: NamedValue[];
  url?: string;
  headers?: NamedValue[];
  files?: string[];
  changed?: FieldChange[];
}

/** May this call run? `scopes` are the answers, besides `deny`, that the policy would take. */
export interface ApproveCallParams {
  server: string;
  tool: string;
  description: string;
  arguments: JsonObject;
  capability: Capability;
  warnings: string[];
  scopes: string[];
  title?: string;
  changed?: FieldChange[];
}

/** A server asks the user for something: a form by JSON Schema, or a visit to a URL. */
export interface ElicitParams {
  server: string;
  mode: "form" | "url";
  message: string;
  schema?: JsonObject;
  url?: string;
}

/** A value for `${input:id}` in a config file. */
export interface InputParams {
  id: string;
  description: string;
  password: boolean;
  default?: string;
  options?: string[];
}

/** The answer to `approveServer`. */
export interface ServerDecision {
  decision: "session" | "always" | "deny";
}

/** The answer to `approveCall`. */
export interface CallDecision {
  decision: "once" | "session" | "workspace" | "always" | "deny";
}

/** The answer to `elicit`. */
export interface ElicitAnswer {
  action: "accept" | "decline" | "cancel";
  content?: JsonObject;
}

/** The answer to `input`. */
export interface InputAnswer {
  value: string;
}

export type ErrorKind = 
  | "invalidParams"
  | "unknownServer"
  | "unknownTool"
  | "unknownResource"
  | "unknownPrompt"
  | "untrusted"
  | "denied"
  | "disabled"
  | "notReady"
  | "needsAuth"
  | "timeout"
  | "exited"
  | "spawnFailed"
  | "protocol"
  | "transport"
  | "transport"
  | "tooLarge"
  | "serverError"
  | "stale";

/** What the `data` of an error says. */
export interface ErrorData {
  kind: ErrorKind;
  server?: string;
  tool?: string;
  hint?: string;
  setting?: string;
  mayHaveTakenEffect?: boolean;
}

/** What each command takes and answers. */
export interface Commands {
  /** Every server and every config file. */
  "codeagent.status": { params: NoParams; result: Status };
  /** Start a server. */
  "codeagent.start": { params: ServerParams; result: ServerStatus };
  /** Stop a server. */
  "codeagent.stop": { params: ServerParams; result: ServerStatus };
  /** Stop and start a server. */
  "codeagent.restart": { params: ServerParams; result: ServerStatus };
  /** Switch a server or a tool on or off for this workspace; the config file is not touched. */
  "codeagent.setEnabled": { params: SetEnabledParams; result: ServerStatus };
  /** Read every config file again; unchanged servers keep their process. */
  "codeagent.reload": { params: NoParams; result: Status };
  /** The last lines of a server's log, or of all. */
  "codeagent.logs": { params: LogsParams; result: Logs };
  /** How much a server shall log. */
  "codeagent.setLogLevel": { params: SetLogLevelParams; result: Done };
  /** The tools. */
  "codeagent.listTools": { params: ListToolsParams; result: ToolList };
  /** Call a tool. */
  "codeagent.callTool": { params: CallToolParams; result: CallResult };
  /** Run a call that stands in an open document, and show its result. */
  "codeagent.runCall": { params: RunCallParams; result: RanCall };
  /** The tools again, if anything has changed since a revision. */
  "codeagent.refreshTools": { params: RefreshToolsParams; result: RefreshedTools };
  /** The resources and templates. */
  "codeagent.listResources": { params: ListParams; result: ResourceList };
  /** Read a resource. */
  "codeagent.readResource": { params: ReadResourceParams; result: ReadResource };
  /** Be told when a resource changes. */
  "codeagent.subscribeResource": { params: ResourceParams; result: Done };
  /** Be told no longer when a resource changes. */
  "codeagent.unsubscribeResource": { params: ResourceParams; result: Done };
  /** Show a resource's document in the editor, or a file with its text where the editor has no such documents. */
  "codeagent.openResource": { params: ResourceParams; result: ShownResource };
  /** The prompts. */
  "codeagent.listPrompts": { params: ListParams; result: PromptList };
  /** Fill in a prompt. */
  "codeagent.getPrompt": { params: GetPromptParams; result: FilledPrompt };
  /** Values for an argument of a prompt or a resource template. */
  "codeagent.completeArgument": { params: CompleteArgumentParams; result: Completion };
  /** What the servers say about their own use. */
  "codeagent.instructions": { params: NoParams; result: Instructions };
  /** Tool catalogue and instructions, as a block for a system prompt. */
  "codeagent.promptSection": { params: NoParams; result: PromptSection };
  /** The mentions in a text, with what they stand for. */
  "codeagent.resolveMentions": { params: ResolveMentionsParams; result: Mentions };
  /** Decide whether a project's server may start. */
  "codeagent.setTrust": { params: SetTrustParams; result: ServerStatus };
  /** Every standing decision of the user. */
  "codeagent.listApprovals": { params: NoParams; result: Approvals };
  /** Take a decision back. */
  "codeagent.revokeApproval": { params: RevokeApprovalParams; result: Done };
  /** Sign in to a server. */
  "codeagent.signIn": { params: ServerParams; result: ServerStatus };
  /** Sign out of a server. */
  "codeagent.signOut": { params: ServerParams; result: ServerStatus };
  /** The entry that is in force: each value, its file, secrets redacted. */
  "codeagent.effectiveConfig": { params: ServerParams; result: JsonObject };
  /** Preview an import from another tool's config file. */
  "codeagent.importConfig": { params: ImportConfigParams; result: ImportPreview };
}

/** What the server tells, by method. */
export interface Notifications {
  /** The status of servers has changed. */
  "codeagent/statusChanged": StatusChanged;
  /** A server's tools have changed. */
  "codeagent/toolsChanged": ToolsChanged;
  /** A server's resources have changed. */
  "codeagent/resourcesChanged": ResourcesChanged;
  /** A server's prompts have changed. */
  "codeagent/promptsChanged": PromptsChanged;
  /** A subscribed resource has changed. */
  "codeagent/resourceUpdated": ResourceUpdated;
  /** A log line, after `logs` with `follow`. */
  "codeagent/logMessage": LogLine;
}

/** What the server asks, by method. */
export interface Questions {
  /** May this server start? */
  "codeagent/approveServer": { params: ApproveServerParams; result: ServerDecision | null };
  /** May this call run? */
  "codeagent/approveCall": { params: ApproveCallParams; result: CallDecision | null };
  /** A server asks the user. */
  "codeagent/elicit": { params: ElicitParams; result: ElicitAnswer | null };
  /** A server asks the editor's model. */
  "codeagent/sample": { params: JsonObject; result: JsonObject | null };
  /** A value for the config. */
  "codeagent/input": { params: InputParams; result: InputAnswer | null };
}

export const Command = {
  status: "codeagent.status",
  start: "codeagent.start",
  stop: "codeagent.stop",
  restart: "codeagent.restart",
  setEnabled: "codeagent.setEnabled",
  reload: "codeagent.reload",
  logs: "codeagent.logs",
  setLogLevel: "codeagent.setLogLevel",
  listTools: "codeagent.listTools",
  callTool: "codeagent.callTool",
  runCall: "codeagent.runCall",
  refreshTools: "codeagent.refreshTools",
  listResources: "codeagent.listResources",
  readResource: "codeagent.readResource",
  subscribeResource: "codeagent.subscribeResource",
  unsubscribeResource: "codeagent.unsubscribeResource",
  openResource: "codeagent.openResource",
  listPrompts: "codeagent.listPrompts",
  getPrompt: "codeagent.getPrompt",
  completeArgument: "codeagent.completeArgument",
  instructions: "codeagent.instructions",
  promptSection: "codeagent.promptSection",
  resolveMentions: "codeagent.resolveMentions",
  setTrust: "codeagent.setTrust",
  listApprovals: "codeagent.listApprovals",
  revokeApproval: "codeagent.revokeApproval",
  signIn: "codeagent.signIn",
  signOut: "codeagent.signOut",
  effectiveConfig: "codeagent.effectiveConfig",
  importConfig: "codeagent.importConfig",
} as const;

export const Notification = {
  statusChanged: "codeagent/statusChanged",
  toolsChanged: "codeagent/toolsChanged",
  resourcesChanged: "codeagent/resourcesChanged",
  promptsChanged: "codeagent/promptsChanged",
  resourceUpdated: "codeagent/resourceUpdated",
  logMessage: "codeagent/logMessage",
} as const;

export const Question = {
  approveServer: "codeagent/approveServer",
  approveCall: "codeagent/approveCall",
  elicit: "codeagent/elicit",
  sample: "codeagent/sample",
  input: "codeagent/input",
} as const;

/** Sent by the editor, with `WorkspaceTrustChanged`. */
export const WORKSPACE_TRUST_CHANGED = "codeagent/workspaceTrustChanged";

/** What `clientFeatures` may name. */
export const CLIENT_FEATURES = ["approveServer", "approveCall", "elicit", "sample", "input"] as const;
