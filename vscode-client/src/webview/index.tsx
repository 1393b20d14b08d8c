// Starts the form in its webview.

import { createRoot } from "react-dom/client";

import { App } from "./app";
import type { FromForm } from "./messages";
import "./style.css";

declare function acquireVsCodeApi(): { postMessage(message: FromForm): void };

const editor = acquireVsCodeApi();
const post = (message: FromForm): void => editor.postMessage(message);
const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(<App post={post} />);
}
