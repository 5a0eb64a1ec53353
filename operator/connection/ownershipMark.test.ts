import { expect } from 'chai';
import fc from 'fast-check';
import { type MarkSubject, type OwnershipMark, signedMark, verifiedMark } from './gatewayIdentity.ts';

describe('an owner mark', () => {
  const key = Buffer.alloc(32, 7);
  const subjects: fc.Arbitrary<MarkSubject> = fc.record({
    kind: fc.constantFrom('GatewayCustomer', 'GatewayBudget'),
    namespace: fc.string(),
    name: fc.string(),
    id: fc.string({ unit: 'grapheme' }),
  });
  const marks: fc.Arbitrary<OwnershipMark> = fc.record({
    gateway: fc.string(),
    uid: fc.uuid(),
    fields: fc.array(fc.string()),
    signedAt: fc.string(),
  });

  it('is verified for its subject, and for no other', () => {
    fc.assert(
      fc.property(subjects, subjects, marks, (subject, other, mark) => {
        const text = signedMark(key, subject, mark);
        expect(verifiedMark(key, subject, text)).to.deep.equal(mark);
        const isSame = JSON.stringify(Object.entries(subject).sort()) === JSON.stringify(Object.entries(other).sort());
        expect(verifiedMark(key, other, text)).to.deep.equal(isSame ? mark : undefined);
        expect(verifiedMark(Buffer.alloc(32, 8), subject, text)).to.equal(undefined);
      }),
    );
  });

  it('is not verified if a part of it was changed', () => {
    fc.assert(
      fc.property(subjects, marks, fc.uuid(), (subject, mark, uid) => {
        const text = signedMark(key, subject, mark);
        const changed = JSON.stringify({ ...(JSON.parse(text) as object), uid });
        fc.pre(uid !== mark.uid);
        expect(verifiedMark(key, subject, changed)).to.equal(undefined);
        expect(verifiedMark(key, subject, text.replace('"fields":[', '"fields":["alias",'))).to.equal(undefined);
      }),
    );
  });

  it('is no mark of anything in any other text', () => {
    fc.assert(
      fc.property(subjects, fc.oneof(fc.string(), fc.json()), (subject, text) => {
        expect(verifiedMark(key, subject, text)).to.equal(undefined);
      }),
    );
  });
});
