/** What the README tells people to type, so that tests can type it. Pure. */

/** A fenced block and its language. */
export interface Block {
  language: string;
  text: string;
}

/** All fenced blocks, in order. */
export function blocks(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}

/** Commands in running text and in tables (`` `kubectl get ginst` ``) that begin with the program's name. */
export function inlineCommands(markdown: string, program: string): string[] {
  const text = markdown.replace(/^```[\s\S]*?^```$/gm, '');
  const commands = [...text.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command.replace(/\s+/g, ' '));
  return commands.filter((command) => command === program || command.startsWith(`${program} `));
}

/** Targets of links that lie in the project. */
export function localLinks(markdown: string): string[] {
  return [...markdown.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) => target);
}
