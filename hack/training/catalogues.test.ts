import { expect } from 'chai';
import fc from 'fast-check';
import { Catalogues } from './catalogues.ts';
import { Fillers } from './fillers.ts';
import { readWordNet } from './wordNet.ts';
import { Random } from './random.ts';

describe('catalogues', () => {
  let fillers: Fillers;
  before(() => {
    fillers = new Fillers(new Random(1), readWordNet());
  });
  const written = (seed: number, messages: readonly string[]): string =>
    new Catalogues(new Random(seed), fillers).write(messages);

  it('add no words in the language of the messages', () => {
    // The text added around the messages is English, so only the messages contain accented letters.
    const accented = fc.array(fc.stringMatching(/^[à-öø-ü]{1,24}$/), { minLength: 6, maxLength: 30 });
    const messages = fc.array(
      accented.map((list) => list.join(' ')),
      { minLength: 4, maxLength: 6 },
    );
    fc.assert(
      fc.property(fc.integer(), messages, (seed, list) => {
        const words = list.flatMap((message) => message.split(' '));
        const found =
          written(seed, list)
            .toLowerCase()
            .match(/[à-öø-ü]+/g) ?? [];
        for (const part of found)
          expect(
            words.some((word) => word.includes(part)),
            part,
          ).to.equal(true);
        const whole = found.filter((part) => words.includes(part));
        expect(whole.length, 'whole words').to.be.greaterThan(0);
      }),
    );
  });

  it('use the formats of translators, programs and manuals', () => {
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
