// The panel: a form made from a schema, and below it the progress and the result of what it was sent to.

import Form from "@rjsf/core/lib/components/Form.js";
import { useEffect, useReducer, useRef, useState, type KeyboardEvent } from "react";

import type { JsonObject } from "../protocol";
import type { FromForm, Shown, ToForm } from "./messages";
import { Result, type Actions } from "./result";
import { reduce, START } from "./state";
import { fields, templates, widgets } from "./theme";
import { validator } from "./validator";

export function App({ post }: { post: (message: FromForm) => void }) {
  const [state, dispatch] = useReducer(reduce, START);
  useEffect(() => {
    const take = ({ data }: MessageEvent<ToForm>): void => dispatch(data);
    window.addEventListener("message", take);
    post({ type: "ready" });
    return () => window.removeEventListener("message", take);
  }, [post]);
  const { shown } = state;
  if (shown === undefined) {
    return null;
  }
  const actions: Actions = {
    copy: () => post({ type: "copy" }),
    open: () => post({ type: "open" }),
    compare: () => post({ type: "compare" }),
    readLink: (uri) => post({ type: "readLink", uri }),
  };
  return (
    <>
      <h1>{shown.title}</h1>
      <p className="pale">{shown.subtitle}</p>
      {shown.said !== "" && (
        <figure className="said">
          <figcaption className="pale">The server says:</figcaption>
          <p>{shown.said}</p>
        </figure>
      )}
      <Arguments key={shown.mode} shown={shown} running={state.running} post={post} />
      <div aria-live="polite">
        {state.running && <Progress {...state.progress} />}
        {state.failure !== undefined && (
          <div className="failure" role="alert">
            <strong>{state.failure.message}</strong>
            {state.failure.hint !== undefined && <p>{state.failure.hint}</p>}
          </div>
        )}
        {state.cancelled && <p className="pale">The call was cancelled.</p>}
      </div>
      {state.result !== undefined && <Result key={state.runs} result={state.result} actions={actions} />}
    </>
  );
}

function Progress({ message, percentage }: { message: string; percentage?: number }) {
  return (
    <div className="progress">
      <progress
        max={100}
        {...(percentage === undefined ? {} : { value: percentage })}
        aria-label="Progress of the call"
      />
      <span>{message === "" ? "Running…" : message}</span>
    </div>
  );
}

interface ArgumentsProps {
  shown: Shown;
  running: boolean;
  post: (message: FromForm) => void;
}

function Arguments({ shown, running, post }: ArgumentsProps) {
  const [value, setValue] = useState<JsonObject>(shown.arguments);
  const [text, setText] = useState<string | undefined>(undefined);
  const form = useRef<Form>(null);
  const isTool = shown.mode === "tool";
  const empty = Object.keys(shown.schema["properties"] ?? {}).length === 0;

  const send = (): void => {
    if (text !== undefined) {
      post({ type: "run", arguments: {}, text });
    } else if (form.current === null || form.current.validateForm()) {
      const full = (form.current?.state.formData ?? value) as JsonObject;
      post(isTool ? { type: "run", arguments: full } : { type: "answer", action: "accept", arguments: full });
    }
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !running) {
      event.preventDefault();
      send();
    }
  };
  const fill = (arguments_: JsonObject): void => {
    setValue(arguments_);
    if (text !== undefined) {
      setText(JSON.stringify(arguments_, null, 2));
    }
  };
  const switchMode = (): void => {
    if (text === undefined) {
      setText(JSON.stringify(form.current?.state.formData ?? value, null, 2));
      return;
    }
    try {
      setValue(JSON.parse(text === "" ? "{}" : text) as JsonObject);
    } catch {
      // what is no JSON cannot be shown as a form: the form has what it had before
    }
    setText(undefined);
  };

  return (
    <section aria-label="Arguments" onKeyDown={onKey}>
      {isTool && !(empty && text === undefined) && (
        <div className="bar">
          <History history={shown.history} fill={fill} clear={() => post({ type: "clearHistory" })} />
          <button
            type="button"
            className="vscode-button secondary"
            aria-pressed={text !== undefined}
            onClick={switchMode}
          >
            {text === undefined ? "Edit as JSON" : "Edit as Form"}
          </button>
        </div>
      )}
      {text === undefined ? (
        <Form
          ref={form}
          schema={shown.schema}
          uiSchema={shown.ui}
          formData={value}
          validator={validator}
          templates={templates}
          widgets={widgets}
          fields={fields}
          idPrefix="argument"
          noHtml5Validate
          showErrorList={false}
          focusOnFirstError
          experimental_defaultFormStateBehavior={{ emptyObjectFields: "skipEmptyDefaults" }}
          onChange={({ formData }) => setValue(formData as JsonObject)}
          onSubmit={send}
        >
          {empty ? <p className="pale">{isTool ? "This tool takes no arguments." : ""}</p> : <></>}
        </Form>
      ) : (
        <textarea
          className="vscode-textarea monospace raw"
          aria-label="Arguments as JSON"
          spellCheck={false}
          rows={12}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      <div className="buttons">
        <button type="button" className="vscode-button" disabled={running} onClick={send}>
          {isTool ? "Run" : "Send"}
        </button>
        {isTool ? (
          running && (
            <button type="button" className="vscode-button secondary" onClick={() => post({ type: "cancel" })}>
              Cancel
            </button>
          )
        ) : (
          <>
            <button
              type="button"
              className="vscode-button secondary"
              onClick={() => post({ type: "answer", action: "decline" })}
            >
              Decline
            </button>
            <button
              type="button"
              className="vscode-button secondary"
              onClick={() => post({ type: "answer", action: "cancel" })}
            >
              Cancel
            </button>
          </>
        )}
      </div>
    </section>
  );
}

interface HistoryProps {
  history: Shown["history"];
  fill: (arguments_: JsonObject) => void;
  clear: () => void;
}

function History({ history, fill, clear }: HistoryProps) {
  return (
    <>
      <div className="vscode-select">
        <select
          aria-label="Past arguments"
          value=""
          disabled={history.length === 0}
          onChange={({ target }) => {
            const past = history[Number(target.value)];
            if (past !== undefined) {
              fill(past.arguments);
            }
          }}
        >
          <option value="">{history.length === 0 ? "No past runs" : "Past arguments…"}</option>
          {history.map((past, index) => (
            <option key={index} value={index}>
              {past.label} ({past.when})
            </option>
          ))}
        </select>
        <span className="chevron-icon" aria-hidden="true">
          ⌄
        </span>
      </div>
      {history.length > 0 && (
        <button type="button" className="vscode-button secondary" onClick={clear}>
          Forget Past Runs
        </button>
      )}
    </>
  );
}
