// A language model for tests, in workspaces that have a model.txt only: it answers with the words that it was given.
const vscode = require("vscode");

const PARROT = { id: "parrot", name: "Parrot", family: "parrot", version: "1", maxInputTokens: 1000, maxOutputTokens: 1000 };

exports.activate = ({ subscriptions }) => {
  const provider = {
    async provideLanguageModelChatInformation() {
      const found = await vscode.workspace.findFiles("model.txt");
      return found.length > 0 ? [{ ...PARROT, isUserSelectable: true, capabilities: {} }] : [];
    },
    async provideLanguageModelChatResponse(_model, messages, _options, progress) {
      const words = messages.flatMap(({ content }) => content).map((part) => part.value);
      progress.report(new vscode.LanguageModelTextPart(`You said: ${words.join(" ")}`));
    },
    provideTokenCount: async () => 1,
  };
  subscriptions.push(vscode.lm.registerLanguageModelChatProvider("parrot", provider));
};
