import { JsonStrings, type SavedStrings, type StringSink } from '../../messages/messages.ts';
import { innermost, type AddressReader, type Place } from './contract.ts';
import { BbCodeReader, type SavedBbCode } from './bbCode.ts';
import { DiagramReader, type SavedDiagrams } from './diagrams.ts';
import { HtmlReader, type SavedHtml } from './html.ts';
import { MarkdownReader, type SavedMarkdown } from './markdown.ts';
import { TextileReader, type SavedTextile } from './textile.ts';

export { Place } from './contract.ts';

/** The state of {@link LoadedAddresses}. May contain parts of the restored text. */
export interface SavedAddresses {
  readonly levels: readonly SavedLevel[];
  readonly strings: SavedStrings;
}

interface SavedLevel {
  readonly markdown: SavedMarkdown;
  readonly html: SavedHtml;
  readonly bbCode: SavedBbCode;
  readonly textile: SavedTextile;
  readonly diagrams: SavedDiagrams;
}

/**
 * Finds the addresses in a text that a renderer loads automatically, such as those of images in Markdown, HTML, BBCode and
 * Textile, and those in diagrams and scripts. A value in such an address is sent to its host when the text is displayed, and a prompt injection can make a model
 * write the address.
 *
 * The result for a place depends only on the text before it, so a stream gives the same results. Where renderers
 * differ, an address counts if one of them loads it. Time is linear in the text.
 */
export class LoadedAddresses implements StringSink {
  private readonly levels: Level[];
  private readonly strings: JsonStrings;

  /** @param saved the state from which to continue, as JSON */
  constructor(saved?: SavedAddresses) {
    this.levels = saved?.levels.map((level) => new Level(level)) ?? [new Level()];
    this.strings = new JsonStrings(this, saved?.strings);
  }

  /** For the reader of JSON strings. */
  begin(depth: number): void {
    this.levels[depth] = new Level();
  }

  /** For the reader of JSON strings. */
  content(depth: number, unit: number): void {
    this.levels[depth]?.feed(unit);
  }

  /** @returns the state, which can be written as JSON */
  save(): SavedAddresses {
    return { levels: this.openLevels().map((level) => level.save()), strings: this.strings.save() };
  }

  feed(text: string): void {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      this.levels[0]?.feed(unit);
      this.strings.feed(unit);
    }
  }

  /** The position of the next character, in the text itself and in the JSON strings that contain it. */
  get place(): Place {
    return innermost(this.openLevels());
  }

  beginsAddress(unit: number): boolean {
    return this.openLevels().some((level) => level.markdown.beginsAddress(unit));
  }

  private openLevels(): Level[] {
    return this.levels.slice(0, this.strings.depth + 1);
  }
}

/** The text itself, or the content of a JSON string in it. */
class Level implements AddressReader {
  readonly markdown: MarkdownReader;
  private readonly html: HtmlReader;
  private readonly bbCode: BbCodeReader;
  private readonly textile: TextileReader;
  private readonly diagrams: DiagramReader;

  constructor(saved?: SavedLevel) {
    this.markdown = saved ? MarkdownReader.of(saved.markdown) : new MarkdownReader();
    this.html = saved ? HtmlReader.of(saved.html) : new HtmlReader();
    this.bbCode = saved ? BbCodeReader.of(saved.bbCode) : new BbCodeReader();
    this.textile = saved ? TextileReader.of(saved.textile) : new TextileReader();
    this.diagrams = saved ? DiagramReader.of(saved.diagrams) : new DiagramReader();
  }

  save(): SavedLevel {
    const { markdown, html, bbCode, textile, diagrams } = this;
    return {
      markdown: markdown.save(),
      html: html.save(),
      bbCode: bbCode.save(),
      textile: textile.save(),
      diagrams: diagrams.save(),
    };
  }

  get place(): Place {
    return innermost([this.markdown, this.html, this.bbCode, this.textile, this.diagrams]);
  }

  feed(unit: number): void {
    this.markdown.feed(unit);
    this.html.feed(unit);
    this.bbCode.feed(unit);
    this.textile.feed(unit);
    this.diagrams.feed(unit);
  }
}

/** An image of BBCode or Textile, or a diagram. */
const MARKUP = /\[img|![^\s!\]]*(?:[:\\&]|\/\/)|!\/|[`~]{3}[^\S\n]*(?:mermaid|vega)/i;

/** A fast check: false if the text certainly has no such address. */
export function mayLoadAddresses(text: string): boolean {
  if (text.includes('![') || text.includes(']:') || text.includes('\\u')) return true;
  if (/<[a-z?]/i.test(text) && /=|style|script/i.test(text)) return true;
  return MARKUP.test(text);
}
