import type { Vocabulary } from '../../language.ts';
import { split } from '../../words.ts';

/** Everyday words, written from general knowledge. */
export const germanVocabulary: Vocabulary = {
  nouns:
    split(`Mehl Zucker Butter Eier Milch Salz Pfeffer Zwiebel Knoblauch Kartoffel Nudeln Reis Suppe Soße Kuchen Teig Hefe Sahne Käse
      Schinken Wurst Huhn Rind Gemüse Gurke Tomate Möhre Bohnen Erbsen Pilze Nüsse Honig Senf Essig Öl Wasser Saft Tee Bier Topf Pfanne
      Ofen Herd Löffel Gabel Messer Teller Tasse Schüssel Kühlschrank Waschmaschine Staubsauger Besen Eimer Lampe Sofa Sessel Regal
      Schrank Teppich Vorhang Kissen Decke Bett Wecker Spiegel Dusche Badewanne Handtuch Seife Zahnbürste Hose Hemd Jacke Mantel Mütze
      Schuhe Socken Rock Bluse Gürtel Brille Fieber Husten Schnupfen Schwindel Übelkeit Kopfschmerzen Rücken Knie Schulter Magen Lunge
      Leber Niere Haut Zahn Tablette Salbe Verband Rezept Impfung Praxis Klinik Pfleger Termin Befund Blutdruck Allergie Schwangerschaft
      Gewitter Sturm Nebel Frost Hitze Wolke Schauer Eis Hagel Temperatur Rasen Hecke Beet Strauch Wurzel Blüte Samen Dünger Gießkanne
      Schaufel Zaun Katze Hund Pferd Kuh Ziege Vogel Ente Biene Schule Klasse Heft Stift Kreide Tafel Zeugnis Note Prüfung Hausaufgabe
      Ferien Ausflug Koffer Rucksack Zelt Fahrkarte Bahnsteig Verspätung Umleitung Stau Ampel Kreuzung Führerschein Werkstatt Reifen
      Bremse Benzin Miete Kaution Vermieter Mieter Nebenkosten Strom Heizung Rechnung Mahnung Überweisung Konto Zinsen Kredit Steuer
      Gehalt Überstunden Betriebsrat Kündigungsfrist Zeugnis Bewerbung Lebenslauf Vorstellung Gesuch Widerspruch Bescheid Antragsteller
      Haftung Schaden Gutachten Zeuge Urteil Klage Vergleich Frist Fußball Verein Trainer Mannschaft Tabelle Spielzug Niederlage
      Wald Bach Feld Berg Fluss Wiese Moor Sand Stein Fels Höhle Tal Ufer Insel Küste Strand Düne Vogel Fuchs Wolf Hirsch Hase Igel Maus
      Spatz Fink Storch Adler Hahn Henne Gans Schwan Kater Kalb Lamm Schaf Bock Fliege Käfer Spinne Wurm Frosch Schlange Koch Schneider
      Schuster Schmied Müller Bauer Jäger Fischer Weber Maler Gärtner Pfarrer Richter König Graf Ritter Winter Sommer Herbst Kohl Kraut
      Rübe Linse Birne Pflaume Kirsche Traube Rebe Blatt Zweig Ast Stamm Rinde Holz Brett Nagel Hammer Zange Säge Eltern Geschwister
      Großmutter Enkel Onkel Tante Lehrerin Schülerin Gast Gäste Farbe Länge Breite Kohle Kupfer Zink Blei Gas Säure Lauge Salz Kristall Getreide Weizen Roggen Gerste Hafer Mais Acker Ernte Kirche
      Burg Turm Tor Mauer Brunnen Markt Zoll Steuer Krieg Frieden Heer Waffe Schwert Schild Krone Reich Volk Sklave Sitte Recht Pflicht`),
  adjectives:
    split(`alt neu groß klein gut schlecht schön hässlich warm kalt heiß kühl nass trocken süß sauer bitter salzig scharf frisch müde
      krank gesund schnell langsam laut leise hell dunkel schwer leicht teuer billig offen geschlossen sauber schmutzig voll leer weich hart
      lang kurz breit schmal dick dünn hoch niedrig nah fern früh spät richtig falsch einfach schwierig möglich wichtig sicher gefährlich
      freundlich ruhig lustig traurig wütend glücklich rot blau grün gelb weiß schwarz grau braun rund eckig scharf stumpf lose fest`),
  verbs:
    split(`kochen backen braten schneiden rühren schälen mischen gießen waschen putzen bügeln trocknen kaufen bezahlen bestellen liefern
      schicken suchen finden brauchen benutzen öffnen schließen drücken ziehen stellen legen hängen machen sagen fragen antworten erklären
      zeigen lernen üben spielen malen singen tanzen lachen weinen schlafen träumen wohnen mieten arbeiten verdienen sparen zählen messen
      rechnen prüfen planen warten hoffen glauben meinen denken fühlen hören schauen reisen buchen packen parken tanken reparieren bauen
      streichen bohren pflanzen ernten pflücken füttern heilen impfen untersuchen behandeln klagen husten`),
  functionWords:
    split(`der die das den dem des ein eine einen einem einer eines und oder aber denn weil dass wenn als ob nicht kein keine ich du er sie es
      wir ihr mich dich ihn uns euch mir dir ihm ihnen mein dein sein unser euer ist sind war waren wird werden wurde hat haben hatte kann können
      muss müssen soll sollen will wollen darf dürfen mag im in an am auf aus bei mit nach von vom zu zum zur über unter vor hinter neben
      zwischen durch für gegen ohne um bis seit während wegen trotz heute gestern morgen jetzt dann immer nie oft manchmal schon noch nur auch
      sehr ganz etwa hier dort da wo wer was wie warum wann bitte danke ja nein mehr weniger viel wenig alle einige`),
  conjugations: [[/e?n$/, 'e st t te ten et en est end']],
  endings: [[/$/, 'e en er es em n s']],
};
