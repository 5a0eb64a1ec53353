import { expect } from 'chai';
import type { Tenant } from '../ids.ts';
import { expectLinearTime } from '../../hack/harness/linearTime.ts';
import { DetectorUnavailableError, TooManyValuesError, type Recall } from './contract.ts';
import { createBuiltinDetector, detectorParts } from './builtinDetector.ts';
import { acronyms } from './words/acronyms.ts';

const detector = createBuiltinDetector();
const signal = new AbortController().signal;

async function find(text: string, recall?: Recall): Promise<string[]> {
  const [spans = []] = await detector.detect([text], { signal, recall });
  return spans.map(({ start, end, type }) => `${text.slice(start, end)}|${type}`);
}

describe('built-in detector', () => {
  const names: Readonly<Record<string, readonly string[]>> = {
    '😀 My manager is Anna Schmidt from Berlin.': ['Anna Schmidt|PERSON', 'Berlin|ADDRESS'],
    'ask anna schmidt about the invoice please': ['anna schmidt|PERSON'],
    'PATIENT: ROBERT MILLER\nSTATUS: DISCHARGED': ['ROBERT MILLER|PERSON'],
    'Mike. Where are you?': ['Mike|PERSON'],
    'Please contact John F. Kowalski today.': ['John F. Kowalski|PERSON'],
    'Sehr geehrte Frau Weber, Ihre Rechnung ist fällig.': ['Weber|PERSON'],
    'Je m’appelle Claire Dubois et j’habite à Lyon.': ['Claire Dubois|PERSON', 'Lyon|ADDRESS'],
    'Me llamo Lucía Fernández y vivo en Sevilla.': ['Lucía Fernández|PERSON', 'Sevilla|ADDRESS'],
    '{"name": "Giulia Conti", "city": "Bologna"}': ['Giulia Conti|PERSON', 'Bologna|ADDRESS'],
  };
  for (const [text, expected] of Object.entries(names)) {
    it(`finds the names in ${JSON.stringify(text)}`, async () => {
      expect(await find(text)).to.deep.equal(expected);
    });
  }

  const addresses = [
    '742 Evergreen Terrace, Springfield, IL 62704',
    '10 Downing Street, London SW1A 2AA',
    'Hauptstraße 12, 10115 Berlin',
    '12 rue de la Paix, 75002 Paris',
    'Calle de Alcalá 45, 28014 Madrid',
    'Via Roma 15, 20121 Milano',
    'Prinsengracht 263, 1016 GV Amsterdam',
    'Storgatan 5, 111 22 Stockholm',
    '4821 Lindenweg 17 Apt. 302\nSundsvall\n, QC\n Portugal 40123',
  ];
  for (const address of addresses) {
    it(`finds an address as one span: ${JSON.stringify(address)}`, async () => {
      expect(await find(`😀 Please send it to ${address}`)).to.deep.equal([`${address}|ADDRESS`]);
    });
  }

  const urls: Readonly<Record<string, readonly string[]>> = {
    'read https://firm.example/news today': ['https://firm.example/news|PUBLIC_URL'],
    'see https://firm.example/u/anna_s today': ['https://firm.example/u/anna_s|URL'],
    'get https://firm.example/get/sk-proj-AbCdEf0123456789AbCdEf0123456789AbCdEf01': [
      'https://firm.example/get/sk-proj-AbCdEf0123456789AbCdEf0123456789AbCdEf01|URL',
    ],
    'pay https://firm.example/pay/4111111111111111/done': ['https://firm.example/pay/4111111111111111/done|URL'],
  };
  for (const [text, expected] of Object.entries(urls)) {
    it(`says whether a URL identifies somebody: ${text}`, async () => {
      expect(await find(text)).to.deep.equal(expected);
    });
  }

  describe('names that are also words of a list', () => {
    const words = ['Case', 'Madam', 'Lehrer', 'Patient', ...acronyms].filter((word) => /^\p{L}+$/u.test(word));
    it('stay in fields, in tables and as authors of messages', async () => {
      for (const word of words) {
        // "Ciso" is a town, too.
        const hidden = [`${word}|PERSON`, `${word}|ADDRESS`];
        expect(await find(`{"first_name":"${word}","last_name":"Weber"}`)).to.include.oneOf(hidden);
        expect(await find(`first_name;last_name\nAnna;${word}`)).to.include.oneOf(hidden);
        expect(await find(`12/03/24, 10:22 - ${word}: see you`)).to.include.oneOf(hidden);
      }
    });

    for (const name of ['NAT', 'MAC', 'LAN', 'ROI', 'VAN', 'Sick', 'Case'])
      it(`stay after a label: ${name}`, async () => {
        expect(await find(`Patient: ${name}`)).to.deep.equal([`${name}|PERSON`]);
        expect(await find(`Customer: ${name}\nPhone: +49 30 1234567`)).to.include(`${name}|PERSON`);
      });
  });

  for (const text of ['Salut Claude, peux-tu me rappeler ?', 'Hi Alexa', 'Hey Siri, call me.', 'Thanks, Claude!'])
    it(`finds whom a text greets: ${text}`, async () => {
      expect(await find(text)).to.deep.equal([`${/Claude|Alexa|Siri/.exec(text)?.[0]}|PERSON`]);
    });

  const innocent = [
    'Please ask QA about the release.',
    'Explain the difference between var, let and const in JavaScript.',
    'We deploy to AWS EKS with Helm and Terraform, and store files in S3.',
    'In January and February the meeting is on Monday.',
    'Die Verwaltung prüft den Antrag und die Rechnung im Büro.',
    'const result = await client.fetchAll({ limit: 100 });',
    'TypeError: Cannot read properties of undefined (reading "map")',
    'SELECT id, COUNT(*) FROM orders GROUP BY id ORDER BY id DESC;',
    'What is the return policy for headphones?',
    '2024-03-01 10:22:31 INFO [scheduler] Job finished in 31 ms',
    'The English and the French text differ.',
  ];
  for (const text of innocent) {
    it(`finds nothing in ${JSON.stringify(text)}`, async () => {
      expect(await find(text)).to.deep.equal([]);
    });
  }

  /** Questions of general knowledge. The detector may find the country or town only. */
  const knowledge: Readonly<Record<string, string>> = {
    'What is the capital of France?': 'France',
    'Capital of Peru?': 'Peru',
    'Tell me who the king of Spain is.': 'Spain',
    'who was the first president of the United States': 'United States',
    'What is the national anthem of Argentina called?': 'Argentina',
    'Write an essay on the history of India.': 'India',
    'Tell me about the history of Rome.': 'Rome',
    "what's the population of tokyo": 'tokyo',
    'Describe the flag of Portugal.': 'Portugal',
    'Sag mir die Hauptstadt von Frankreich.': 'Frankreich',
    'Wie heißt der König von Spanien?': 'Spanien',
    'Quelle est la capitale de la France ?': 'France',
    'Quelle est la population du Canada ?': 'Canada',
    'Qui est le président du Brésil ?': 'Brésil',
    '¿Cuál es la capital de Francia?': 'Francia',
    '¿Quién es el rey de España?': 'España',
    'Qual è la capitale della Francia?': 'Francia',
    'Qual è la moneta della Svizzera?': 'Svizzera',
    'Wat is de hoofdstad van Frankrijk?': 'Frankrijk',
    'Wie is de koning van Spanje?': 'Spanje',
  };
  for (const [question, place] of Object.entries(knowledge)) {
    it(`finds at most the place in ${JSON.stringify(question)}`, async () => {
      expect((await find(question)).filter((found) => found !== `${place}|LOCATION`)).to.deep.equal([]);
    });
  }

  describe('in a string of JSON or source code', () => {
    const letter =
      'Dear team,\nAnna Schmidt from Contoso Ltd called.\nRegards\nRobert Miller\n12 Main Street\nSpringfield, IL 62704\n' +
      'robert.miller@example.org\n536-22-8726\tpassword: Tr0ub4dor&3';
    const values = [
      'Anna Schmidt',
      'Contoso Ltd',
      'Robert Miller',
      'robert.miller@example.org',
      '536-22-8726',
      'Tr0ub4dor&3',
    ];
    for (const depth of [0, 1, 2]) {
      it(`finds each value without its escapes at nesting depth ${depth}`, async () => {
        let text = letter;
        for (let left = depth; left > 0; left--) text = JSON.stringify({ letter: text }).slice(1, -1);
        expect((await find(text)).map((found) => found.split('|')[0])).to.include.members(values);
      });
    }
  });

  for (const label of ['Call', 'Mail', 'Phone', 'Tel', 'Contact', 'Email', 'Fax', 'Kontakt', 'Appelez', 'Telefon']) {
    it(`does not find a name in the label ${label}`, async () => {
      const [mail, phone] = ['greta.silva.388555@example.org', '+49 30 23125 437'];
      for (const [value, type] of [
        [mail, 'EMAIL_ADDRESS'],
        [phone, 'PHONE_NUMBER'],
      ]) {
        expect(await find(`${label} ${value}`)).to.deep.equal([`${value}|${type}`]);
        expect(await find(`Any questions? ${label} ${value} before noon.`)).to.deep.equal([`${value}|${type}`]);
      }
    });
  }

  it('finds more with a higher recall setting, which a call can replace and raise', async () => {
    const texts = ['Linden is away', 'Storm is away'];
    const count = async (recall: Recall): Promise<number> => {
      const lists = await createBuiltinDetector({ recall }).detect(texts, {
        signal,
      });
      return lists.flat().length;
    };
    const counts = [await count('precise'), await count('balanced'), await count('thorough')];
    expect(counts).to.deep.equal([0, 1, 2]);
    const thorough = createBuiltinDetector({ recall: 'thorough' });
    const precise = await thorough.detect(texts, { signal, recall: 'precise' });
    expect(precise.flat()).to.have.length(counts[0] ?? 0);
    const kept = await thorough.detect(texts, { signal, minRecall: 'precise' });
    expect(kept.flat()).to.have.length(counts[2] ?? 0);
    const raised = await thorough.detect(texts, { signal, recall: 'precise', minRecall: 'balanced' });
    expect(raised.flat()).to.have.length(counts[1] ?? 0);
  });

  it('runs without each of its parts, and then does not find what only this part finds', async () => {
    const parts = detectorParts();
    expect(new Set(parts).size).to.equal(parts.length);
    const foundWithout = async (part: string, text: string): Promise<number> => {
      expect(parts).to.include(part);
      const [spans = []] = await createBuiltinDetector({ without: new Set([part]) }).detect([text], { signal });
      return spans.length;
    };
    for (const [part, text] of [
      ['recognizer email', 'Write to anna@mail.example'],
      ['step dwelling', 'Robert Miller, flat 9'],
    ] as const) {
      expect(await foundWithout(part, text), part).to.be.below((await find(text)).length);
      expect(await foundWithout('recognizer iban', text), part).to.equal((await find(text)).length);
    }
  });

  it('finds the same spans regardless of earlier texts', async () => {
    const text = 'Anna Schmidt of Contoso Ltd lives at Hauptstraße 12, 10115 Berlin';
    const fresh = await find(text);
    await detector.detect(
      Array.from({ length: 300 }, (_, at) => `word${at} Other${at} thing${at * 7} Ümlaut${at * 3}`),
      { signal },
    );
    expect(await find(text)).to.deep.equal(fresh);
  });

  it('throws DetectorUnavailableError if the call is aborted', async () => {
    const outcome = await detector.detect(['Anna'], { signal: AbortSignal.abort() }).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(DetectorUnavailableError);
  });

  describe('with many texts', () => {
    // All pages together contain fewer than MAX_VALUES values.
    const page = 'Anna Schmidt of Contoso Ltd lives at Hauptstraße 12, 10115 Berlin. '
      .repeat(20)
      .concat('The figures of the last quarter look fine so far, and nothing has to be changed. '.repeat(25));
    const many = Array.from({ length: 100 }, (_, at) => `${at} ${page}`);

    it('yields to the event loop between texts', async () => {
      let rounds = 0;
      const count = (): void => {
        rounds += 1;
        counting = setImmediate(count);
      };
      let counting = setImmediate(count);
      try {
        await detector.detect(many.slice(0, 2), { signal });
        const few = rounds;
        await detector.detect(many, { signal });
        expect(rounds - few).to.be.greaterThan(5);
      } finally {
        clearImmediate(counting);
      }
    });

    it('lets only one batch yield, and finds the same in concurrent batches', async () => {
      const order: string[] = [];
      const detectMany = async (which: string): Promise<unknown> => {
        const spans = await detector.detect(many, { signal });
        order.push(which);
        return spans;
      };
      const [first, second] = await Promise.all([detectMany('first'), detectMany('second')]);
      expect(order).to.deep.equal(['second', 'first']);
      expect(first).to.deep.equal(second);
      expect(await detectMany('third')).to.deep.equal(first);
    });

    it('stops at a yield if the call is aborted, and lets the next batch yield', async () => {
      const controller = new AbortController();
      for (let n = 0; n < 2; n += 1) {
        const aborted = detector.detect(many, { signal: controller.signal }).catch((error: unknown) => error);
        setImmediate(() => {
          controller.abort();
        });
        expect(await aborted).to.be.instanceOf(DetectorUnavailableError);
      }
      let isDone = false;
      const pending = detector.detect(many, { signal }).then(() => (isDone = true));
      await new Promise(setImmediate);
      expect(isDone).to.equal(false);
      await pending;
    });
  });

  it('takes linear time for hostile texts of 100 kB', async () => {
    for (const unit of [
      'a',
      'Aa ',
      'Anna ',
      '1',
      '1 ',
      '\n',
      ' ',
      '@',
      'é',
      '😀',
      '(',
      'a.b@',
      'Anna Schmidt, ',
      '12 Main Street ',
      'A',
    ])
      await expectLinearTime(JSON.stringify(unit), 100_000, (length) =>
        detector.detect([unit.repeat(length / unit.length)], { signal }).catch((error: unknown) => {
          if (!(error instanceof TooManyValuesError)) throw error;
        }),
      );
  });

  it('lets the long texts of tenants take turns', async () => {
    const ended: string[] = [];
    const [A, B] = ['a', 'b'] as Tenant[] as [Tenant, Tenant];
    const line = 'Please summarise the notes, and then send them to all who were there.\n';
    const detect = async (tenant: Tenant, name: string, length: number): Promise<void> => {
      await detector.detect([line.repeat(length / line.length)], { signal, tenant });
      ended.push(name);
    };
    await Promise.all([detect(A, 'a1', 400_000), detect(A, 'a2', 100_000), detect(B, 'b', 40_000)]);
    expect(ended).to.deep.equal(['b', 'a1', 'a2']);
  });
});
