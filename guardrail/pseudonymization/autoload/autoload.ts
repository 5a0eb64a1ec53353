import { JsonStrings } from '../../messages/messages.ts';
import { innermost, type AddressReader, type Place } from './contract.ts';
import { HtmlReader } from './html.ts';
import { MarkdownReader } from './markdown.ts';

export { Place } from './contract.ts';

/**
 * Finds, in a text that a client shows, the addresses that its renderer loads by itself, such as those of images in
 * Markdown and HTML. A value put there goes to whatever host the address names as soon as the text is shown, and an
 * injected prompt can make a model write the address.
 *
 * What it says of a place depends on the text before that place only, so it says the same of a text that is still
 * growing. Where renderers differ, a place counts if it counts for one of them. Time is linear in the text.
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

  /** Where what comes next stands: in the text as it is, and in what a JSON string in it says. */
  get place(): Place {
    return innermost(this.openLevels());
  }

  /** Whether this character would begin such an address. */
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

/** Quickly tells most texts that have no such address, so that they need not be read character by character. */
export function mayLoadAddresses(text: string): boolean {
  if (text.includes('![') || text.includes(']:') || text.includes('\\u')) return true;
  return /<[a-z]/i.test(text) && /=|style/i.test(text);
}
