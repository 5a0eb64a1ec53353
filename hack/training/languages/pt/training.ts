import { codeBeforeTown, prefixedBy } from '../../addressFormat.ts';
import type { TrainingLanguage } from '../../language.ts';
import { split } from '../../words.ts';

export const portugueseTraining = {
  particles: ['da', 'dos'],
  labels: ['Ligue', 'Celular'],
  legalForms: ['Lda', 'Ltda'],
  streetWords: split('rua travessa praça estrada alameda'),
  organizationWords: ['lda', 'ltda'],
  addresses: [
    {
      code: 'PT',
      weight: 3,
      names: ['Portugal'],
      street: {
        name: prefixedBy('Rua|Rua|R.|R|Rua da|Avenida|Av.|Travessa|Largo|Praça|Estrada|Alameda|Beco|Quinta'),
      },
      codes: ['####-###'],
      units: ['#º Esq', '#º Dto', 'r/c'],
      order: codeBeforeTown,
    },
    {
      code: 'BR',
      weight: 3,
      names: ['Brazil', 'Brasil'],
      street: {
        name: prefixedBy('Rua|Rua|Av.|Avenida|Travessa|Alameda|Praça|Rodovia'),
      },
      codes: ['#####-###'],
      regions: ['SP', 'RJ', 'MG', 'RS', 'BA', 'PR'],
      order: (s, c, t, r) => `${s}, ${t}${r ? ` - ${r}` : ''}, ${c}`,
    },
  ],
} satisfies TrainingLanguage;
