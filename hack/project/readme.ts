/** Reads commands and links from Markdown, so that tests can run and check them. Pure. */

/** A fenced code block. */
export interface Block {
  language: string;
  text: string;
}

/** All fenced code blocks, in order. */
export function blocks(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}

/** The inline commands (`` `kubectl get ginst` ``) of a program. */
export function inlineCommands(markdown: string, program: string): string[] {
  const text = markdown.replace(/^```[\s\S]*?^```$/gm, '');
  const commands = [...text.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command.replace(/\s+/g, ' '));
  return commands.filter((command) => command === program || command.startsWith(`${program} `));
}

/** The targets of links within the project, with their anchors. */
export function linkTargets(markdown: string): string[] {
  const text = markdown.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/** The files that links point to, without anchors. */
export function localLinks(markdown: string): string[] {
  return linkTargets(markdown)
    .map((target) => target.split('#')[0] ?? '')
    .filter((file) => file !== '');
}

/** What a link can point to: the headings, as GitHub generates their anchors, and elements with an id. */
export function anchors(markdown: string): string[] {
  const text = markdown.replace(/^```[\s\S]*?^```$/gm, '');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  const ids = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
  return [...headings, ...ids];
}
