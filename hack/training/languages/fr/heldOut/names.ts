import { lines, type HeldOutNames } from '../../../heldOut/language.ts';

/** The organisations are invented. */
export const frenchHeldOut: HeldOutNames = {
  pools: ['fr'],
  country: 'FR',
  organizations: lines(`Menuiserie du Val Doré
      Ateliers Brumaire
      Mutuelle des Deux Rives
      Établissements Chantepie
      Primeurs de la Halle
      École maternelle des Tilleuls
      Autocars Belvaux SAS
      Cabinet dentaire des Remparts
      Fromagerie Haut-Plateau
      Mutuelle Rurale de Saintonge
      Amicale laïque des Sources
      Imprimerie Grandval
      Régie des Eaux du Marais
      Optique Lumen`),
  streets: lines(`#, rue des Tanneurs
      # chemin du Lavoir
      #, quai aux Herbes
      # bis, allée des Charmes
      #, impasse du Four-à-Pain
      # place du Vieux-Puits
      #, montée des Carmélites
      # rue Basse
      #, avenue du Champ-de-Foire
      # sente des Pêcheurs`),
  towns: ['44130 @', '21190 @', '07200 @', '59440 @'],
  phones: ['06 39 98 41 07', '02 61 91 33 58', '+33 1 99 00 62 14'],
  dates: ['14 juillet', '02/11/2024', '7 août 2025', '1er mars'],
};
