/** The rule for `names.txt.gz`: it selects given names from the counts of nomquamgender, which joins 36 lists of names. */

/** For each name in lower case without diacritics: the number of lists that have it, and of their people. */
export type NameCounts = Readonly<Record<string, readonly [sources: number, people: number, ...unknown[]]>>;

/** What a name needs to be kept. The lists contain words and misspellings, mostly of one person in one list. */
const least = { sources: 5, people: 10 };
/** What a name needs that is also an ordinary word: Autumn. */
const leastOfWord = { sources: 10, people: 1000 };

/** Given names of the whole world, sorted. */
export function givenNames(counts: NameCounts, ordinary: ReadonlySet<string>): string[] {
  return Object.entries(counts)
    .filter(([name, [sources, people]]) => {
      const limit = ordinary.has(name) ? leastOfWord : least;
      return /^[a-z]{3,}$/.test(name) && sources >= limit.sources && people >= limit.people;
    })
    .map(([name]) => name)
    .sort();
}
