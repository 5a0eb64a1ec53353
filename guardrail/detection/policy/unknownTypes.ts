/** Finds the entity types that a policy names and that nothing can find: most often, they are misspelt. Pure. */
import { knownTypes } from '../../entityTypes.ts';
import type { EntityType } from '../contract.ts';
import type { PolicyProblem } from './policyError.ts';

/** The rules of a policy, or of a team, that name types. */
interface TypedRules {
  readonly entities?: Readonly<Record<EntityType, unknown>> | undefined;
  readonly allow?: readonly object[] | undefined;
  readonly deny?: readonly { readonly type: EntityType }[] | undefined;
}

interface TypedDocument extends TypedRules {
  readonly additionalEntityTypes?: readonly EntityType[] | undefined;
  readonly recognizers?: readonly { readonly type: EntityType }[] | undefined;
  readonly teams?: Readonly<Record<string, TypedRules>> | undefined;
}

/** The fields of a policy that name an unknown type, with the nearest known one. */
export function unknownTypes(document: TypedDocument): PolicyProblem[] {
  const found = typesOf(document);
  const teams = Object.entries(document.teams ?? {}).map(([name, rules]) => [['teams', name], rules] as const);
  return [[[], document] as const, ...teams].flatMap(([path, rules]) =>
    namedTypes(rules)
      .filter(([, type]) => !found.has(type))
      .map(([at, type]) => ({ path: [...path, ...at], text: problemOf(type, found), isUnknownType: true as const })),
  );
}

function problemOf(type: EntityType, found: Iterable<EntityType>): string {
  const near = nearestType(type, found);
  const remedy = near === undefined ? 'correct its spelling' : `write ${near}`;
  return `is an entity type that nothing finds: ${remedy}, add a recognizer or a deny entry of this type, or list it in additionalEntityTypes`;
}

/** All types that values can have under a policy. */
function typesOf({
  additionalEntityTypes = [],
  recognizers = [],
  deny = [],
  teams = {},
}: TypedDocument): Set<EntityType> {
  const denied = [deny, ...Object.values(teams).map((team) => team.deny ?? [])].flat();
  return new Set([...knownTypes, ...additionalEntityTypes, ...[...recognizers, ...denied].map(({ type }) => type)]);
}

type NamedType = readonly [path: readonly (string | number)[], type: EntityType];

/** The types that rules and allow entries name, with the paths of the fields. */
function namedTypes({ entities = {}, allow = [] }: TypedRules): NamedType[] {
  const ofRules = Object.keys(entities).map((type): NamedType => [['entities', type], type]);
  const ofEntries = allow.flatMap((entry, index) => {
    const types = 'types' in entry ? (entry.types as readonly EntityType[] | undefined) : undefined;
    return (types ?? []).map((type, at): NamedType => [['allow', index, 'types', at], type]);
  });
  return [...ofRules, ...ofEntries];
}

/** The type that is probably meant: with few other letters, or with the same words and more of them. */
export function nearestType(type: EntityType, types: Iterable<EntityType>): EntityType | undefined {
  const words = type.split('_');
  const ranked = [...types]
    .map((known) => {
      const knownWords = known.split('_');
      const [few, many] = words.length < knownWords.length ? [words, knownWords] : [knownWords, words];
      const isPart = few.every((word) => many.includes(word));
      return { known, edits: editsBetween(type, known), isPart, more: many.length - few.length };
    })
    .filter(({ edits, isPart }) => isPart || edits <= Math.max(1, Math.floor(type.length / 4)));
  ranked.sort(
    (a, b) => Math.min(a.edits, a.isPart ? a.more : a.edits) - Math.min(b.edits, b.isPart ? b.more : b.edits),
  );
  return ranked[0]?.known;
}

/** How many letters differ: those that are other, missing or too many, and neighbours in the wrong order. */
function editsBetween(one: string, other: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (before[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    [before, last] = [last, next];
  }
  return last[other.length] ?? 0;
}
