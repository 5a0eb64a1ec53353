/**
 * Numbers the messages of a request. What is replaced in a message depends on it and on the messages with smaller numbers, so
 * that the beginning of a conversation stays as it was sent, byte for byte, when the conversation goes on: providers cache
 * prompts by their beginning. Only the order of the numbers counts.
 */
import type { Steps } from '../eventLoop.ts';
import { findingImages, visitingMessages, type Json } from '../messages/messages.ts';
import type { RequestDocument } from './contract.ts';

/** Definitions of tools, system prompts and schemas count as before all messages, wherever they stand. */
export const BEFORE_ALL = 0;
/** What is in no message, and differs from call to call, is read with all messages, and changes none. */
export const AFTER_ALL = Number.MAX_SAFE_INTEGER;

/** The number of a structured message by its index. */
export const numberOfMessage = (index: number): number => index + 1;

/** The numbers of what stands outside of the messages. What has none is read before all messages. */
export interface MessageNumbers {
  /** Of each of `texts`. */
  readonly texts: readonly number[];
  /** Of each of `toolCalls`. */
  readonly toolCalls: readonly number[];
  /** Of each of `imageTexts`. */
  readonly imageTexts: readonly number[];
}

/** Without messages, nothing tells which texts an image belongs to. So all are read together. */
const oneDocument: MessageNumbers = { texts: [], toolCalls: [], imageTexts: [] };

/** Numbers the texts, tool calls and texts of images by the messages that contain them. */
export function* messageNumbersOf({
  texts,
  structuredMessages = [],
  toolCalls = [],
  images = [],
  imageMessages,
  imageTexts = [],
}: RequestDocument): Steps<MessageNumbers> {
  if (structuredMessages.length === 0 && imageTexts.length > 0 && !imageMessages) return oneDocument;
  const places = new TextPlaces();
  const firstOfImage = new Map<string, number>();
  const addImage = (source: string, number: number): void => {
    if (!firstOfImage.has(source)) firstOfImage.set(source, number);
  };
  for (const [index, message] of structuredMessages.entries()) {
    if (texts.length > 0 || toolCalls.length > 0)
      places.add(yield* readingTexts(message, 'structured_messages'), numberOfMessage(index));
    if (imageTexts.length > 0)
      for (const source of yield* findingImages([message])) addImage(source, numberOfMessage(index));
    yield;
  }
  images.forEach((source, at) => {
    addImage(source, imageMessages?.[at] ?? AFTER_ALL);
  });
  const inTexts = places.cursor();
  const inCalls = places.cursor();
  const ofTexts: number[] = [];
  for (const [at, text] of texts.entries()) {
    // A text that is in no message is one of its own, after the message of the text before it.
    ofTexts.push(inTexts.find(text) ?? inTexts.last + (at + 1) / (texts.length + 1));
    yield;
  }
  const ofCalls: number[] = [];
  for (const call of toolCalls) {
    const numbers = (yield* readingTexts(call, 'tool_calls')).map((text) => inCalls.find(text));
    ofCalls.push(numbers.find((number) => number !== undefined) ?? AFTER_ALL);
    yield;
  }
  return {
    texts: ofTexts,
    toolCalls: ofCalls,
    imageTexts: imageTexts.map(({ source }) => firstOfImage.get(source) ?? AFTER_ALL),
  };
}

function* readingTexts(message: Json, field: 'structured_messages' | 'tool_calls'): Steps<string[]> {
  const texts: string[] = [];
  const text = (one: string): string => {
    texts.push(one);
    return one;
  };
  yield* visitingMessages([message], { text }, field);
  return texts;
}

/** Where texts occur in the messages. */
class TextPlaces {
  /** The places of each text, in ascending order. */
  private readonly places = new Map<string, number[]>();
  /** The number of the message at each place. */
  private readonly numbers: number[] = [];

  add(texts: readonly string[], number: number): void {
    for (const text of texts) {
      const known = this.places.get(text);
      if (known) known.push(this.numbers.length);
      else this.places.set(text, [this.numbers.length]);
      this.numbers.push(number);
    }
  }

  /** Finds texts in the order in which they occur: each in the first place after that of the text before it. */
  cursor(): { find(text: string): number | undefined; readonly last: number } {
    const { places, numbers } = this;
    const passed = new Map<string, number>();
    let next = 0;
    let last = BEFORE_ALL;
    return {
      find(text) {
        const own = places.get(text) ?? [];
        let at = passed.get(text) ?? 0;
        while (at < own.length && (own[at] ?? 0) < next) at++;
        passed.set(text, at);
        const place = own[at];
        if (place === undefined) return undefined;
        next = place + 1;
        last = numbers[place] ?? BEFORE_ALL;
        return last;
      },
      get last() {
        return last;
      },
    };
  }
}
