import { expect } from 'chai';
import { tokenClasses, TokenNetwork } from '../../../guardrail/detection/ner/tokenNetwork.ts';
import { NetworkTokens } from '../../../guardrail/detection/ner/networkTokens.ts';
import { Random } from '../random.ts';
import { Draft } from './draft.ts';
import { NetworkTrainer } from './networkTrainer.ts';
import { exampleOf, keptTexts } from './trainNetwork.ts';

const noLists = { gazetteer: { lookup: () => 0 }, knownNames: { lookup: () => 0 } };
const [id, user] = [tokenClasses.indexOf('ID'), tokenClasses.indexOf('USERNAME')];

/** Texts in which the label decides, three tokens before the value. */
function toyTexts(): Draft[] {
  const random = new Random(1);
  return Array.from({ length: 1500 }, () => {
    const label = random.pick(['badge', 'nick', 'version'] as const);
    const kind = { badge: 'ID', nick: 'USERNAME', version: 'O' } as const;
    return new Draft().put(`the ${label} here is `).value(random.format('##-?'), kind[label]).put(' today');
  });
}

describe('the training of the network', () => {
  const tokens = new NetworkTokens(noLists);
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
    const network = new TokenNetwork(trained());
    const classOf = (text: string): number => {
      tokens.read(text);
      network.run(tokens);
      const own = network.probabilities.slice(4 * tokenClasses.length, 5 * tokenClasses.length);
      return own.indexOf(Math.max(...own));
    };
    expect(classOf('the badge here is 31-K today')).to.equal(id);
    expect(classOf('the nick here is 31-K today')).to.equal(user);
    expect(classOf('the version here is 31-K today')).to.equal(0);
  });

  it('learns that what may be a name or not is no value', () => {
    const random = new Random(1);
    const texts = Array.from({ length: 1500 }, () => {
      const word = random.pick(['badge', 'bride'] as const);
      const { text, spans } = new Draft().put(`the ${word} is `).value(random.format('##-?'), 'ID');
      return { text, spans: word === 'badge' ? spans : [], others: 'NO_VALUE' as const };
    });
    const trainer = new NetworkTrainer(new Random(3));
    trainer.train(
      texts.map((text) => exampleOf(tokens, text)),
      1,
      () => undefined,
    );
    const network = new TokenNetwork(trainer.weights());
    tokens.read('the bride is 31-K');
    network.run(tokens);
    const own = network.probabilities.slice(3 * tokenClasses.length, 4 * tokenClasses.length);
    const noValue = (['O', 'PERSON', 'ADDRESS'] as const).map((kind) => own[tokenClasses.indexOf(kind)] ?? 0);
    expect(noValue.reduce((sum, one) => sum + one, 0)).to.be.above(0.9);
  });

  it('gives the same weights each time', () => {
    expect(trained()).to.deep.equal(trained());
  });
});

describe('the texts with values', () => {
  it('are the same each time, with their values at their places', () => {
    const texts = keptTexts(300);
    expect(keptTexts(300)).to.deep.equal(texts);
    const values = texts.flatMap(({ text, spans }) => spans.map(({ start, end }) => text.slice(start, end)));
    expect(values.filter((value) => value === '' || /\n|undefined|\{/.test(value))).to.deep.equal([]);
    expect(values.length).to.be.above(300);
  });

  it('have harmless values of the same forms at least as often as four in ten', () => {
    const tokens = new NetworkTokens(noLists);
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
