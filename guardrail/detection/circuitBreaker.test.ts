import { expect } from 'chai';
import { CircuitBreaker } from './circuitBreaker.ts';

describe('circuit breaker', () => {
  it('opens after consecutive failures, and closes if one call succeeds after the cool-down', () => {
    let now = 1000;
    const breaker = new CircuitBreaker({ failures: 2, coolDownMs: 100, now: () => now });
    expect(breaker.tryStart()).to.equal(true);
    breaker.failed('down');
    expect(breaker.state()).to.deep.equal({ up: true });
    breaker.succeeded();
    breaker.failed('down');
    now = 1010;
    breaker.failed('down');
    expect(breaker.tryStart()).to.equal(false);
    expect(breaker.state()).to.deep.equal({ up: false, reason: 'down', since: new Date(1000) });
    now = 1110;
    expect([breaker.tryStart(), breaker.tryStart()]).to.deep.equal([true, false]);
    breaker.failed('still down');
    expect(breaker.tryStart()).to.equal(false);
    now = 1210;
    expect(breaker.tryStart()).to.equal(true);
    breaker.abandoned();
    expect(breaker.tryStart()).to.equal(true);
    breaker.succeeded();
    expect([breaker.tryStart(), breaker.tryStart()]).to.deep.equal([true, true]);
    expect(breaker.state()).to.deep.equal({ up: true });
  });
});
