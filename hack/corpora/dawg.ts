import { gunzipSync } from 'node:zlib';

/** Indexes of the word list and the alphabet in Tesseract's language data. Source: tessdatamanager.h, `TessdataType`. */
const wordList = 19;
const letters = 21;

/** A part of a `.traineddata` file. The file has a count, that many 64-bit offsets (-1 for none), then the parts. */
function part(data: Buffer, index: number): Buffer {
  const count = data.readInt32LE(0);
  const offsets = Array.from({ length: count }, (_, at) => Number(data.readBigInt64LE(4 + 8 * at)));
  const start = offsets[index] ?? -1;
  if (start < 0) throw new Error(`The language data has no part ${index}.`);
  const end = Math.min(data.length, ...offsets.filter((offset) => offset > start));
  return data.subarray(start, end);
}

/** The first field of each line after the first line, which has their number. A space is written as NULL. */
function lettersOf(data: Buffer): string[] {
  const [count = '0', ...lines] = data.toString('utf8').split('\n');
  return lines.slice(0, Number(count)).map((line) => {
    const [letter = ''] = line.split(' ');
    return letter === 'NULL' ? ' ' : letter;
  });
}

/**
 * Reads the words of Tesseract's language data. They form a directed acyclic graph. An edge is a 64-bit number: a letter,
 * three flags (last edge of the node, backward edge, end of a word), and the next node. Source: dawg.h and dawg.cpp.
 */
export function readWordList(gzipped: Buffer): string[] {
  const data = gunzipSync(gzipped);
  const alphabet = lettersOf(part(data, letters));
  const graph = part(data, wordList);
  const letterBits = BigInt(Math.ceil(Math.log2(graph.readInt32LE(2) + 1)));
  const letterMask = (1n << letterBits) - 1n;
  const count = graph.readInt32LE(6);
  const words: string[] = [];
  const walk = (node: number, prefix: string): void => {
    for (let at = node; at < count; at++) {
      const edge = graph.readBigUInt64LE(10 + 8 * at);
      const flags = Number((edge >> letterBits) & 7n);
      if ((flags & 2) === 0) {
        const word = prefix + (alphabet[Number(edge & letterMask)] ?? '');
        if (flags & 4) words.push(word);
        const next = Number(edge >> (letterBits + 3n));
        if (next !== 0) walk(next, word);
      }
      if (flags & 1) return;
    }
  };
  walk(0, '');
  return words;
}
