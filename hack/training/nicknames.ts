import { split } from './words.ts';

/** Short and affectionate forms of given names. */
export const nicknames =
  split(`Bob Bill Jim Tom Tim Tony Mike Nick Dave Steve Greg Jeff Ken Ron Don Dan Ben Sam Joe Jon Matt Andy
  Chris Alex Pat Kate Katie Liz Beth Sue Jen Jenny Meg Maggie Becky Debbie Cindy Mandy Sandy Vicky Nicky Trish Gabby Izzy Tess
  Gus Gabe Zach Josh Nate Jake Luke Max Leo Theo Teddy Eddie Freddie Charlie Frankie Ollie Archie Alfie Hans Fritz Uli Toni Basti
  Nele Mia Lena Gigi Pepe Paco Nacho Lola Chus Pilar Beppe Gianni Nino Luca Jip Joop Kees Piet Jaap Anneke Sanne Lotte Femke
  Kalle Lasse Nisse Pelle Svenja Björn Jörg Jürgen Günther Käthe Zoë Chloé Renée José André François Zsófi Kasia Gosia Tomek`);
