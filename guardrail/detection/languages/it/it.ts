import type { Language } from '../language.ts';

export const italian: Language = {
  codes: ['it'],
  context: {
    phone: 'cellulare|chiam|numero',
    otherNumber: 'ordine|fattura',
    card: 'carta',
    cardCode: 'codice di sicurezza',
    cardExpiry: 'scade|scadenza',
    password: "parola d'ordine",
    is: 'è',
    vehicle: 'telaio',
    plate: String.raw`\btarga`,
    birth: 'nat[oa] (?:il|a)|nascita',
    month: 'gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre',
    ofMonth: 'di',
    position: 'posizione',
    coordinate: 'latitudine|longitudine',
    driverLicense: 'patente di guida',
    passport: 'passaporto',
    documentId: "carta d'identit[àa]",
    documentFiller: 'il|la|numer[oa]',
    username: '(?:nome )?utente',
    vat: 'partita',
    personName: 'cognome|nome completo|intestatario',
  },
  keywords: {
    secret: ["parola d'ordine"],
    card: ['codice di', 'scad'],
    plate: ['targa'],
  },
  phonePlans: { always: ['IT'], expectedWithZero: ['CH'] },
};
