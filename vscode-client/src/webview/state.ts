// What the panel shows, as one value that messages from the extension change.

import type { ResultShown, Shown, ToForm } from "./messages";

export interface State {
  shown?: Shown;
  running: boolean;
  progress: { message: string; percentage?: number };
  result?: ResultShown;
  failure?: { message: string; hint?: string };
  cancelled: boolean;
  /** How many results there were: each is drawn anew. */
  runs: number;
}

export const START: State = { running: false, progress: { message: "" }, cancelled: false, runs: 0 };

export function reduce(state: State, message: ToForm): State {
  switch (message.type) {
    case "show": {
      const { type: _, ...shown } = message;
      return { ...state, shown };
    }
    case "history":
      return state.shown === undefined ? state : { ...state, shown: { ...state.shown, history: message.history } };
    case "running": {
      const { result: _result, failure: _failure, ...rest } = state;
      return { ...rest, running: true, progress: { message: "" }, cancelled: false };
    }
    case "progress": {
      const { type: _, ...progress } = message;
      return state.running ? { ...state, progress } : state;
    }
    case "result":
      return { ...state, running: false, result: message.result, runs: state.runs + 1 };
    case "failed": {
      const { type: _, ...failure } = message;
      return { ...state, running: false, failure };
    }
    case "cancelled":
      return { ...state, running: false, cancelled: true };
  }
}
