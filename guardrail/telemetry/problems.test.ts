import { expect } from 'chai';
import { createProblemLog, type ProblemReport } from './problems.ts';

class ExporterError extends Error {
  readonly code = 503;
}

describe('problems of the export', () => {
  it('are reported at once, and then once a minute with their number', () => {
    const reports: ProblemReport[] = [];
    let now = 0;
    const problem = createProblemLog(
      (report) => reports.push(report),
      () => now,
    );
    problem(new ExporterError('planted'));
    for (let second = 1; second < 60; second += 1) {
      now = second * 1000;
      problem(new ExporterError('planted'));
    }
    expect(reports).to.deep.equal([{ error: 'ExporterError', status: 503, count: 1 }]);
    now = 60_000;
    problem(Object.assign(new Error('connect ECONNREFUSED planted'), { code: 'ECONNREFUSED' }));
    expect(reports[1]).to.deep.equal({ error: 'ECONNREFUSED', count: 60 });
    now = 120_000;
    problem();
    problem('planted');
    expect(reports.slice(2)).to.deep.equal([{ count: 1 }]);
  });

  it('are named without what they quote', () => {
    const names = [new TypeError('planted'), Object.assign(new Error('x'), { code: 'planted' }), 'planted', undefined];
    const reports: ProblemReport[] = [];
    for (const error of names) createProblemLog((report) => reports.push(report))(error);
    expect(reports.map(({ error }) => error)).to.deep.equal(['TypeError', 'Error', 'string', undefined]);
  });
});
