import type { Language } from '../language.ts';

export const portuguese: Language = {
  codes: ['pt'],
  context: {
    phone: 'telemóvel|ligue',
    username: 'usuário|utilizador|nome de (?:usuário|utilizador)',
    password: 'senha|palavra-passe',
    birth: 'nasc(?:eu|id[oa]|imento)',
    month: 'janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro',
    ofMonth: 'de',
    ofYear: 'de',
    personName: 'sobrenome|apelido|nome completo|primeiro nome',
  },
  keywords: {
    username: ['usuario', 'utilizador'],
    personName: ['sobrenome', 'apelido', 'nome', 'primeiro'],
    secret: ['senha', 'palavra'],
  },
  phonePlans: { expected: ['PT'], expectedWithZero: ['BR'] },
};
