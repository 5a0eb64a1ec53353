import { expect } from 'chai';
import { createBodies } from './bodies.ts';

describe('bodies that are being read', () => {
  const KIB = 1024;

  it('have stalled when nothing has come for two seconds, the longest ago first', () => {
    const bodies = createBodies<string>();
    for (const [at, body] of ['first', 'second', 'third'].entries()) bodies.began(body, 100 * at);
    expect([...bodies.stalled(1999)]).to.deep.equal([]);
    expect([...bodies.stalled(2100)]).to.deep.equal(['first', 'second']);
    bodies.arrived('first', 20 * KIB, 2100);
    expect([...bodies.stalled(2500)]).to.deep.equal(['second', 'third']);
    bodies.ended('second');
    bodies.arrived('second', 20 * KIB, 2600);
    expect([...bodies.stalled(5000)]).to.deep.equal(['third', 'first']);
  });

  it('have stalled, too, where a byte comes now and then', () => {
    const bodies = createBodies<string>();
    bodies.began('trickle', 0);
    bodies.began('slow line', 0);
    for (let now = 250; now <= 4000; now += 250) {
      bodies.arrived('trickle', 1, now);
      bodies.arrived('slow line', 4 * KIB, now);
    }
    expect([...bodies.stalled(4000)]).to.deep.equal(['trickle']);
  });
});
