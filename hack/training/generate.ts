import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { wordHash } from '../../guardrail/detection/ner/tokens.ts';
import { Catalogues } from './catalogues.ts';
import { DictionaryTexts, hasName } from './dictionaryTexts.ts';
import { createEntities } from './entities.ts';
import { Fillers } from './fillers.ts';
import { join, shifted, type LabelledSpan, type LabelledText } from './labelledText.ts';
import { foreignTexts, messages, type Part } from './lexicon.ts';
import { Random } from './random.ts';
import { TemplateFiller } from './templateFiller.ts';
import { readTemplates, type TextInLanguage } from './templates.ts';
import { Variation } from './variation.ts';
import { languages, verbForms, type Language } from './vocabulary.ts';
import { WordReplacement } from './wordReplacement.ts';
import type { WordNet } from './wordNet.ts';

const lines = (set: string): string[] => readTemplates(set).map(({ text }) => text);

const languageOf = ({ language }: TextInLanguage): Language | undefined =>
  languages.find((known) => known === language);

/** Whether a line of the sets `personal` and `public` is kept for calibration. Neither the tagger nor the classifier learns from it. */
const isKept = (line: string): boolean => ((wordHash(line) >>> 5) & 0xffff) % 10 === 0;

/** Generates labelled texts from one part of the names and templates. The same seed generates the same texts. */
export class Generator {
  private readonly share: number;
  readonly dictionary: DictionaryTexts;
  private readonly random: Random;
  private readonly fillers: Fillers;
  private readonly filler: TemplateFiller;
  private readonly variation: Variation;
  private readonly replacement: WordReplacement;
  private readonly wordNet: WordNet;

  /** @param share the part of the texts to generate, above 0. Default: all. */
  constructor(seed: number, part: Part, wordNet: WordNet, share = 1) {
    const random = new Random(seed);
    this.share = share;
    const entities = createEntities(random, part, wordNet);
    this.random = random;
    this.wordNet = wordNet;
    this.fillers = new Fillers(random, wordNet);
    this.variation = new Variation(random, wordNet);
    this.replacement = new WordReplacement(random);
    this.filler = new TemplateFiller(entities, this.fillers, this.variation, random);
    this.dictionary = new DictionaryTexts(random, entities, this.variation, wordNet, (count) => this.part(count));
  }

  /** The part of a count to generate, at least 1. */
  private part(count: number): number {
    return Math.max(1, Math.round(count * this.share));
  }

  /** Each of a list `times` times in succession, or the part of it that is generated. */
  private repeated<T>(list: readonly T[], times: number): T[] {
    const each = times * this.share;
    return Array.from({ length: Math.ceil(list.length * each) }, (_, at) => list[Math.floor(at / each)] as T);
  }

  /** Fills each template of a set `times` times. */
  templates(set: string, times: number): LabelledText[] {
    return this.repeated(lines(set), times).map((template) => this.filler.fill(template));
  }

  /** Fills each template of the sets `personal` or `public` `times` times: those kept for calibration, or all others. */
  registers(set: 'personal' | 'public', times: number, { kept = false } = {}): LabelledText[] {
    const templates = readTemplates(set).filter(({ text }) => isKept(text) === kept);
    return this.repeated(templates, times).map((template) => this.filler.fill(template.text, languageOf(template)));
  }

  /** Joins several sentences, forms or messages, as in a conversation. */
  passages(sets: readonly string[], count: number): LabelledText[] {
    const { random } = this;
    const templates = sets.flatMap(lines).filter((line) => line.length > 12 && line.length < 120);
    return Array.from({ length: this.part(count) }, () => {
      let text = '';
      const spans: LabelledSpan[] = [];
      for (let left = random.int(2, 4); left > 0; left--) {
        const next = this.filler.fill(random.pick(templates));
        const isSentence = /[.!?]$/.test(text) && !next.text.includes('\n');
        if (text !== '') text += isSentence && random.chance(0.75) ? ' ' : random.pick(['\n', '\n\n']);
        spans.push(...shifted(next.spans, text.length));
        text += next.text;
      }
      return { text, spans, source: 'passage' };
    });
  }

  /** Texts without names in other languages than English, each unchanged and with other words. Some are lower case. */
  foreign(): LabelledText[] {
    const texts = foreignTexts();
    return texts
      .slice(0, this.part(texts.length))
      .flatMap((from) =>
        [from.text, this.replacement.withOtherWords(from)].map((text) => this.sometimesLowerCase(text)),
      );
  }

  /** Joins one to three sentences of a set, on average `times` texts for each sentence. Most have some words replaced. */
  prose(set: string, times: number): LabelledText[] {
    const { random } = this;
    const byLanguage = Map.groupBy(readTemplates(set), ({ language }) => language);
    return [...byLanguage.values()].flatMap((sentences) =>
      Array.from({ length: this.part(sentences.length * times) }, () => {
        const chosen = Array.from({ length: random.int(1, 3) }, () => {
          const sentence = random.pick(sentences);
          return random.chance(0.7) ? this.replacement.withOtherWords(sentence) : sentence.text;
        });
        return this.sometimesLowerCase(chosen.join(random.pick([' ', ' ', '\n'])));
      }),
    );
  }

  /** Fills each sentence of a set `times` times. Half of the texts have some words replaced. */
  carriers(set: string, times: number): LabelledText[] {
    return this.repeated(readTemplates(set), times).map((sentence) =>
      this.filler.fill(
        this.random.chance(0.5) ? this.replacement.withOtherWords(sentence) : sentence.text,
        languageOf(sentence),
      ),
    );
  }

  private sometimesLowerCase(text: string): LabelledText {
    return { text: this.random.chance(0.2) ? text.toLowerCase() : text, spans: [], source: 'foreign prose' };
  }

  /** Fills the templates of the set `plain` with the words of each language, `times` times. */
  plain(times: number): LabelledText[] {
    const verbs = Object.fromEntries(languages.map((language) => [language, verbForms(language)]));
    return languages.flatMap((language) =>
      this.repeated(lines('plain'), times).map((template) =>
        this.filler.fill(this.replacement.inLanguage(template, language, verbs[language] ?? [])),
      ),
    );
  }

  /** Program messages in the formats of catalogues, help texts and manuals. 15 % end with a sentence with names. */
  catalogues(count: number): LabelledText[] {
    const { random } = this;
    const catalogues = new Catalogues(random, this.fillers);
    const { examples, glosses } = this.wordNet;
    const english = [...examples, ...glosses].filter((text) => !hasName(text));
    const languages = [...messages().values(), english, english];
    const named = lines('foreign').filter((line) => line.includes('{') && line.length < 100 && !line.includes('\n'));
    return Array.from({ length: this.part(count) }, () => {
      const from = random.pick(languages);
      const text = catalogues.write(Array.from({ length: random.int(2, 6) }, () => random.pick(from)));
      if (random.chance(0.85)) return join(this.variation.varied([{ text }]), 'catalogue');
      const { text: sentence, spans } = this.filler.fill(random.pick(named));
      return {
        text: `${text}\n${sentence}`,
        spans: shifted(spans, text.length + 1),
        source: 'catalogue',
      };
    });
  }

  /** Source code, configuration and technical documentation. They contain no names, although many words look like names. */
  code(): LabelledText[] {
    const excerpts = gunzipSync(readFileSync(new URL('./corpus/code.txt.gz', import.meta.url)))
      .toString()
      .split('\0');
    return excerpts.slice(0, this.part(excerpts.length)).map((text) => ({ text, spans: [], source: 'code' }));
  }
}
