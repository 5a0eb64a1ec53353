import { expect } from 'chai';
import { generic } from '../bodies.ts';
import { BodyCalls, EMAIL, known } from '../testing/bodyCalls.ts';
import { FIELD_CASES } from '../testing/fieldTable.ts';

/** The paths of the strings, and of the names, that contain a text. */
function pathsOf(value: unknown, text: string, path = ''): string[] {
  if (typeof value === 'string') return value.includes(text) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    ...(name.includes(text) ? [`${path} (name)`] : []),
    ...pathsOf(member, text, path === '' ? name : `${path}.${name}`),
  ]);
}

describe('every field of a request', () => {
  for (const { method, path, body, kept = [] } of FIELD_CASES) {
    it(`of ${method} ${path} is hidden, and is restored in the answer (${kept.join(', ') || 'all'})`, async () => {
      const calls = new BodyCalls();
      const operation = known(method, path);
      const original = JSON.stringify(body(() => EMAIL));
      const sent = await calls.sent(operation, original);
      expect(pathsOf(JSON.parse(sent), EMAIL)).to.deep.equal(kept);
      const pseudonym = await calls.pseudonymOf(EMAIL);
      // An answer that repeats the whole request, as a new member and as the answer itself.
      for (const answered of [operation, generic]) {
        const restored = await calls.restored(answered, sent);
        expect(pathsOf(JSON.parse(restored), pseudonym.slice(1, -1)), answered.name).to.deep.equal([]);
        expect(JSON.parse(restored)).to.deep.equal(JSON.parse(original));
      }
    });
  }
});
