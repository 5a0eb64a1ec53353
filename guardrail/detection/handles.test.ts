import { expect } from 'chai';
import { withHandles } from './handles.ts';
import type { Span } from './contract.ts';

describe('handles with a name', () => {
  const rows: readonly (readonly [text: string, name: string, handle: string, type: string])[] = [
    ['pangolin_pete: perma cryptovore77', 'pete', 'pangolin_pete', 'USERNAME'],
    ['printed by sr.agnes on HP', 'agnes', 'sr.agnes', 'USERNAME'],
    ['ask @nightowl_bex about it', 'bex', 'nightowl_bex', 'USERNAME'],
    ['mia2011 wrote', 'mia', 'mia2011', 'USERNAME'],
    ['my twitch is jojo-du-62.', 'jojo', 'jojo-du-62', 'USERNAME'],
    ['See rechnung_schmidt.pdf', 'schmidt', 'schmidt', 'PERSON'],
    ['cd /home/anna.k/src', 'anna', 'anna', 'PERSON'],
    ['get_anna(1)', 'anna', 'anna', 'PERSON'],
    ['talk to Anna.Schmidt today', 'Anna', 'Anna', 'PERSON'],
    ['i saw anna. she left', 'anna', 'anna', 'PERSON'],
    ['an anna-like smile', 'anna', 'anna', 'PERSON'],
  ];
  for (const [text, name, handle, type] of rows)
    it(`of ${name} in "${text}": ${handle} as ${type}`, () => {
      const start = text.indexOf(name);
      const found: Span = {
        start,
        end: start + name.length,
        type: 'PERSON',
        score: 0.9,
        detector: 'x',
        rule: 'model.person',
      };
      const [span] = withHandles(text, [found]);
      expect([text.slice(span?.start, span?.end), span?.type]).to.deep.equal([handle, type]);
    });
});
