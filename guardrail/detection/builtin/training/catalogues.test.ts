import { expect } from 'chai';
import fc from 'fast-check';
import { Catalogues } from './catalogues.ts';
import { Fillers } from './fillers.ts';
import { readWordNet } from './lexicon.ts';
import { Random } from './random.ts';

describe('catalogues', () => {
  let fillers: Fillers;
  before(() => {
    fillers = new Fillers(new Random(1), readWordNet());
  });
  const written = (seed: number, messages: readonly string[]): string =>
    new Catalogues(new Random(seed), fillers).write(messages);

  it('say something of some message, whatever their form breaks, justifies or leaves out', () => {
    const words = fc.array(fc.stringMatching(/^[a-zà-ü]{1,24}$/), { minLength: 1, maxLength: 30 });
    const messages = fc.array(
      words.map((list) => list.join(' ')),
      { minLength: 4, maxLength: 6 },
    );
    const letters = (text: string): string => text.toLowerCase().replace(/[^a-zà-ü]/g, '');
    fc.assert(
      fc.property(fc.integer(), messages, (seed, list) => {
        const text = letters(written(seed, list));
        const said = list.flatMap((message) => message.split(' ')).some((word) => text.includes(letters(word)));
        expect(said, text).to.equal(true);
      }),
    );
  });

  it('come in the forms that translators, programs and manuals use', () => {
    const message = 'falta el fichero de entrada o no se puede leer '.repeat(4).trim();
    const all = Array.from({ length: 100 }, (_, seed) => written(seed, [message, 'cancelar la orden']));
    for (const form of [
      /^msgid "/m,
      /^[\w.-]+ ?[=:] ?\S/m,
      /^\s*"[\w.-]+": "/m,
      /^ {2}-\w, --\w/m,
      /^ {4,}\S.*\w {2}\w/m,
    ])
      expect(
        all.some((text) => form.test(text)),
        String(form),
      ).to.equal(true);
  });
});
