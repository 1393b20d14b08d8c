// One output channel per server, filled with its log when it is first shown, and followed from then on.

import * as vscode from "vscode";

import type { Client } from "./client";
import type { LogLine } from "./protocol";
import { visible } from "./text";

const FIRST_LINES = 1000;

export class Logs implements vscode.Disposable {
  private readonly channels = new Map<string, vscode.OutputChannel>();

  constructor(private readonly client: Client) {
    client.onNotification("codeagent/logMessage", (line) => this.append(line));
  }

  /** Shows a server's log. */
  async show(server: string): Promise<void> {
    let channel = this.channels.get(server);
    if (channel === undefined) {
      channel = vscode.window.createOutputChannel(`CodeAgent MCP: ${visible(server, { newlines: false })}`, "log");
      channel.show(true);
      const { lines } = await this.client.request("codeagent.logs", { server, lines: FIRST_LINES, follow: true });
      channel.append(lines.map(written).join(""));
      this.channels.set(server, channel);
      return;
    }
    channel.show(true);
  }

  /** After a restart of the language server: the channels that are open are followed again. */
  async followAgain(): Promise<void> {
    const servers = [...this.channels.keys()];
    await Promise.allSettled(
      servers.map((server) => this.client.request("codeagent.logs", { server, lines: 0, follow: true })),
    );
  }

  dispose(): void {
    this.channels.forEach((channel) => channel.dispose());
  }

  private append(line: LogLine): void {
    if (line.server !== undefined) {
      this.channels.get(line.server)?.append(written(line));
    }
  }
}

function written(line: LogLine): string {
  const time = line.time.replace("T", " ").replace("Z", "");
  return `${time} [${line.source === "stderr" ? "stderr" : line.level}] ${visible(line.text)}\n`;
}
