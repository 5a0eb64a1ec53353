export const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Splits a list of words at white space. */
export const split = (words: string): string[] => words.trim().split(/\s+/);
