import { lines, type HeldOutNames } from '../../../heldOut/language.ts';
import { split } from '../../../words.ts';

/** The organisations are invented. */
export const dutchHeldOut: HeldOutNames = {
  pools: ['nl'],
  family:
    split(`Achterberg Bloemhof Boonstra Brandsma Dijkhuizen Doornbos Eikelboom Hoekzema Koopmans Lammers Luijendijk
      Meulenbelt Nagtegaal Oosterhuis Paardekooper Ploegmakers Reitsma Rozendaal Schuurmans Spijkerman Tuinman Uitdewilligen
      Vlasblom Weststrate Wiersinga Zonneveld Hoogendoorn Kroezen Buitenhuis Wijnalda Roggeveen Steenhuis Groeneweg`),
  country: 'NL',
  organizations: lines(`Timmerbedrijf De Schaaf
      Woonstichting Lage Landen
      Bakkerij 't Korenveld
      Basisschool De Regenboog
      Rederij Waddenzicht BV
      Dierenkliniek Kattenbos
      Notariskantoor Hofstede
      Waterbedrijf Oostpolder
      VV Polderzwaluw
      Fietsenmaker Spaakwiel
      Makelaardij Grachtengordel
      Zorggroep Het Veer
      Drukkerij Lettergreep
      Camping De Zandhoeve`),
  streets: lines(`Looierspad #
      Achter de Kerk #
      Turfmarkt #-II
      Oude Veerdam #
      Kersenhof #
      Molenwerf #
      Korte Zoutsteeg #
      Burgemeester Rijnderslaan #
      Zeilmakersgang #
      Havenhoofd #`),
  towns: ['3511 KX @', '9712HG @', '6211 DA @', '1931 BR @'],
  phones: ['06 19 55 01 47', '030 555 0184', '+31 10 555 0923'],
  dates: ['14 maart', '02-11-2024', '7 augustus 2025', '1 mei'],
};
