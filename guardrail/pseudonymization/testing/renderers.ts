/** Test support: finds the addresses that real renderers of Markdown and HTML load automatically. */
import { HtmlRenderer, Parser } from 'commonmark';
import { marked } from 'marked';
import { parse, parseFragment, type DefaultTreeAdapterTypes } from 'parse5';

const CLIENT = 'https://client.example/';

/** The addresses at other hosts that are loaded when a text is rendered: as Markdown by two renderers, and as HTML. */
export function foreignLoads(text: string): string[] {
  const markdown = new HtmlRenderer().render(new Parser().parse(text));
  const documents = [text, markdown, marked.parse(text, { async: false })];
  return documents.flatMap((html) => [...loadsOf(parse(html)), ...loadsOf(parseFragment(html))]).filter(isForeign);
}

function isForeign(address: string): boolean {
  const url = URL.parse(address, CLIENT);
  return url !== null && url.host !== '' && url.origin !== new URL(CLIENT).origin;
}

type Node = DefaultTreeAdapterTypes.Node;

function loadsOf(node: Node): string[] {
  const children = 'childNodes' in node ? node.childNodes : [];
  const inside = 'content' in node ? [node.content, ...children] : children;
  const own = 'attrs' in node ? node.attrs.flatMap(({ name, value }) => loadsOfAttribute(node, name, value)) : [];
  const sheet = node.nodeName === 'style' ? children.flatMap((child) => ('value' in child ? child.value : [])) : [];
  return [...own, ...sheet.flatMap(loadsOfCss), ...inside.flatMap(loadsOf)];
}

const LOADING = new Set(
  'img image source video audio track embed object iframe input script link base use body table td feimage'.split(' '),
);

/** Finds more than browsers load: does not check which attribute belongs to which element. */
function loadsOfAttribute(node: DefaultTreeAdapterTypes.Element, name: string, value: string): string[] {
  if (!LOADING.has(node.tagName.toLowerCase())) return loadsOfCss(value);
  if (name === 'srcset') return value.split(/[\s,]+/);
  if (name === 'srcdoc') return foreignLoads(value);
  return ['src', 'href', 'poster', 'data', 'background'].includes(name) ? [value] : loadsOfCss(value);
}

function loadsOfCss(css: string): string[] {
  return Array.from(css.matchAll(/url\(\s*["']?([^"')]*)/gi), ([, address = '']) => address);
}
