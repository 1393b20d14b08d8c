// Which parts of the sidebar a new set of statuses touches, so that nothing else is drawn again.

import type { ServerStatus } from "../protocol";

export interface Difference {
  /** Servers came, went or changed places: the top of the tree is drawn again. */
  top: boolean;
  /** Servers whose own line, or what is below it, is another now. */
  servers: string[];
}

/** Compares two sets of servers by id. */
export function difference(
  before: ReadonlyMap<string, ServerStatus>,
  after: ReadonlyMap<string, ServerStatus>,
): Difference {
  const names = (map: ReadonlyMap<string, ServerStatus>): string => [...map.keys()].toSorted().join("\0");
  const servers: string[] = [];
  for (const [server, status] of after) {
    const old = before.get(server);
    if (old !== undefined && JSON.stringify(old) !== JSON.stringify(status)) {
      servers.push(server);
    }
  }
  return { top: names(before) !== names(after), servers };
}

/** How many servers are ready, on their way, in need of the user, or failed. */
export interface Tally {
  ready: number;
  starting: number;
  waiting: number;
  failed: number;
  off: number;
}

export function tally(servers: Iterable<ServerStatus>): Tally {
  const counts: Tally = { ready: 0, starting: 0, waiting: 0, failed: 0, off: 0 };
  for (const { state } of servers) {
    switch (state) {
      case "ready":
        counts.ready += 1;
        break;
      case "starting":
        counts.starting += 1;
        break;
      case "untrusted":
      case "needsAuth":
        counts.waiting += 1;
        break;
      case "failed":
        counts.failed += 1;
        break;
      case "stopped":
      case "disabled":
        counts.off += 1;
        break;
    }
  }
  return counts;
}
