import { codeBeforeTown, suffixed } from '../../addressFormat.ts';
import type { TrainingLanguage } from '../../language.ts';
import { split } from '../../words.ts';

export const icelandicTraining = {
  names: {
    given:
      split(`Jón Sigurður Guðmundur Gunnar Ólafur Einar Magnús Kristján Stefán Jóhann Björn Árni Helgi Þór Ragnar Bjarni Páll
      Haukur Hjalti Þorsteinn Guðrún Anna Kristín Sigríður Margrét Helga Sigrún Ingibjörg Jóhanna María Katrín Hildur Elín Ásta
      Ragnheiður Guðbjörg Erla Birna Unnur Þóra Sólveig Halla Ása Auður Vigdís`),
    family:
      split(`Jónsson Jónsdóttir Sigurðsson Sigurðardóttir Guðmundsson Guðmundsdóttir Gunnarsson Gunnarsdóttir Ólafsson
      Ólafsdóttir Einarsson Einarsdóttir Magnússon Magnúsdóttir Kristjánsson Kristjánsdóttir Stefánsson Björnsson Björnsdóttir
      Árnason Árnadóttir Helgason Helgadóttir Ragnarsson Bjarnason Pálsson Pálsdóttir Hauksson Þorsteinsson Þorsteinsdóttir`),
  },
  addresses: [
    {
      code: 'IS',
      weight: 1.5,
      names: ['Iceland', 'Ísland'],
      street: { name: suffixed('gata stræti vegur braut hólar hagi teigur') },
      codes: ['###'],
      order: codeBeforeTown,
    },
  ],
} satisfies TrainingLanguage;
