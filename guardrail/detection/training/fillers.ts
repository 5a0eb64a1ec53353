import { capitalized } from './capitalized.ts';
import { namePools, wideWords } from './lexicon.ts';
import { type WordNet } from './wordNet.ts';
import type { Random } from './random.ts';

const split = (words: string): string[] => words.trim().split(/\s+/);

const months = split('January February March April May June July August September October November December');
const weekdays = split('Monday Tuesday Wednesday Thursday Friday Saturday Sunday');
const monthsDe = split('Januar Februar März April Mai Juni Juli August September Oktober November Dezember');
const weekdaysDe = split('Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag');
/** German nouns: capitalised, but not names. */
const nounsDe =
  split(`Abend Abteilung Abschluss Adresse Akte Alltag Altstadt Amt Anfang Anfrage Angebot Angst Anlage Antrag Antwort
  Anwendung Anzeige Apfel Arbeit Arbeiter Architektur Armee Arzt Aufgabe Auftrag Auge Ausbildung Ausgabe Ausland Ausstellung
  Auswahl Auto Autobahn Bahn Bahnhof Band Bank Bau Bauer Baum Bedeutung Bedingung Bericht Beruf Berg Bewegung Beziehung Bild
  Bildung Blatt Blume Boden Brief Brot Bruder Buch Bundesliga Bundesregierung Burg Büro Chef Computer Dach Dame Datei Daten Datenbank Dienst
  Ding Dokument Dorf Druck Ebene Ehe Ei Einfluss Einheit Einkauf Eltern Ende Energie Entscheidung Entwicklung Erde Ereignis
  Erfahrung Erfolg Ergebnis Erklärung Essen Fach Fahrer Fahrt Fahrzeug Familie Farbe Fehler Feld Fenster Fernsehen Feuer Film
  Firma Fisch Flasche Fläche Flughafen Fluss Form Forschung Frage Freiheit Freund Frieden Frist Funktion Fuß Garten Gast Gebäude
  Gebiet Gedanke Gefahr Gegenstand Geld Gemeinde Gericht Geschäft Geschichte Gesellschaft Gesetz Gesicht Gespräch Gesundheit
  Gewalt Gewicht Glas Glück Grenze Grund Gruppe Hafen Hand Handel Handwerk Haus Haushalt Heizung Herbst Herz Hilfe Himmel Hochschule Hof Hotel
  Hund Idee Industrie Information Inhalt Insel Institut Interesse Jahr Jahrhundert Jahrzehnt Jugend Junge Kaffee Kaiser Karte Kasse Kind
  Kirche Klasse Kleid Kloster Kopf Körper Kosten Kraft Krankheit Krieg Kritik Küche Kultur Kunde Kunst Künstler Kündigung Kurs Land
  Landschaft Leben Lehrer Leistung Leiter Leser Leute Licht Liebe Lied Lösung Luft Macht Mal Mann Mannschaft Markt Maschine
  Material Mauer Meer Mehrheit Meinung Meister Mensch Messe Miete Milch Minute Mitarbeiter Mitglied Mitte Mittel Mitternacht Moment
  Monat Morgen Motor Musik Mutter Nachbar Nachricht Nacht Name Natur Netz Netzwerk Nummer Oberfläche Objekt Oper Opfer Ordnung Ort
  Osten Paar Partei Pflanze Pferd Plan Platz Politik Polizei Post Preis Presse Prinzip Problem Produkt Produktion Programm Projekt
  Prozent Prozess Prüfung Punkt Quelle Rad Rahmen Rand Raum Recht Rechnung Regel Regen Regierung Region Reihe Reise Reparatur Richter
  Richtung Ring Rolle Roman Ruhe Saison Sache Saal Schiff Schlüssel Schloss Schluss Schnee Schule Schüler Schutz Schwester See
  Seite Sekunde Sicherheit Sieg Sinn Sitz Sitzung Software Sohn Soldat Sommer Sonne Sorge Spiel Spieler Sport Sprache Staat Stadt
  Stamm Standort Stein Stelle Steuer Stimme Stoff Strafe Strand Straße Strecke Strom Struktur Stück Student Studie Studium Stunde Süden
  Suche System Tabelle Tag Tal Tasche Team Technik Teil Teilnehmer Tempel Termin Test Text Theater Thema Theorie Tier Tisch Titel Tochter
  Tod Ton Tor Tradition Traum Treffen Tür Turm Typ Übersicht Umfrage Umgebung Umsatz Umwelt Unfall Universität Unterlagen Unternehmen
  Unterricht Unterschied Untersuchung Urlaub Ursache Urteil Vater Verband Verbindung Verein Verfahren Verfassung Vergleich
  Verhältnis Verkehr Verlag Verlust Versicherung Version Versuch Vertrag Vertreter Verwaltung Video Volk Vorschlag Vorstand
  Vorteil Wagen Wahl Wald Wand Ware Wasser Weg Weihnachten Wein Welt Weltkrieg Werk Westen Wettbewerb Wetter Wind Winter Wirkung Wirtschaft
  Wissenschaft Woche Wohnung Wort Wunsch Zahl Zeichen Zeile Zeit Zeitschrift Zeitung Ziel Zimmer Zug Zukunft Zusammenarbeit Zustand
  Zweck Dreißigjährige Nachkriegszeit Ministerpräsident Bundesland Landesregierung Weltmeisterschaft Nationalmannschaft Meisterschaft
  Schauspieler Politiker Schriftsteller Journalist Fußballspieler Professor Doktor Präsident Bundeskanzler Rechtsanwalt Gattung Art Unterart
  Quellcode Anwender Benutzer Passwort Einstellung Schaltfläche Menü Drucker Bildschirm Tastatur Speicher Datum Uhrzeit Betreff Anhang`);
const technologies =
  split(`Kubernetes Docker Terraform Ansible Jenkins GitLab GitHub Python Java Rust Go TypeScript JavaScript React Angular
  Vue Svelte Django Flask Spring Rails Laravel Postgres PostgreSQL MySQL MongoDB Redis Kafka RabbitMQ Elasticsearch Grafana Prometheus
  Istio Helm ArgoCD EKS GKE AKS S3 EC2 Lambda DynamoDB CloudFront Route53 Fargate BigQuery Snowflake Databricks Spark Airflow dbt Tableau
  Excel Word PowerPoint Outlook Teams Slack Zoom Jira Confluence Notion Figma Photoshop Linux Ubuntu Debian Windows macOS iOS Android
  Chrome Firefox Safari Nginx Apache Tomcat Node.js Deno Bun Webpack Vite ESLint Prettier Jest Mocha Cypress Playwright Selenium
  OpenAPI GraphQL gRPC REST OAuth SAML LDAP Keycloak Vault Consul Envoy Traefik PyTorch TensorFlow NumPy Pandas Jupyter Hadoop`);
const titles = split(
  'Mr. Mrs. Ms. Dr. Mr Mrs Ms Dr Miss Prof. Professor Sir Lady Herr Frau Madame Mme M. Señor Señora Sra. Sr. Signora Mx.',
);
/** Labels of values that are recognizable by their form. They are never part of a name. */
const labels =
  split(`Mail Email E-mail Call Phone Tel Tel. Telephone Fax Mobile Cell Contact Write Text Ring Reach Message Ping Send Ask
  Forward Reply Dial Office Home Support Info Website Web Url User Login Username Account Kontakt Telefon Anruf Rufen Schreiben Handy
  Mailen Appelez Contactez Écrivez Courriel Téléphone Portable Llame Escriba Correo Teléfono Móvil Contacto Chiami Scriva Chiamate
  Posta Telefono Cellulare Bel Stuur Schrijf Telefoon Mobiel Ring Skriv Maila Telefon Puhelin Zadzwoń Ligue Celular Also Or Via Then
  Now Please Bitte Oder Ou Veuillez Oppure Of Und Et Y E En Card IBAN Iban IP Host Server Key Token Password Ticket Order Ref`);
const usualLabels = split('Mail Email E-mail Call Phone Tel Tel. Fax Mobile Contact Telefon Kontakt Telephone Cell');
/** Names of columns and fields. */
const columns =
  split(`Name Full_Name First_Name Last_Name Surname Role Position Title Department Team Status Rank Score Points Driver Player Item
  Quantity Price Amount Total Date Start End Location City Country Email Phone Owner Author Reviewer Assignee Customer Client Employee
  Manager Notes Comment Category Type Priority Due Gender Age Height Weight Grade Subject Course Room Floor Seat Model Colour Size`);
const departments = split(
  'Human_Resources Finance Accounting Marketing Sales Engineering Customer_Service Procurement Legal Operations Quality_Assurance Research_and_Development IT_Support Public_Relations Facilities Logistics Payroll Design Security Training Purchasing Administration Product_Management Data_Science Internal_Audit Communications',
).map((name) => name.replaceAll('_', ' '));
const levels = split(
  'Senior Junior Lead Principal Staff Associate Chief Head Assistant Deputy Trainee Freelance Interim Executive',
);
const jobs = split(
  'Engineer Developer Designer Analyst Consultant Manager Architect Administrator Accountant Nurse Technician Teacher Lecturer Researcher Editor Writer Translator Chef Electrician Plumber Mechanic Driver Cashier Receptionist Coordinator Specialist Officer Director Controller Auditor Recruiter Planner Buyer Clerk Operator Scientist Tester Strategist Producer Surveyor',
);
const fields = split(
  'Software Backend Frontend Mechanical Civil Electrical Data Systems Network Security Quality Marketing Sales Product Project Account Business Financial Tax Legal Graphic Interior Web Mobile Cloud Machine_Learning Supply_Chain Customer_Success Content Research Process Human_Factors Test Embedded',
).map((name) => name.replaceAll('_', ' '));
const degrees = split(
  'BSc MSc BA MA PhD MBA B.Sc. M.Sc. B.A. M.A. Bachelor_of_Science Master_of_Arts Diploma Certificate Abitur Licence Laurea',
).map((name) => name.replaceAll('_', ' '));
const acronyms =
  split(`TCP UDP HTTP HTTPS TLS SSL DNS DHCP NAT VPN SSH FTP SMTP IMAP LDAP SAML OIDC OAuth JWT REST SOAP RPC gRPC GraphQL JSON XML
  YAML CSV HTML CSS DOM SQL ACID CAP CRUD ORM MVC CLI GUI IDE SDK JVM JIT AOT GC LRU TTL RAID NVMe SSD HDD CPU GPU TPU NUMA SIMD AVX
  PCIe USB HDMI BIOS UEFI GPIO I2C UART MQTT BLE NFC RFID GPS LTE VLAN BGP OSPF CIDR MTU QoS CDN WAF SIEM SLO SLA RPO RTO CI CD PR QA
  UAT KPI OKR ROI EBITDA VAT GDPR HIPAA PCI ISO ANSI IEEE RFC UTF ASCII MIME UUID HMAC AES RSA ECDSA SHA MD5 CRC FFT PCA SVM CNN RNN
  LLM RAG NLP OCR BP HR ECG MRI CT CBC BMI COPD IV PRN QID SOB PMH Hx Rx Dx Tx CXR ICU ER A1C LDL ALT AST TSH UTI CAD CHF GERD CBT ADHD`);
const base64 = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
/** Words in product names: material, make, use. */
const goods = split(
  'Oak Wool Linen Cotton Merino Leather Denim Bamboo Ceramic Glass Steel Copper Classic Vintage Deluxe Premium Compact Portable Folding Wireless Smart Organic Spicy Creamy Roasted Grilled Fresh Lemon Chocolate Vanilla Winter Summer Trail Travel Kids Navy Washed Slim Ultra Pro Mini Maxi Everyday Natural Handmade Solid Soft Heavy Light Eco Alpine Ocean Urban Sport',
);
/** Kinds of organisations, not their names. */
const groups = split(
  'company firm bank orchestra choir club association university hospital agency startup institute museum foundation union committee office shop store brewery bakery school college ministry court newspaper publisher airline hotel restaurant charity league team band cooperative consultancy laboratory network provider manufacturer retailer',
);
/** Words of organisation names that often have another meaning: "the Software", "a bank of switches". */
const orgWords = split(
  'software library system group bank company foundation service network solution association institute university program work product licence licensor contributor distributor trust capital insurance security data design research engineering management market agency store record press power energy water supply trading transport union council committee corporation partner studio academy hospital club team office party society authority board fund exchange',
);
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
const kin = split(
  'mother father sister brother grandmother grandfather aunt uncle cousin niece nephew daughter son wife husband partner mom dad mum grandma grandpa godfather neighbour boss landlord friend colleague teacher doctor',
);
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
const mathWords = split(
  'theorem lemma inequality method matrix distribution equation norm space test filter transform series integral criterion process algorithm scheme solver mesh coefficient correction statistic factor formula law effect constant operator polynomial kernel sequence identity bound',
);
const mathEnvironments = split('theorem lemma proof definition corollary proposition remark example');

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
      `${day}. ${monthsDe[month - 1] ?? ''} ${year}`,
      `${month}/${day}/${year % 100}`,
      `${weekdays[day % 7] ?? ''}, ${months[month - 1] ?? ''} ${day}`,
    ]);
  }

  private phone(): string {
    return this.random.format(
      this.random.pick([
        '+1 ###-###-####',
        '(###) ###-####',
        '###-###-####',
        '+44 20 #### ####',
        '0#### ######',
        '+49 30 ########',
        '0# ## ## ## ##',
        '+33 # ## ## ## ##',
        '### ### ###',
        '+39 ### #######',
        '###.###.####x###',
        '## ### ###',
        '0##-### ## ##',
        '+46 # ### ### ##',
      ]),
    );
  }

  private germanNoun(): string {
    const { random } = this;
    const chance = random.next();
    if (chance < 0.4) return random.pick(wideWords.de.nouns);
    return random.pick(nounsDe) + (chance < 0.5 ? random.pick(nounsDe).toLowerCase() : '');
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
      month_de: () => random.pick(monthsDe),
      weekday: () => random.pick(weekdays),
      weekday_de: () => random.pick(weekdaysDe),
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
