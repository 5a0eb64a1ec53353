import { JsonStrings, type SavedStrings, type StringSink } from '../../messages/messages.ts';
import { innermost, Place } from './contract.ts';
import { Level, type SavedLevel } from './level.ts';
import type { OpenEnds } from './openEnds.ts';

export { Place } from './contract.ts';
export { OpenEnds } from './openEnds.ts';

/** The state of {@link LoadedAddresses}. May contain parts of the restored text. */
export interface SavedAddresses {
  readonly levels: readonly SavedLevel[];
  readonly strings: SavedStrings;
}

/**
 * Finds the addresses in a text that a renderer loads automatically, such as those of images in Markdown, HTML, BBCode and
 * Textile, and those in diagrams and scripts. A value in such an address is sent to its host when the text is displayed, and
 * a prompt injection can make a model write the address. Clients can join the text to others of its answer, so that an address
 * can begin in one of those.
 *
 * The result for a place depends only on the text before it, so a stream gives the same results. Where renderers
 * differ, an address counts if one of them loads it. Time is linear in the text.
 */
export class LoadedAddresses implements StringSink {
  private readonly levels: Level[];
  private readonly strings: JsonStrings;
  /** The text behind other texts of its answer. */
  private joined: Level[];
  private readonly isFlooded: boolean;

  /**
   * @param saved the state from which to continue, as JSON
   * @param before the ends of other texts, to which a client can join this one
   */
  constructor(saved?: SavedAddresses, before?: OpenEnds) {
    this.levels = saved?.levels.map((level) => new Level(level)) ?? [new Level()];
    this.strings = new JsonStrings(this, saved?.strings);
    this.joined = before?.levels() ?? [];
    this.isFlooded = before?.isFlooded ?? false;
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
    const { levels, strings, joined } = this;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      levels[0]?.feed(unit);
      strings.feed(unit);
      for (const level of joined) level.feed(unit);
    }
    // Such a reading goes on as that of the text alone.
    if (joined.length > 0) this.joined = joined.filter((level) => !level.isClean);
  }

  /**
   * Adds the states in which the text leaves what is joined to its end.
   * @param rest what the text has besides what was read
   */
  addEnds(ends: OpenEnds, rest: string): void {
    if (this.isFlooded) ends.flood();
    for (const level of [this.levels[0], ...this.joined]) {
      const end = level?.after(rest);
      if (end?.isClean === false) ends.add(end);
    }
  }

  /** The position of the next character, in the text itself and in the JSON strings that contain it. */
  get place(): Place {
    return this.isFlooded ? Place.inside : innermost([...this.openLevels(), ...this.joined]);
  }

  beginsAddress(unit: number): boolean {
    return [...this.openLevels(), ...this.joined].some((level) => level.markdown.beginsAddress(unit));
  }

  private openLevels(): Level[] {
    return this.levels.slice(0, this.strings.depth + 1);
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
