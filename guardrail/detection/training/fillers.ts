import {
  columns,
  departments,
  fields,
  goods,
  groups,
  jobs,
  kin,
  levels,
  mathEnvironments,
  mathWords,
  months,
  orgWords,
  weekdays,
} from '../languages/en/training/fillers.ts';
import { germanNouns } from '../languages/de/training/nouns.ts';
import { ofLanguages, trainingLanguages } from './languages.ts';
import { capitalized, split } from './words.ts';
import { namePools, wideWords } from './lexicon.ts';
import { type WordNet } from './wordNet.ts';
import type { Random } from './random.ts';

const technologies =
  split(`Kubernetes Docker Terraform Ansible Jenkins GitLab GitHub Python Java Rust Go TypeScript JavaScript React Angular
  Vue Svelte Django Flask Spring Rails Laravel Postgres PostgreSQL MySQL MongoDB Redis Kafka RabbitMQ Elasticsearch Grafana Prometheus
  Istio Helm ArgoCD EKS GKE AKS S3 EC2 Lambda DynamoDB CloudFront Route53 Fargate BigQuery Snowflake Databricks Spark Airflow dbt Tableau
  Excel Word PowerPoint Outlook Teams Slack Zoom Jira Confluence Notion Figma Photoshop Linux Ubuntu Debian Windows macOS iOS Android
  Chrome Firefox Safari Nginx Apache Tomcat Node.js Deno Bun Webpack Vite ESLint Prettier Jest Mocha Cypress Playwright Selenium
  OpenAPI GraphQL gRPC REST OAuth SAML LDAP Keycloak Vault Consul Envoy Traefik PyTorch TensorFlow NumPy Pandas Jupyter Hadoop`);
/** Labels of values that are recognizable by their form. They are never part of a name. */
const labels = [
  ...ofLanguages(
    'en:34 de:7 fr:6 es:6 it:6 nl:5 sv fi pl pt en de:2 fr:2 it:1 nl:1 de fr es it nl',
    (language) => language.labels,
  ),
  ...split('Card IBAN Iban IP Host Server Key Token Password Ticket Order Ref'),
];
const titles = ofLanguages('en:13 de fr es it en', (language) => language.titles);
const degrees = ofLanguages('en de fr it', (language) => language.degrees);
const phones = ofLanguages('en:5 de fr es it en da sv', (language) => language.phones);
const { months: germanMonths, weekdays: germanWeekdays } = trainingLanguages.de;
const usualLabels = split('Mail Email E-mail Call Phone Tel Tel. Fax Mobile Contact Telefon Kontakt Telephone Cell');
const acronyms =
  split(`TCP UDP HTTP HTTPS TLS SSL DNS DHCP NAT VPN SSH FTP SMTP IMAP LDAP SAML OIDC OAuth JWT REST SOAP RPC gRPC GraphQL JSON XML
  YAML CSV HTML CSS DOM SQL ACID CAP CRUD ORM MVC CLI GUI IDE SDK JVM JIT AOT GC LRU TTL RAID NVMe SSD HDD CPU GPU TPU NUMA SIMD AVX
  PCIe USB HDMI BIOS UEFI GPIO I2C UART MQTT BLE NFC RFID GPS LTE VLAN BGP OSPF CIDR MTU QoS CDN WAF SIEM SLO SLA RPO RTO CI CD PR QA
  UAT KPI OKR ROI EBITDA VAT GDPR HIPAA PCI ISO ANSI IEEE RFC UTF ASCII MIME UUID HMAC AES RSA ECDSA SHA MD5 CRC FFT PCA SVM CNN RNN
  LLM RAG NLP OCR BP HR ECG MRI CT CBC BMI COPD IV PRN QID SOB PMH Hx Rx Dx Tx CXR ICU ER A1C LDL ALT AST TSH UTI CAD CHF GERD CBT ADHD`);
const base64 = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
/** Names of licences. They are not personal data. */
const licenses = [
  'GNU General Public License',
  'GNU Lesser General Public License',
  'GNU Library General Public License',
  'GNU Affero General Public License',
  'GNU Free Documentation License',
  'Mozilla Public License',
  'Eclipse Public License',
  'European Union Public Licence',
  'Common Development and Distribution License',
  'Creative Commons Attribution License',
  'Boost Software License',
  'Python Software Foundation License',
  'Academic Free License',
  'Open Font License',
  'Artistic License',
  'Apache License',
  'MIT License',
  'ISC License',
  'BSD License',
  'General Public License',
  'Public License',
];
const architectures = split('amd64 all i386 arm64 armhf riscv64 x86_64 noarch');
const gitDay = split('Mon Tue Wed Thu Fri Sat Sun');
const gitMonth = split('Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec');
const sqlWords =
  split(`CASCADE RESTRICT DEFAULT REFERENCES CONSTRAINT UNIQUE PRIMARY FOREIGN CHECK EXISTS BETWEEN HAVING UNION INTERSECT PARTITION
  OVER ROWS PRECEDING CURRENT TRIGGER FUNCTION RETURNS LANGUAGE BEGIN COMMIT ROLLBACK GRANT REVOKE ANALYZE VACUUM EXPLAIN TEMPORARY
  MATERIALIZED VIEW SEQUENCE SCHEMA TABLESPACE COLLATE INTERVAL TIMESTAMP NUMERIC BOOLEAN LATERAL RECURSIVE`);

/** People after whom laws, methods and units are named. They are not personal data there. */
const eponyms =
  split(`Abel Ampère Archimedes Avogadro Banach Bayes Bellman Bernoulli Bessel Boltzmann Bonferroni Boole Brown Cantor Cauchy Cholesky Coulomb
  Cramer Dedekind Delaunay Dijkstra Dirac Dirichlet Doppler Einstein Euclid Euler Faraday Fermat Fibonacci Fisher Fourier Frobenius Galerkin
  Galois Gauss Gödel Green Hamilton Hausdorff Heisenberg Helmholtz Hermite Hilbert Hölder Hooke Jacobi Jensen Kepler Kolmogorov Kronecker
  Kruskal Krylov Lagrange Laplace Lebesgue Legendre Leibniz Lipschitz Lorentz Markov Maxwell Mendel Minkowski Moore Nash Newton Nyquist Ohm
  Pareto Pascal Pearson Picard Planck Poincaré Poisson Pythagoras Riemann Rolle Runge Schrödinger Schur Schwarz Shannon Simpson Sobolev
  Spearman Stirling Stokes Student Sturm Taylor Turing Voronoi Weierstrass Welch Wiener Wilcoxon Zipf`);

const emailHosts = split(
  'gmail.com yahoo.com outlook.com example.com example.org web.de gmx.net orange.fr libero.it mail.com proton.me acme.io',
);
const units = split('USD EUR GBP $ € £ CHF');

/** Functions that generate the text of a placeholder, by its name. */
type Makers = Readonly<Record<string, () => string>>;

/** Fills the template placeholders that are not names. */
export class Fillers {
  private readonly random: Random;
  private readonly wordNet: WordNet;
  private readonly proper: readonly string[];
  /** Nouns that are also given names: job, dawn, art. */
  private readonly alsoNames: readonly string[];
  private readonly makers: ReadonlyMap<string, () => string>;

  constructor(random: Random, wordNet: WordNet) {
    this.random = random;
    this.wordNet = wordNet;
    const names = new Set(
      namePools.flatMap(({ given, family }) => [...given, ...family]).map((name) => name.toLowerCase()),
    );
    this.alsoNames = wordNet.nouns.filter((noun) => noun.length > 2 && noun.length < 9 && names.has(noun));
    this.proper = [...wordNet.proper].filter((name) => /^\p{Lu}\p{Ll}{3,}(?:an|ish|ese|ian|ic)$/u.test(name));
    this.makers = new Map(Object.entries({ ...this.words(), ...this.values(), ...this.software(), ...this.people() }));
  }

  private word(length = 11): string {
    const noun = this.random.chance(0.12) ? this.random.pick(this.alsoNames) : this.usually('nouns');
    return noun.length > length ? this.word(length) : noun;
  }

  /** A word that occurs in running text, or any word of the dictionary. */
  private usually(list: 'nouns' | 'verbs' | 'adjectives'): string {
    const { random, wordNet } = this;
    return random.pick(random.chance(0.55) ? wordNet.usual[list] : wordNet[list]);
  }

  private identifier(): string {
    const { random } = this;
    const parts = [
      this.word(8),
      random.chance(0.5) ? random.pick(this.wordNet.verbs).slice(0, 8) : this.word(8),
      this.word(8),
    ].slice(0, random.int(1, 3));
    if (random.chance(0.35)) return parts.join('_');
    if (random.chance(0.1)) return parts.join('-');
    return parts.map((part, at) => (at === 0 ? part : capitalized(part))).join('');
  }

  private digits(count: number): string {
    return String(this.random.int(1, 9)) + this.random.format('#'.repeat(count - 1));
  }

  private date(): string {
    const { random } = this;
    const day = random.int(1, 28);
    const month = random.int(1, 12);
    const year = random.int(1920, 2026);
    const two = (number: number): string => String(number).padStart(2, '0');
    return random.pick([
      `${year}-${two(month)}-${two(day)}`,
      `${two(day)}/${two(month)}/${year}`,
      `${two(day)}.${two(month)}.${year}`,
      `${months[month - 1] ?? ''} ${day}, ${year}`,
      `${day} ${months[month - 1] ?? ''} ${year}`,
      `${day}. ${germanMonths[month - 1] ?? ''} ${year}`,
      `${month}/${day}/${year % 100}`,
      `${weekdays[day % 7] ?? ''}, ${months[month - 1] ?? ''} ${day}`,
    ]);
  }

  private phone(): string {
    return this.random.format(this.random.pick(phones));
  }

  private germanNoun(): string {
    const { random } = this;
    const chance = random.next();
    if (chance < 0.4) return random.pick(wideWords.de.nouns);
    return random.pick(germanNouns) + (chance < 0.5 ? random.pick(germanNouns).toLowerCase() : '');
  }

  /** A short run of letters that is not a word, like the abbreviations of programmers. */
  private letters(): string {
    const { random } = this;
    if (random.chance(0.5))
      return this.word(9)
        .replace(/(?<=.)[aeiou]/g, '')
        .slice(0, 4);
    return random.format('?'.repeat(random.int(2, 4))).toLowerCase();
  }

  /** A package name, as software distributions write it. */
  private distributed(): string {
    const { random } = this;
    const stem = (): string => (random.chance(0.4) ? this.letters() : this.word(8));
    const number = (): string => (random.chance(0.4) ? this.digits(1) : '');
    return random.pick([
      () => `lib${stem()}${number()}`,
      () =>
        `lib${stem()}${number()}-${random.pick(['dev', 'bin', 'common', 'perl', 'data', 'doc', 'core-dev', stem()])}`,
      () => `lib${stem()}-${stem()}-${random.pick(['perl', 'java', 'ruby', 'dev', 'cil'])}`,
      () => `${random.pick(['python3', 'golang', 'node', 'ruby', 'fonts', 'gir1.2', 'r-cran', 'x11'])}-${stem()}`,
      () => `golang-${stem()}-${stem()}-${stem()}-dev`,
      () =>
        `${stem()}-${random.pick(['dev', 'bin', 'common', 'utils', 'tools', 'data', 'core', 'doc', 'dbg', 'db', 'dbus', stem()])}`,
      () => stem() + number(),
    ])();
  }

  private distributedVersion(): string {
    const { random } = this;
    return random.format(
      random.pick([
        '#.##',
        '#:#.##.#-#',
        '#.#.#',
        '##.#-#+deb##u#',
        '#.##+dfsg-#',
        '#.#~rc#-#',
        '#.#.##+nmu#',
        '#.##-#ubuntu#',
        '#.#p#-#',
      ]),
    );
  }

  /** A coined program name. */
  private program(): string {
    const { random } = this;
    const word = this.word(8);
    const made = random.pick([word, word, word + this.letters(), this.letters() + word, `${word.charAt(0)}-${word}`]);
    return made.replace(/(?:^|-)./g, (first) => first.toUpperCase());
  }

  /** @returns the text for a placeholder, or undefined for an unknown one. */
  fill(name: string): string | undefined {
    return this.makers.get(name)?.();
  }

  /** English words and German nouns. */
  private words(): Makers {
    const { random } = this;
    return {
      noun: () => (random.chance(0.1) ? `${this.usually('adjectives')} ${this.word()}` : this.word()),
      Noun: () => capitalized(this.word()),
      noun_de: () => this.germanNoun(),
      verb: () => this.usually('verbs'),
      Verb: () => capitalized(this.usually('verbs')),
      adj: () => this.usually('adjectives'),
      Adj: () => capitalized(this.usually('adjectives')),
      nat: () => random.pick(this.proper),
      Namesake: () => capitalized(random.pick(this.alsoNames)),
      word8: () => this.word(8),
      verbing: () => capitalized(`${this.usually('verbs').replace(/e$/, '')}ing`),
      NOUN: () => this.word().toUpperCase(),
      ADJ: () => this.usually('adjectives').toUpperCase(),
      letters: () => this.letters(),
      tech: () => random.pick(technologies),
      acronym: () => random.pick(acronyms),
      eponym: () => random.pick(eponyms),
      mathword: () => random.pick(mathWords),
      mathenv: () => random.pick(mathEnvironments),
      Number: () => random.pick(['Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten', 'Twelve']),
    };
  }

  /** Dates, amounts and other values. */
  private values(): Makers {
    const { random } = this;
    return {
      month: () => random.pick(months),
      month_de: () => random.pick(germanMonths),
      weekday: () => random.pick(weekdays),
      weekday_de: () => random.pick(germanWeekdays),
      date: () => this.date(),
      time: () => random.format(random.pick(['1#:##', '0#:##', '1#:##:##', '#:## pm', '# am', '#:##'])),
      money: () =>
        random.chance(0.5)
          ? `${random.pick(units)}${this.digits(random.int(2, 4))}`
          : `${this.digits(random.int(1, 3))}.${random.format('##')} ${random.pick(units)}`,
      num1: () => this.digits(1),
      num2: () => this.digits(2),
      num3: () => this.digits(3),
      num4: () => (random.chance(0.5) ? String(random.int(1850, 2026)) : this.digits(random.int(4, 5))),
      num6: () => this.digits(6),
      num9: () => this.digits(9),
      phone: () => this.phone(),
      email: () =>
        `${this.word(8)}${random.pick(['.', '_', '', ''])}${random.chance(0.4) ? this.digits(2) : this.word(7)}@${random.chance(0.6) ? random.pick(emailHosts) : `${this.word(8)}.com`}`,
      handle: () => this.word(8) + (random.chance(0.5) ? this.digits(2) : ''),
      id: () =>
        random.format(
          random.pick(['??-####', 'INV-#####', '#######', '??######', '#####-##', 'ORD####', '?##?##', 'A-###/##']),
        ),
      iban: () => random.format('DE## #### #### #### #### ##'),
      ip: () => `${this.digits(2)}.${this.digits(3)}.${this.digits(2)}.${this.digits(1)}`,
    };
  }

  /** Identifiers, files and software packages. */
  private software(): Makers {
    const { random } = this;
    const { nouns } = this.wordNet;
    return {
      ident: () => this.identifier(),
      Ident: () =>
        capitalized(this.word(9)) +
        (random.chance(0.6)
          ? capitalized(
              random.pick([
                ...nouns.slice(0, 400),
                'manager',
                'service',
                'client',
                'factory',
                'handler',
                'controller',
                'error',
              ]),
            )
          : ''),
      CONST: () => `${this.word(8)}_${this.word(8)}`.toUpperCase(),
      file: () =>
        `${random.pick(['/usr/lib/', 'src/', './', 'C:\\', '/home/app/'])}${this.word(8)}/${this.word(8)}.${random.pick(['py', 'ts', 'go', 'java', 'rb', 'cs'])}`,
      version: () => `${this.digits(1)}.${this.digits(1)}.${this.digits(2)}`,
      license: () =>
        random.pick(licenses) +
        random.pick(['', '', '', ` ${this.digits(1)}.0`, `, Version ${this.digits(1)}`, ` v${this.digits(1)}`]),
      deb: () => this.distributed(),
      debver: () => this.distributedVersion(),
      arch: () => random.pick(architectures),
      Word: () => this.program(),
      gitdate: () =>
        `${random.pick(gitDay)} ${random.pick(gitMonth)} ${random.int(1, 28)} ${random.format('1#:##:##')} ${random.int(2005, 2026)}${random.chance(0.7) ? ` ${random.pick(['+', '-'])}0${random.int(0, 9)}00` : ''}`,
      sql: () => random.pick(sqlWords),
      package: () =>
        `${random.chance(0.2) ? `@${this.word(8)}/` : ''}${this.word(8)}${random.chance(0.7) ? `-${this.word(8)}` : ''}`,
      hash: () => Array.from({ length: random.int(20, 60) }, () => random.pick(base64)).join(''),
    };
  }

  /** Roles, labels and other words that occur near people. */
  private people(): Makers {
    const { random } = this;
    const { nouns, roles } = this.wordNet;
    return {
      role: () => random.pick(roles),
      Role: () =>
        random.chance(0.5)
          ? capitalized(random.pick(roles))
          : `${random.pick(['Senior', 'Lead', 'Chief', 'Head of', 'Junior', 'Assistant', 'Sales', 'Deputy', 'Vice'])} ${capitalized(random.chance(0.4) ? random.pick(nouns) : random.pick(roles))}`,
      title: () => random.pick(titles),
      usual: () => random.pick(usualLabels),
      label: () => random.pick(random.chance(0.35) ? usualLabels : labels),
      column: () => {
        const column = random.pick(columns);
        return random.chance(0.5) ? column.toLowerCase() : column.replaceAll('_', random.pick([' ', '_', ' ']));
      },
      group: () => random.pick(groups),
      orgword: () => random.pick(orgWords),
      Orgword: () => capitalized(random.pick(orgWords)),
      ORGWORD: () => random.pick(orgWords).toUpperCase(),
      kin: () =>
        random.pick(['', '', '', 'great ', 'great great ', 'step', 'late ', 'older ', 'little ']) +
        random.pick(kin) +
        (random.chance(0.1) ? '-in-law' : ''),
      department: () => random.pick(departments),
      job: () =>
        `${random.chance(0.4) ? `${random.pick(levels)} ` : ''}${random.chance(0.6) ? `${random.pick(fields)} ` : ''}${random.pick(jobs)}`,
      degree: () => random.pick(degrees),
      product: () =>
        [random.pick(goods), capitalized(this.word()), capitalized(this.word(8))].slice(0, random.int(2, 3)).join(' '),
    };
  }
}
