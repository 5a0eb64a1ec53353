import type { Span } from './contract.ts';

/**
 * Assistants that the tagger takes for people, and whose names nobody bears. Alexa, Claude and Siri are people, too: a greeting
 * does not decide who is greeted. Others, such as ChatGPT, are products in the list of known names.
 */
export const ASSISTANTS = ['bixby', 'cortana', 'gemini'];
/** How people greet and thank an assistant. Letters begin otherwise: "Dear", "Liebe". */
const GREETINGS = [
  'hi|hey|hello|good (?:morning|afternoon|evening)|thanks|thank you|ok|okay',
  'hallo|guten (?:morgen|tag|abend)|moin|servus|danke(?: schön)?',
  'bonjour|bonsoir|salut|coucou|merci(?: beaucoup)?',
  'hola|buen[oa]s (?:días|tardes|noches)|(?:muchas )?gracias',
  'ciao|salve|buongiorno|buonasera|grazie(?: mille)?',
  'hoi|dag|goede(?:morgen|middag|navond)|dank je(?: wel)?|bedankt',
  'olá|oi|bo[am] (?:dia|tarde|noite)|obrigad[oa]',
  'cześć|hej|dzień dobry|dziękuję|dzięki',
  'hej|hejsan|god (?:morgon|kväll)|tack',
].join('|');

/**
 * A name with which a text begins, and what follows it: the end of the text, or its request on the same line. Behind the
 * greeting of a letter, a new line begins.
 */
const addressed = new RegExp(
  String.raw`^\s{0,8}(?:(?:(?:${GREETINGS})[ ,]{1,2}){1,2}(${ASSISTANTS.join('|')})(?:[!.?]{0,3}\s{0,8}$|(?![\p{L}\p{N}'’-])[,!.?:;]{0,2} +(?=\S))|(${ASSISTANTS.join('|')})[,!:] +(?=\S))`,
  'diu',
);

/**
 * Makes an assistant public to whom a text is addressed: "Hi Gemini, what is TCP?". A person of this name is private
 * everywhere else, and here too if the call names the person elsewhere: see {@link file://./namesakes.ts}.
 */
export function withAssistants(text: string, spans: readonly Span[]): readonly Span[] {
  if (!spans.some(({ type }) => type === 'PERSON')) return spans;
  const { indices } = addressed.exec(text) ?? {};
  const [start, end] = indices?.[1] ?? indices?.[2] ?? [];
  return start === undefined
    ? spans
    : spans.map((span) =>
        span.type === 'PERSON' && span.start === start && span.end === end
          ? { ...span, type: 'PUBLIC_PERSON', rule: 'assistant' }
          : span,
      );
}
