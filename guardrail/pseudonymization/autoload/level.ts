import { BbCodeReader, type SavedBbCode } from './bbCode.ts';
import { innermost, type AddressReader, type Place } from './contract.ts';
import { DiagramReader, type SavedDiagrams } from './diagrams.ts';
import { HtmlReader, type SavedHtml } from './html.ts';
import { MarkdownReader, type SavedMarkdown } from './markdown.ts';
import { TextileReader, type SavedTextile } from './textile.ts';

/** The state of a {@link Level}. */
export interface SavedLevel {
  readonly markdown: SavedMarkdown;
  readonly html: SavedHtml;
  readonly bbCode: SavedBbCode;
  readonly textile: SavedTextile;
  readonly diagrams: SavedDiagrams;
}

/** The text itself, or the content of a JSON string in it. */
export class Level implements AddressReader {
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

  /** Whether no address is open, and none can be by what has begun: what follows is read as if nothing were before it. */
  get isClean(): boolean {
    const { markdown, html, bbCode, textile, diagrams } = this;
    return [markdown, html, bbCode, textile, diagrams].every((reader) => reader.isClean);
  }

  /** Whether a new line behind the text matters for what is open. */
  get needsLine(): boolean {
    return !this.diagrams.isClean;
  }

  /** The reader behind a text that follows. */
  after(text: string): Level {
    if (text === '') return this;
    const level = new Level(JSON.parse(JSON.stringify(this.save())) as SavedLevel);
    for (let at = 0; at < text.length; at++) level.feed(text.charCodeAt(at));
    return level;
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

  /** As {@link save}, but equal for texts that leave the same addresses open. */
  saveOpen(): SavedLevel {
    const fresh = new Level().save();
    const { markdown, html, bbCode, textile, diagrams } = this;
    return {
      markdown: markdown.isClean ? fresh.markdown : markdown.saveOpen(),
      html: html.isClean ? fresh.html : html.saveOpen(),
      bbCode: bbCode.isClean ? fresh.bbCode : bbCode.save(),
      textile: textile.isClean ? fresh.textile : textile.save(),
      diagrams: diagrams.isClean ? fresh.diagrams : diagrams.save(),
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
