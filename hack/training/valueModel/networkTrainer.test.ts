import { expect } from 'chai';
import { valueClasses, ValueNetwork } from '../../../guardrail/detection/ner/valueNetwork.ts';
import { ValueTokens } from '../../../guardrail/detection/ner/valueTokens.ts';
import { Random } from '../random.ts';
import { Draft } from './draft.ts';
import { NetworkTrainer } from './networkTrainer.ts';
import { exampleOf, keptTexts } from './trainValues.ts';

const [id, user] = [valueClasses.indexOf('ID'), valueClasses.indexOf('USERNAME')];

/** Texts in which the label decides, three tokens before the value. */
function toyTexts(): Draft[] {
  const random = new Random(1);
  return Array.from({ length: 1500 }, () => {
    const label = random.pick(['badge', 'nick', 'version'] as const);
    const kind = { badge: 'ID', nick: 'USERNAME', version: 'O' } as const;
    return new Draft().put(`the ${label} here is `).value(random.format('##-?'), kind[label]).put(' today');
  });
}

describe('the training of the network of values', () => {
  const tokens = new ValueTokens();
  const trained = (): ReturnType<NetworkTrainer['weights']> => {
    const trainer = new NetworkTrainer(new Random(3));
    trainer.train(
      toyTexts().map((text) => exampleOf(tokens, text)),
      1,
      () => undefined,
    );
    return trainer.weights();
  };

  it('learns that a label decides what a value after it is, also with the weights as bytes', () => {
    const network = new ValueNetwork(trained());
    const classOf = (text: string): number => {
      tokens.read(text);
      network.run(tokens);
      const own = network.probabilities.slice(4 * valueClasses.length, 5 * valueClasses.length);
      return own.indexOf(Math.max(...own));
    };
    expect(classOf('the badge here is 31-K today')).to.equal(id);
    expect(classOf('the nick here is 31-K today')).to.equal(user);
    expect(classOf('the version here is 31-K today')).to.equal(0);
  });

  it('gives the same weights each time', () => {
    expect(trained()).to.deep.equal(trained());
  });
});

describe('the texts of the network of values', () => {
  it('are the same each time, with their values at their places', () => {
    const texts = keptTexts(300);
    expect(keptTexts(300)).to.deep.equal(texts);
    const values = texts.flatMap(({ text, spans }) => spans.map(({ start, end }) => text.slice(start, end)));
    expect(values.filter((value) => value === '' || /\n|undefined|\{/.test(value))).to.deep.equal([]);
    expect(values.length).to.be.above(300);
  });

  it('have harmless values of the same forms at least as often as four in ten', () => {
    const tokens = new ValueTokens();
    let [harmless, all] = [0, 0];
    for (const text of keptTexts(300)) {
      const { count, classes } = exampleOf(tokens, text);
      for (let at = 0; at < count; at++) {
        if (tokens.hasDigit[at] !== 1) continue;
        all++;
        if (classes[at] === 0) harmless++;
      }
    }
    expect(harmless / all).to.be.above(0.43);
  });
});
