import { split } from '../../words.ts';

/** Nouns. They are capitalised, but not names. */
export const germanNouns: readonly string[] =
  split(`Abend Abteilung Abschluss Adresse Akte Alltag Altstadt Amt Anfang Anfrage Angebot Angst Anlage Antrag Antwort
  Anwendung Anzeige Apfel Arbeit Arbeiter Architektur Armee Arzt Aufgabe Auftrag Auge Ausbildung Ausgabe Ausland Ausstellung
  Auswahl Auto Autobahn Bahn Bahnhof Band Bank Bau Bauer Baum Bedeutung Bedingung Bericht Beruf Berg Bewegung Beziehung Bild
  Bildung Blatt Blume Boden Brief Brot Bruder Buch Bundesliga Bundesregierung Burg Büro Chef Computer Dach Dame Datei Daten Datenbank Dienst
  Ding Dokument Dorf Druck Ebene Ehe Ei Einfluss Einheit Einkauf Eltern Ende Energie Entscheidung Entwicklung Erde Ereignis
  Erfahrung Erfolg Ergebnis Erklärung Essen Fach Fahrer Fahrt Fahrzeug Familie Farbe Fehler Feld Fenster Fernsehen Feuer Film
  Firma Fisch Flasche Fläche Flughafen Fluss Form Forschung Frage Freiheit Freund Frieden Frist Funktion Fuß Garten Gast Gebäude
  Gebiet Gedanke Gefahr Gegenstand Geld Gemeinde Gericht Geschäft Geschichte Gesellschaft Gesetz Gesicht Gespräch Gesundheit
  Gewalt Gewicht Glas Glück Grenze Grund Gruppe Hafen Hand Handel Handwerk Haus Haushalt Heizung Herbst Herz Hilfe Himmel Hochschule Hof Hotel
  Hund Idee Industrie Information Inhalt Insel Institut Interesse Jahr Jahrhundert Jahrzehnt Jugend Junge Kaffee Kaiser Karte Kasse Kind
  Kirche Klasse Kleid Kloster Kopf Körper Kosten Kraft Krankheit Krieg Kritik Küche Kultur Kunde Kunst Künstler Kündigung Kurs Land
  Landschaft Leben Lehrer Leistung Leiter Leser Leute Licht Liebe Lied Lösung Luft Macht Mal Mann Mannschaft Markt Maschine
  Material Mauer Meer Mehrheit Meinung Meister Mensch Messe Miete Milch Minute Mitarbeiter Mitglied Mitte Mittel Mitternacht Moment
  Monat Morgen Motor Musik Mutter Nachbar Nachricht Nacht Name Natur Netz Netzwerk Nummer Oberfläche Objekt Oper Opfer Ordnung Ort
  Osten Paar Partei Pflanze Pferd Plan Platz Politik Polizei Post Preis Presse Prinzip Problem Produkt Produktion Programm Projekt
  Prozent Prozess Prüfung Punkt Quelle Rad Rahmen Rand Raum Recht Rechnung Regel Regen Regierung Region Reihe Reise Reparatur Richter
  Richtung Ring Rolle Roman Ruhe Saison Sache Saal Schiff Schlüssel Schloss Schluss Schnee Schule Schüler Schutz Schwester See
  Seite Sekunde Sicherheit Sieg Sinn Sitz Sitzung Software Sohn Soldat Sommer Sonne Sorge Spiel Spieler Sport Sprache Staat Stadt
  Stamm Standort Stein Stelle Steuer Stimme Stoff Strafe Strand Straße Strecke Strom Struktur Stück Student Studie Studium Stunde Süden
  Suche System Tabelle Tag Tal Tasche Team Technik Teil Teilnehmer Tempel Termin Test Text Theater Thema Theorie Tier Tisch Titel Tochter
  Tod Ton Tor Tradition Traum Treffen Tür Turm Typ Übersicht Umfrage Umgebung Umsatz Umwelt Unfall Universität Unterlagen Unternehmen
  Unterricht Unterschied Untersuchung Urlaub Ursache Urteil Vater Verband Verbindung Verein Verfahren Verfassung Vergleich
  Verhältnis Verkehr Verlag Verlust Versicherung Version Versuch Vertrag Vertreter Verwaltung Video Volk Vorschlag Vorstand
  Vorteil Wagen Wahl Wald Wand Ware Wasser Weg Weihnachten Wein Welt Weltkrieg Werk Westen Wettbewerb Wetter Wind Winter Wirkung Wirtschaft
  Wissenschaft Woche Wohnung Wort Wunsch Zahl Zeichen Zeile Zeit Zeitschrift Zeitung Ziel Zimmer Zug Zukunft Zusammenarbeit Zustand
  Zweck Dreißigjährige Nachkriegszeit Ministerpräsident Bundesland Landesregierung Weltmeisterschaft Nationalmannschaft Meisterschaft
  Schauspieler Politiker Schriftsteller Journalist Fußballspieler Professor Doktor Präsident Bundeskanzler Rechtsanwalt Gattung Art Unterart
  Quellcode Anwender Benutzer Passwort Einstellung Schaltfläche Menü Drucker Bildschirm Tastatur Speicher Datum Uhrzeit Betreff Anhang`);
