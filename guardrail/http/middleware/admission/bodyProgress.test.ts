import { expect } from 'chai';
import { BodyProgress } from './bodyProgress.ts';

describe('the progress of bodies', () => {
  const KIB = 1024;

  it('reports bodies as stalled after two seconds without data, the longest stalled first', () => {
    const bodies = new BodyProgress<string>();
    const [first, second] = [bodies.start('first', 0), bodies.start('second', 100), bodies.start('third', 200)];
    expect([...bodies.stalled(1999)]).to.deep.equal([]);
    expect([...bodies.stalled(2100)]).to.deep.equal(['first', 'second']);
    bodies.advance(first, 20 * KIB, 2100);
    expect([...bodies.stalled(2500)]).to.deep.equal(['second', 'third']);
    bodies.end(second);
    bodies.advance(second, 20 * KIB, 2600);
    expect([...bodies.stalled(5000)]).to.deep.equal(['third', 'first']);
  });

  it('reports a body as stalled when only single bytes arrive', () => {
    const bodies = new BodyProgress<string>();
    const [trickle, slowLine] = [bodies.start('trickle', 0), bodies.start('slow line', 0)];
    for (let now = 250; now <= 4000; now += 250) {
      bodies.advance(trickle, 1, now);
      bodies.advance(slowLine, 4 * KIB, now);
    }
    expect([...bodies.stalled(4000)]).to.deep.equal(['trickle']);
  });
});
