import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Tenant } from '../../ids.ts';
import { deriveSubject } from '../../pseudonymization/pseudonymization.ts';
import type { AuditEvent } from '../event.ts';
import { auditHash } from '../identifiers.ts';
import { runReport } from '../reportCommand.ts';
import { anyEvent, eventWith, linesOfEvents, streamOf } from '../testing/events.ts';
import { formatted, reportOf } from './report.ts';
import type { Report } from './formats.ts';
import { MAX_LINE } from './lines.ts';
import { selectionOf, type ReportOptions } from './selection.ts';

const key = createSecretKey(Buffer.alloc(32, 1));
const CUSTOMER = 'customer-of-the-test';

async function reported(texts: readonly string[], options: ReportOptions = {}, chunkBytes?: number): Promise<Report> {
  const sources = texts.map((text, at) => ({ name: `file ${at}`, open: () => streamOf(text, chunkBytes) }));
  return reportOf(sources, selectionOf(options, key), () => undefined);
}

interface Run {
  readonly code: number;
  readonly output: string;
  readonly problems: readonly string[];
}

async function run(args: readonly string[], text = '', hasKey = true): Promise<Run> {
  const problems: string[] = [];
  let output = '';
  const code = await runReport(args, {
    input: streamOf(text),
    write: (part) => (output += part),
    warn: (problem) => problems.push(problem),
    key: () => (hasKey ? key : undefined),
  });
  return { code, output, problems };
}

const MONTH = join(import.meta.dirname, '../testing/january.jsonl');

describe('the report on audit events', () => {
  for (const [format, args] of [
    ['text', []],
    ['json', ['--format', 'json']],
    ['csv', ['--format', 'csv']],
  ] as const) {
    it(`of a month as ${format} is the kept one`, async () => {
      const golden = join(import.meta.dirname, `../testing/january.${format === 'text' ? 'txt' : format}`);
      const { code, output, problems } = await run([...args, '--from', '2026-01-01', '--to', '2026-01-31', MONTH]);
      expect([code, problems]).to.deep.equal([
        1,
        [
          'Line 7 of ' + MONTH + ' is not an audit event.',
          'Lines that are not audit events: 1. The report does not count them.',
        ],
      ]);
      expect(output).to.equal(readFileSync(golden, 'utf8'));
    });
  }

  it('has types whose sums are the totals', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent), async (events) => {
        const { types, allTypes, requests, answers, restores, erasures, toolTypes, allToolTypes } = await reported([
          linesOfEvents(events),
        ]);
        for (const column of ['hidden', 'blocked', 'unchanged', 'total'] as const) {
          expect(types.reduce((sum, counts) => sum + counts[column], 0)).to.equal(allTypes[column]);
        }
        for (const { hidden, blocked, unchanged, total } of [...types, allTypes]) {
          expect(hidden + blocked + unchanged).to.equal(total);
        }
        const found = events.flatMap((event) => event['guardrail.entities'] ?? []);
        expect(allTypes.total).to.equal(found.reduce((sum, { count }) => sum + count, 0));
        for (const column of ['restored', 'withheld', 'unknown'] as const) {
          expect(toolTypes.reduce((sum, counts) => sum + counts[column], 0)).to.equal(allToolTypes[column]);
        }
        const calls = [...requests, ...answers, ...restores].reduce((sum, { count }) => sum + count, 0);
        expect(calls + erasures.requests).to.equal(events.length);
      }),
    );
  });

  it('is the same, however the events are split and ordered', async () => {
    const split = fc.record({
      cuts: fc.array(fc.nat(40), { maxLength: 4 }),
      chunkBytes: fc.integer({ min: 1, max: 3000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { maxLength: 40 }), split, fc.boolean(), async (events, how, isReversed) => {
        const { cuts, chunkBytes } = how;
        const ends = [0, ...cuts.map((cut) => Math.min(cut, events.length)).sort((a, b) => a - b), events.length];
        const files = ends.slice(1).map((end, at) => linesOfEvents(events.slice(ends[at], end)));
        const parts = await reported(isReversed ? files.reverse() : files, {}, chunkBytes);
        expect(parts).to.deep.equal(await reported([linesOfEvents(events)]));
      }),
      { numRuns: 50 },
    );
  });

  it('of two periods together counts what that of both counts', async () => {
    const middle = '2026-02-01';
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent), async (events) => {
        const text = linesOfEvents(events);
        const [before, after] = [
          await reported([text], { to: '2026-01-31' }),
          await reported([text], { from: middle }),
        ];
        expect(before.events + after.events).to.equal(events.length);
        expect(before.allTypes.total + after.allTypes.total).to.equal((await reported([text])).allTypes.total);
      }),
      { numRuns: 50 },
    );
  });

  it('tells pseudonyms for tools from those in answers', async () => {
    const pseudonyms = {
      ...{ 'guardrail.pseudonyms.restored': 2, 'guardrail.pseudonyms.withheld': 1, 'guardrail.pseudonyms.unknown': 0 },
      'guardrail.pseudonyms.types': [{ type: 'PERSON', restored: 2, withheld: 1, unknown: 0 }],
    };
    const events = [
      eventWith({ ...pseudonyms, 'guardrail.phase': 'response', 'guardrail.pseudonyms.types': undefined }),
      eventWith({ ...pseudonyms, 'guardrail.phase': 'restore', 'guardrail.suspected_enumeration': true }),
      eventWith({ ...pseudonyms, 'guardrail.phase': 'call', 'guardrail.protocol': 'mcp' }),
    ];
    const report = await reported([linesOfEvents(events)]);
    expect(report).to.deep.include({
      pseudonyms: { restored: 2, withheld: 1, unknown: 0 },
      toolTypes: [{ type: 'PERSON', restored: 4, withheld: 2, unknown: 0 }],
      enumerations: [{ name: 'restore', count: 1 }],
    });
    for (const calls of [report.requests, report.answers, report.restores]) {
      expect(calls).to.deep.equal([{ name: 'NONE', count: 1 }]);
    }
  });

  const at = (time: string): AuditEvent => eventWith({ '@timestamp': time });
  const PERIODS: readonly (readonly [options: ReportOptions, times: readonly string[]])[] = [
    [{ from: '2026-01-02' }, ['2026-01-02T00:00:00.000Z', '2026-01-02T23:59:59.999Z', '2026-01-03T00:00:00.000Z']],
    [{ to: '2026-01-02' }, ['2026-01-01T23:59:59.999Z', '2026-01-02T00:00:00.000Z', '2026-01-02T23:59:59.999Z']],
    [{ from: '2026-01-02', to: '2026-01-02' }, ['2026-01-02T00:00:00.000Z', '2026-01-02T23:59:59.999Z']],
    [{ from: '2026-01-03T01:00:00+01:00' }, ['2026-01-03T00:00:00.000Z']],
    [{ to: '2026-01-02T00:00:00Z' }, ['2026-01-01T23:59:59.999Z']],
  ];
  for (const [options, times] of PERIODS) {
    it(`covers ${JSON.stringify(options)}`, async () => {
      const all = [
        ...['2026-01-01T23:59:59.999Z', '2026-01-02T00:00:00.000Z', '2026-01-02T23:59:59.999Z'],
        '2026-01-03T00:00:00.000Z',
      ];
      const report = await reported([linesOfEvents(all.map(at))], options);
      expect([report.events, report.first, report.last]).to.deep.equal([times.length, times[0], times.at(-1)]);
    });
  }

  const ofUser = (tenant: string, of = tenant): AuditEvent =>
    eventWith({ 'guardrail.tenant': tenant, 'user.hash': deriveSubject(key, of as Tenant, CUSTOMER) });
  const SELECTIONS: readonly (readonly [
    what: string,
    options: ReportOptions,
    event: AuditEvent,
    isIncluded: boolean,
  ])[] = [
    ['the customer', { customer: CUSTOMER }, ofUser('proxy'), true],
    ['the customer of another tenant', { customer: CUSTOMER }, ofUser('other'), true],
    ['an erasure of the customer by the operator', { customer: CUSTOMER }, ofUser('proxy', 'inline'), true],
    [
      'the customer for a tool',
      { customer: CUSTOMER },
      { ...ofUser('crm', 'proxy'), 'guardrail.session.tenant': 'proxy' },
      true,
    ],
    ['another customer', { customer: `${CUSTOMER}2` }, ofUser('proxy'), false],
    ['nobody', { customer: CUSTOMER }, eventWith(), false],
    ['the subject', { subject: deriveSubject(key, 'proxy' as Tenant, CUSTOMER) }, ofUser('proxy'), true],
    ['the team', { team: 'red' }, eventWith({ 'guardrail.team': auditHash(key, 'team', 'red') }), true],
    ['the hash of the team', { team: '0'.repeat(32) }, eventWith({ 'guardrail.team': '0'.repeat(32) }), true],
    ['another team', { team: 'blue' }, eventWith({ 'guardrail.team': auditHash(key, 'team', 'red') }), false],
    ['the tenant', { tenant: 'proxy' }, eventWith({ 'guardrail.tenant': 'proxy' }), true],
    ['another instance', { instance: 'ai/main' }, eventWith({ 'guardrail.instance': 'ai/other' }), false],
  ];
  for (const [what, options, event, isIncluded] of SELECTIONS) {
    it(`${isIncluded ? 'includes' : 'leaves out'} events of ${what}`, async () => {
      expect((await reported([linesOfEvents([event])], options)).events).to.equal(isIncluded ? 1 : 0);
    });
  }

  it('does not repeat the id of a customer or the name of a team', async () => {
    const args = ['--customer', CUSTOMER, '--team', 'red-team'];
    for (const format of ['text', 'json', 'csv']) {
      const { output } = await run([...args, '--format', format], linesOfEvents([ofUser('proxy')]));
      expect(output).to.not.include(CUSTOMER).and.not.include('red-team');
      expect(output).to.include('one end user');
    }
  });

  const BAD: readonly (readonly [what: string, line: string])[] = [
    ['no JSON', 'listening on port 8080'],
    ['a line of the log', '{"level":30,"msg":"request"}'],
    ['null', 'null'],
    ['an event with a text as a count', JSON.stringify({ ...eventWith(), 'event.duration': '7' })],
    ['a part of an event', JSON.stringify(eventWith()).slice(0, 100)],
    ['a line that is too long', `"${'x'.repeat(MAX_LINE)}"`],
  ];
  for (const [what, line] of BAD) {
    it(`counts and reports ${what}, and counts the events around it`, async () => {
      const one = linesOfEvents([eventWith()]);
      const { code, output, problems } = await run([], `${one}${line}\n\n${one}`);
      expect([code, problems[0]]).to.deep.equal([1, 'Line 2 of standard input is not an audit event.']);
      expect(output)
        .to.include('Bad lines  1, not counted')
        .and.match(/Events +2,/);
    });
  }

  it('counts an event with a field that a later version has added', async () => {
    const { code, output } = await run([], `${JSON.stringify({ ...eventWith(), 'guardrail.later': 1 })}\n`);
    expect([code, output.includes('Bad lines  0')]).to.deep.equal([0, true]);
  });

  it('reports the first bad lines, and the number of all', async () => {
    const { problems } = await run([], 'x\n'.repeat(100));
    expect(problems).to.have.length(6);
    expect(problems.at(-1)).to.equal('Lines that are not audit events: 100. The report does not count them.');
  });

  const REFUSED: readonly (readonly [args: readonly string[], code: number, problem: RegExp])[] = [
    [['--form', 'json'], 2, /^report accepts files and these options, each with a value: --from, --to, --customer/],
    [['--format', 'pdf'], 2, /^--format must be text, json, csv\.$/],
    [['--from', 'yesterday'], 2, /^--from must be a day such as 2026-01-31, or a time with a zone/],
    [['--from', '2026-02-30'], 2, /^--from must be a day/],
    [['--to', '2026-01-31T12:00'], 2, /^--to must be a day/],
    [['--from', '2026-02-01', '--to', '2026-01-01'], 2, /^--from must be before --to\.$/],
    [['--subject', 'anna'], 2, /^--subject must be a hash/],
    [['--customer', 'anna'], 2, /^--customer requires GUARDRAIL_SESSION_KEY or GUARDRAIL_SESSION_KEY_FILE/],
    [['--team', 'red'], 2, /^--team with a name requires GUARDRAIL_SESSION_KEY/],
    [['/does/not/exist'], 1, /^\/does\/not\/exist cannot be read \(ENOENT\)\.$/],
  ];
  for (const [args, code, problem] of REFUSED) {
    it(`is refused for ${args.join(' ')}`, async () => {
      const result = await run(args, '', false);
      expect([result.code, result.output]).to.deep.equal([code, '']);
      expect(result.problems[0]).to.match(problem);
    });
  }

  it('is refused for events of another version', async () => {
    const newer = { ...eventWith(), 'guardrail.audit.version': 2, 'guardrail.new': 1 };
    const { code, output, problems } = await run([], `${linesOfEvents([eventWith()])}${JSON.stringify(newer)}\n`);
    expect([code, output]).to.deep.equal([1, '']);
    expect(problems).to.deep.equal([
      'Line 2 of standard input has another version of the audit schema than 1, which this program reads: use the version of the guardrail that wrote it, or a newer one.',
    ]);
  });

  it('as CSV has no cell that a spreadsheet computes', async () => {
    const selection = selectionOf({}, undefined);
    const report = await reportOf([], { ...selection, described: ['=1+1', 'a "b", c'] }, () => undefined);
    expect(formatted(report, 'csv')).to.include(`Selection,,'=1+1\r\n`).and.include('Selection,,"a ""b"", c"\r\n');
  });
});
