import { JsonStrings } from '../../messages/messages.ts';
import { innermost, type AddressReader, type Place } from './contract.ts';
import { HtmlReader } from './html.ts';
import { MarkdownReader } from './markdown.ts';

export { Place } from './contract.ts';

/**
 * Finds the addresses in a text that a renderer loads automatically, such as those of images in Markdown and HTML. A
 * value in such an address is sent to its host when the text is displayed, and a prompt injection can make a model
 * write the address.
 *
 * The result for a place depends only on the text before it, so a stream gives the same results. Where renderers
 * differ, an address counts if one of them loads it. Time is linear in the text.
 */
export class LoadedAddresses {
  private readonly levels: Level[] = [new Level()];
  private readonly strings = new JsonStrings({
    begin: (depth) => {
      this.levels[depth] = new Level();
    },
    content: (depth, unit) => {
      this.levels[depth]?.feed(unit);
    },
  });

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
  readonly markdown = new MarkdownReader();
  private readonly html = new HtmlReader();

  get place(): Place {
    return innermost([this.markdown, this.html]);
  }

  feed(unit: number): void {
    this.markdown.feed(unit);
    this.html.feed(unit);
  }
}

/** A fast check: false if the text certainly has no such address. */
export function mayLoadAddresses(text: string): boolean {
  if (text.includes('![') || text.includes(']:') || text.includes('\\u')) return true;
  return /<[a-z]/i.test(text) && /=|style/i.test(text);
}
