import type { Language } from '../language.ts';

export const french: Language = {
  codes: ['fr'],
  context: {
    phone: 't[ée]l[ée]phone|portable|num[ée]ro|appel|joindre',
    otherNumber: 'facture|commande',
    card: 'carte',
    cardCode: 'cryptogramme',
    cardExpiry: 'expir(?:e|ation)',
    password: 'mot de passe',
    is: 'est',
    vehicle: 'châssis',
    plate: String.raw`immatriculation|immatriculé\w*|plaque|immat\.`,
    plateNumber: 'n[°º]',
    birth: String.raw`n[ée]e? le|naissance|n[ée]+\(e\) le|\bddn\b|n[ée]_le|date_naissance`,
    month:
      'janvier|f[ée]v(?:rier)?|mars|avr(?:il)?|mai|juin|juillet|août|septembre|octobre|novembre|d[ée]cembre|dezembre',
    ordinal: 'er',
    ofMonth: 'de',
    driverLicense: 'permis de conduire',
    passport: 'passeport',
    documentId: String.raw`carte d'identit[ée]|client(?:e)? n|num[ée]ro (?:de )?(?:client|soci[ée]taire|assur[ée]|adh[ée]rent|contrat)|assur[ée]e? n|matricule|dossier n|soci[ée]taire|permis [a-z] n|carte d['’][ée]tudiant|adh[ée]rent n|contrat n`,
    documentFiller: 'n°|est|le|num[ée]ro|de',
    username: "(?:nom d['’])?utilisateur|identifiant|pseudo",
    vat: String.raw`\btva\b`,
    personName: 'pr[ée]nom|nom de famille|nom complet|titulaire',
    booking: String.raw`r[ée]servation|dossier de voyage`,
    name: 'nom',
  },
  keywords: {
    username: ['utilisat', 'identifiant', 'pseudo'],
    personName: ['prenom', 'nom ', 'titulaire'],
    secret: ['mot de passe'],
    card: ['cryptogramme', 'exp'],
    plate: ['plaq', 'immatr'],
  },
  phonePlans: { always: ['FR'], expectedWithZero: ['BE', 'CH'] },
};
