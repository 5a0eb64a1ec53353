import type { Language } from '../language.ts';

export const german: Language = {
  codes: ['de'],
  context: {
    phone: String.raw`telefon|telefax|\bhandy|mobil|rufnummer|durchwahl|anruf|erreich|nummer`,
    phoneLabelAbove: 'telefon',
    phoneLabelAfter: 'handy',
    phoneExtension: String.raw`durchwahl|dw\.?`,
    otherNumber: 'rechnung|bestell|kunden|auftrag|plz',
    card: 'karte',
    cardCode: 'prüfnummer|prüfziffer|kartenprüfnummer|sicherheitscode',
    cardExpiry: 'gültig bis|ablauf(?:datum)?',
    date: 'datum',
    password: 'passwort|kennwort',
    is: 'ist',
    vehicle: 'fahrgestell|fahrzeug',
    plate: 'kennzeichen|nummernschild',
    plateNumber: String.raw`nr\b`,
    birth: String.raw`geb(?:oren|urtsdatum|\.)|geburtstag`,
    month: 'januar|februar|märz|april|mai|juni?|juli?|august|september|okt(?:ober)?|november|dez(?:ember)?',
    position: 'standort',
    coordinate: 'breitengrad|längengrad',
    driverLicense: 'f(?:ü|ue)hrerschein(?:nummer)?',
    passport: 'reisepass(?:nummer)?',
    bankAccount: 'kontonummer',
    documentId:
      'personalausweis(?:nummer)?|ausweisnummer|personalnummer|matrikelnummer|versichertennummer|steuernummer',
    documentFiller: 'nr|ist|lautet',
    username: 'benutzer(?:name|kennung)?|nutzername|anmeldename|kennung',
    vat: String.raw`ust-?\s?id|umsatzsteuer|\bmwst\b`,
    personName:
      'vor-? ?(?:und nach)?name|nachname|familienname|zuname|geburtsname|ansprechpartner(?:in)?|kontoinhaber(?:in)?|karteninhaber(?:in)?',
  },
  keywords: {
    username: ['benutz', 'nutzer', 'anmeld', 'kennung'],
    personName: ['name', 'vorname', 'vor', 'nachname', 'familienname', 'zuname', 'ansprech', 'kontoinh', 'karteninh'],
    secret: ['pass', 'kennwort'],
    card: ['pruf', 'sicherheitscode', 'gultig', 'ablauf'],
    plate: ['kennz', 'schild'],
  },
  phonePlans: { always: ['DE'], expectedWithZero: ['AT', 'CH'] },
};
