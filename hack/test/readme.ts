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

/** Targets of links that lie in the project, with their anchors. */
export function linkTargets(markdown: string): string[] {
  const text = markdown.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/** The files that links lead to, without anchors. */
export function localLinks(markdown: string): string[] {
  return linkTargets(markdown)
    .map((target) => target.split('#')[0] ?? '')
    .filter((file) => file !== '');
}

/** The anchors of a document's headings, as GitHub forms them. */
export function headings(markdown: string): string[] {
  const text = markdown.replace(/^```[\s\S]*?^```$/gm, '');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
