import { lines, type HeldOutNames } from '../../../heldOut/language.ts';

/** The organisations are invented. */
export const italianHeldOut: HeldOutNames = {
  pools: ['it'],
  country: 'IT',
  organizations: lines(`Falegnameria Tre Cime
      Oleificio Poggiobello
      Cooperativa Il Girasole
      Autolinee Valdarno Nord
      Studio Notarile Bracci
      Asilo Arcobaleno
      Termoidraulica Fontechiara S.n.c.
      Polisportiva Stella Azzurra
      Ottica Belvedere
      Assicurazioni del Tirreno
      Cantina Montefosco
      Tipografia Artigiana Srl
      Acque del Sannio
      Albergo Alla Posta Vecchia`),
  streets: lines(`via dei Conciatori #
      vicolo del Forno, #
      piazzetta San Rocco #
      viale dei Tigli, #
      via Vecchia Ferriera #
      corso Porta Nuova, #
      salita del Castello, #
      strada della Chiusa #
      largo delle Erbe, #
      lungofiume Matteotti #`),
  towns: ['31020 @', '84011 @ (SA)', '50065 @', '10023 @'],
  phones: ['347 5550 921', '06 5555 0183', '+39 02 5550 7714'],
  dates: ['14 marzo', '02/11/2024', '7 agosto 2025', '1° maggio'],
};
