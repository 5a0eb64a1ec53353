import type { Language } from '../language.ts';

export const dutch: Language = {
  codes: ['nl'],
  context: {
    phone: String.raw`telefoon|mobiel|\bbel\b|bellen|\bgsm\b`,
    card: 'kaart',
    cardCode: 'beveiligingscode',
    cardExpiry: String.raw`vervalt|geldig tot|geldig t/m`,
    password: 'wachtwoord',
    plate: String.raw`kenteken|nummerplaat`,
    birth: 'geboorte',
    month: 'januari|februari|maart|mei|juni|juli|augustus|okt(?:ober)?',
    position: 'locatie',
    driverLicense: 'rijbewijs(?:nummer)?',
    passport: 'paspoort(?:nummer)?',
    bankAccount: 'rekeningnummer',
    username: 'gebruiker(?:snaam)?|inlognaam',
    vat: String.raw`\bbtw\b`,
    personName: 'voornaam|achternaam|volledige naam',
    documentId: String.raw`(?:klant|personeels?|lid|polis|contract|pati[ëe]nt)(?:nummer|nr)|klantn|personeelsn|contract`,
    documentFiller: String.raw`nr|nummer|is`,
    booking: String.raw`boeking(?:scode|snummer)?|reservering(?:scode|snummer)?`,
    name: 'naam',
  },
  keywords: {
    username: ['gebruik', 'inlog'],
    personName: ['naam', 'voornaam', 'achternaam', 'volledige'],
    secret: ['wachtwoord'],
    card: ['beveiliging', 'vervalt', 'geldig'],
    plate: ['nummerpl', 'kentek'],
  },
  phonePlans: { always: ['NL'], expectedWithZero: ['BE'] },
};
