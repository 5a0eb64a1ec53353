import type { Language } from '../language.ts';

export const portuguese: Language = {
  codes: ['pt'],
  context: {
    phone: 'telemóvel|ligue',
    username: 'usuário|utilizador|nome de (?:usuário|utilizador)',
    password: 'senha|palavra-passe',
    birth: String.raw`nasc(?:eu|id[oa]|imento)|\bdn\b`,
    month: 'janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro',
    ofMonth: 'de',
    ofYear: 'de',
    personName: 'sobrenome|apelido|nome completo|primeiro nome',
    documentId: String.raw`(?:cliente|utente|s[óo]cio|ap[óo]lice|contrato) n|n[úu]mero d[eo] (?:cliente|utente|s[óo]cio|ap[óo]lice|contrato)|\brg\b|passaporte`,
    documentFiller: String.raw`n[úu]mero|n`,
    booking: String.raw`localizador|reserva`,
    name: 'nome',
    plate: String.raw`matrícula|placa`,
    cardExpiry: String.raw`validade|v[áa]lido at[ée]`,
  },
  keywords: {
    booking: ['localizador', 'reserva'],
    birth: ['nasc', 'dn'],
    card: ['valid'],
    plate: ['matric', 'placa'],
    username: ['usuario', 'utilizador'],
    personName: ['sobrenome', 'apelido', 'nome', 'primeiro'],
    secret: ['senha', 'palavra'],
  },
  phonePlans: { expected: ['PT'], expectedWithZero: ['BR'] },
};
