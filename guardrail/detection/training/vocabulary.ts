/**
 * Everyday words of the supported languages other than English, written from general knowledge. The corpora of messages and
 * laws lack everyday subjects such as kitchens, weather and illness.
 */
const split = (words: string): string[] => words.trim().split(/\s+/);

export const languages = ['de', 'es', 'fr', 'it', 'nl'] as const;
export type Language = (typeof languages)[number];

interface Words {
  readonly nouns: readonly string[];
  readonly adjectives: readonly string[];
  /** Infinitives. */
  readonly verbs: readonly string[];
  /** Function words, and adverbs of time, place and manner. */
  readonly small: readonly string[];
}

export const vocabulary: Readonly<Record<Language, Words>> = {
  de: {
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
    small:
      split(`der die das den dem des ein eine einen einem einer eines und oder aber denn weil dass wenn als ob nicht kein keine ich du er sie es
      wir ihr mich dich ihn uns euch mir dir ihm ihnen mein dein sein unser euer ist sind war waren wird werden wurde hat haben hatte kann können
      muss müssen soll sollen will wollen darf dürfen mag im in an am auf aus bei mit nach von vom zu zum zur über unter vor hinter neben
      zwischen durch für gegen ohne um bis seit während wegen trotz heute gestern morgen jetzt dann immer nie oft manchmal schon noch nur auch
      sehr ganz etwa hier dort da wo wer was wie warum wann bitte danke ja nein mehr weniger viel wenig alle einige`),
  },
  es: {
    nouns:
      split(`harina azúcar mantequilla huevo leche sal pimienta cebolla ajo patata arroz sopa salsa pastel masa levadura nata queso jamón pollo
      carne verdura pepino tomate zanahoria judía guisante seta nuez miel mostaza vinagre aceite agua zumo cerveza olla sartén horno cocina
      cuchara tenedor cuchillo plato taza cuenco nevera lavadora escoba cubo lámpara sofá sillón estante armario alfombra cortina cojín manta
      cama despertador espejo ducha bañera toalla jabón cepillo pantalón camisa chaqueta abrigo gorro zapato calcetín falda blusa cinturón
      gafas fiebre tos resfriado mareo náusea cabeza espalda rodilla hombro estómago pulmón hígado riñón piel diente pastilla pomada venda
      receta vacuna consulta enfermero cita prueba tensión alergia embarazo tormenta viento niebla helada calor nube lluvia nieve granizo
      temperatura césped seto arbusto raíz flor semilla abono pala valla gato perro caballo vaca cabra pájaro pato abeja escuela clase
      cuaderno lápiz tiza pizarra nota examen tarea vacaciones excursión maleta mochila tienda billete andén retraso desvío atasco semáforo
      cruce carné taller rueda freno gasolina alquiler fianza casero inquilino gasto luz calefacción factura aviso transferencia cuenta
      interés préstamo impuesto sueldo contrato solicitud currículo entrevista recurso resolución solicitante daño informe testigo sentencia
      demanda acuerdo plazo fútbol equipo entrenador partido derrota archivo fichero carpeta pantalla tecla ratón contraseña usuario servidor
      red enlace página botón ventana menú opción valor lista cadena número palabra línea tabla columna fila campo tipo nombre clave reunión
      presupuesto pregunta propuesta saludo niño niña hombre mujer hijo hija madre padre abuela abuelo hermano hermana amigo vecino jefe
      bosque monte valle mar lago isla costa playa arena piedra roca cueva ribera río arroyo fuente cascada zorro lobo ciervo liebre erizo ratón
      gorrión águila gallo gallina ganso cisne cordero oveja toro buey mosca araña gusano rana serpiente cocinero sastre herrero molinero
      pastor cazador pescador pintor jardinero juez rey conde caballero invierno verano otoño primavera col nabo lenteja pera ciruela cereza
      uva hoja rama tronco corteza madera clavo martillo sierra padres nieto tío tía huésped color tierra cielo campo cosecha trigo cebada
      avena iglesia castillo torre puerta muro mercado guerra paz espada escudo corona reino pueblo derecho deber patio escalera sótano techo
      carbón cobre plomo ácido cristal sal gas vapor fuego sombra luz peso fuerza onda rayo`),
    adjectives:
      split(`viejo nuevo grande pequeño bueno malo bonito feo caliente frío tibio mojado seco dulce ácido amargo salado picante fresco cansado
      enfermo sano rápido lento ruidoso claro oscuro pesado ligero caro barato abierto cerrado limpio sucio lleno vacío blando duro largo corto
      ancho estrecho grueso fino alto bajo cercano lejano correcto falso fácil difícil posible importante seguro peligroso amable tranquilo
      divertido triste feliz rojo azul verde amarillo blanco negro gris redondo suelto fijo roto libre remoto interno externo válido activo`),
    verbs:
      split(`cocinar hornear cortar mezclar pelar lavar limpiar planchar secar comprar pagar pedir enviar buscar encontrar necesitar usar abrir
      cerrar tirar poner colgar hacer decir preguntar contestar explicar mostrar aprender practicar jugar pintar cantar bailar llorar dormir
      soñar vivir alquilar trabajar ganar ahorrar contar medir calcular revisar planear esperar creer pensar sentir oír mirar viajar reservar
      aparcar reparar construir plantar recoger curar tratar quejar toser borrar guardar copiar mover activar mostrar leer escribir fallar
      faltar empezar terminar recibir subir bajar saltar omitir consultar imprimir seleccionar llevar llegar salir entrar volver dejar`),
    small:
      split(`el la los las un una unos unas y o u e pero porque que si como cuando donde no ni yo tú él ella nosotros ellos ellas me te se nos le les lo
      mi tu su mis tus sus nuestro es son era eran fue fueron será está están estaba hay ha han había he puede pueden debe deben quiere quiero
      en a al de del con sin por para sobre bajo entre desde hasta hacia según contra durante ante tras hoy ayer mañana ahora luego después
      siempre nunca ya aún todavía solo también muy más menos aquí allí ahí quién qué cómo cuándo por favor gracias sí todo todos nada algo
      este esta estos estas ese esa eso aquel otro otra mismo cada cual cuyo cualquier mediante además así aunque mientras pues`),
  },
  fr: {
    nouns:
      split(`farine sucre beurre œuf lait sel poivre oignon ail pomme riz soupe sauce gâteau pâte levure crème fromage jambon poulet viande
      légume concombre tomate carotte haricot pois champignon noix miel moutarde vinaigre huile eau jus bière casserole poêle four cuillère
      fourchette couteau assiette tasse bol frigo lave-linge balai seau lampe canapé fauteuil étagère armoire tapis rideau coussin couverture
      lit réveil miroir douche baignoire serviette savon brosse pantalon chemise veste manteau bonnet chaussure chaussette jupe ceinture
      lunettes fièvre toux rhume vertige nausée tête dos genou épaule ventre poumon foie rein peau dent cachet pommade bandage ordonnance
      vaccin cabinet infirmier rendez-vous examen tension allergie grossesse orage vent brouillard gel chaleur nuage pluie neige grêle
      température pelouse haie buisson racine fleur graine engrais pelle clôture chat chien cheval vache chèvre oiseau canard abeille école
      classe cahier crayon craie tableau note devoir vacances sortie valise sac tente billet quai retard déviation bouchon feu carrefour
      permis atelier pneu frein essence loyer caution bailleur locataire charge courant chauffage facture rappel virement compte intérêt prêt
      impôt salaire contrat candidature entretien recours décision demandeur dommage rapport témoin jugement plainte accord délai équipe
      entraîneur match défaite fichier dossier écran touche souris utilisateur serveur réseau lien page bouton fenêtre menu option
      valeur liste chaîne nombre mot ligne colonne champ type nom clé paquet erreur réunion budget question proposition enfant homme femme fils
      fille mère père grand-mère frère sœur ami voisin patron
      bois forêt mont val vallée mer lac île côte plage sable pierre roche grotte rive rivière source cascade renard loup cerf lièvre hérisson
      souris moineau aigle coq poule oie cygne agneau mouton taureau bœuf mouche araignée ver grenouille serpent cuisinier tailleur forgeron
      meunier berger chasseur pêcheur peintre jardinier juge roi comte chevalier hiver été automne printemps chou navet lentille poire prune
      cerise raisin feuille branche tronc écorce clou marteau scie parents oncle tante invité couleur terre ciel champ récolte blé orge avoine
      église château tour porte mur marché guerre paix épée bouclier couronne royaume peuple droit devoir cour escalier cave toit ville village
      charbon cuivre plomb acide cristal gaz vapeur feu ombre lumière poids force onde rayon`),
    adjectives:
      split(`vieux nouveau grand petit bon mauvais beau laid chaud froid tiède mouillé sec sucré acide amer salé piquant frais fatigué malade
      sain rapide lent bruyant clair sombre lourd léger cher ouvert fermé propre sale plein vide mou dur long court large étroit épais mince
      haut bas proche lointain juste faux facile difficile possible important sûr dangereux aimable calme drôle triste heureux rouge bleu vert
      jaune blanc noir gris rond libre distant interne externe valide actif inconnu manquant`),
    verbs:
      split(`cuisiner couper mélanger éplucher laver nettoyer repasser sécher acheter payer commander livrer envoyer chercher trouver utiliser
      fermer pousser tirer poser accrocher parler demander expliquer montrer pratiquer jouer chanter danser pleurer rêver habiter louer
      travailler gagner compter mesurer calculer planifier espérer penser écouter regarder voyager réserver garer réparer planter soigner
      traiter tousser effacer garder copier déplacer activer échouer commencer terminer monter sauter ignorer consulter imprimer sélectionner
      porter arriver rentrer laisser dormir finir remplir choisir réussir vendre attendre répondre perdre entendre`),
    small:
      split(`le la les un une des du de et ou mais car parce que si comme quand où ne pas ni je tu il elle nous vous ils elles me te se lui leur y en mon
      ton son ma ta sa mes tes ses notre votre leurs est sont était étaient sera seront a ont avait fut peut peuvent doit doivent veut veux fait
      font dans à au aux avec sans par pour sur sous entre depuis jusque vers selon contre pendant avant après chez aujourd'hui hier demain
      maintenant puis ensuite toujours jamais déjà encore seulement aussi très plus moins ici là qui quoi comment pourquoi merci oui non tout
      tous toute rien ce cet cette ces celui celle ceux celles autre même chaque quel quelle dont lequel laquelle afin ainsi donc lors`),
  },
  it: {
    nouns:
      split(`farina zucchero burro uovo latte sale pepe cipolla aglio patata riso zuppa salsa torta impasto lievito panna formaggio prosciutto
      pollo carne verdura cetriolo pomodoro carota fagiolo pisello fungo noce miele senape aceto olio acqua succo birra pentola padella forno
      cucchiaio forchetta coltello piatto tazza ciotola frigo lavatrice scopa secchio lampada divano poltrona scaffale armadio tappeto tenda
      cuscino coperta letto sveglia specchio doccia vasca asciugamano sapone spazzolino pantaloni camicia giacca cappotto berretto scarpa
      calzino gonna cintura occhiali febbre tosse raffreddore vertigine nausea testa schiena ginocchio spalla stomaco polmone fegato rene
      pelle dente pastiglia pomata benda ricetta vaccino ambulatorio infermiere visita esame pressione allergia gravidanza temporale vento
      nebbia gelo caldo nuvola pioggia neve grandine temperatura prato siepe cespuglio radice fiore seme concime pala recinto gatto cane
      cavallo mucca capra uccello anatra ape scuola classe quaderno matita gesso lavagna voto compito vacanze gita valigia zaino biglietto
      binario ritardo deviazione traffico semaforo incrocio patente officina gomma freno benzina affitto cauzione padrone inquilino spesa luce
      riscaldamento bolletta avviso bonifico conto interesse prestito tassa stipendio contratto domanda colloquio ricorso decisione richiedente
      danno relazione testimone sentenza causa accordo termine squadra allenatore partita sconfitta file cartella schermo tasto mouse utente
      servizio rete collegamento pagina pulsante finestra menu opzione valore elenco stringa numero parola riga tabella colonna campo tipo nome
      chiave pacchetto errore riunione bilancio proposta bambino uomo donna figlio figlia madre padre nonna fratello sorella amico vicino capo
      bosco monte valle mare lago isola costa spiaggia sabbia sasso rupe grotta riva fiume torrente sorgente cascata volpe lupo cervo lepre
      riccio topo passero aquila gallo gallina oca cigno agnello pecora toro bue mosca ragno verme rana serpente cuoco sarto fabbro mugnaio
      pastore cacciatore pescatore pittore giardiniere giudice re conte cavaliere inverno estate autunno primavera cavolo rapa lenticchia pera
      prugna ciliegia uva foglia ramo tronco corteccia legno chiodo martello sega genitori nonni nipote zio zia ospite colore lunghezza
      quantità piatto contorno nota stato carbone rame zinco piombo acido cristallo grano orzo avena campo raccolto chiesa castello torre porta
      muro fontana mercato guerra pace spada scudo corona regno popolo diritto dovere cortile scala cantina soffitta balcone parete`),
    adjectives:
      split(`vecchio nuovo grande piccolo buono cattivo bello brutto caldo freddo tiepido bagnato secco dolce acido amaro salato piccante fresco
      stanco malato sano veloce lento rumoroso chiaro scuro pesante leggero caro aperto chiuso pulito sporco pieno vuoto morbido duro lungo corto
      largo stretto spesso sottile alto basso vicino lontano giusto falso facile difficile possibile importante sicuro pericoloso gentile
      tranquillo divertente triste felice rosso blu verde giallo bianco nero grigio rotondo libero remoto interno esterno valido attivo`),
    verbs:
      split(`cucinare tagliare mescolare pelare lavare stirare asciugare comprare pagare ordinare mandare cercare trovare usare aprire chiudere
      tirare mettere appendere parlare domandare spiegare mostrare imparare provare giocare dipingere cantare ballare piangere dormire sognare
      abitare affittare lavorare guadagnare contare misurare calcolare controllare sperare credere pensare sentire guardare viaggiare prenotare
      parcheggiare riparare piantare curare trattare cancellare salvare copiare spostare attivare leggere scrivere fallire mancare cominciare
      finire ricevere saltare ignorare consultare stampare selezionare portare arrivare partire entrare tornare lasciare indicare restituire
      iniziare basare specificare contenere`),
    small:
      split(`il lo la i gli le un uno una e o ma perché che se come quando dove non né io tu lui lei noi voi loro mi ti si ci vi ne mio tuo suo mia tua
      sua nostro vostro è sono era erano fu sarà ha hanno aveva ho può possono deve devono vuole voglio fa fanno in a al allo alla ai agli alle
      di del dello della dei degli delle da dal dalla con senza per su sul sulla sotto tra fra oggi ieri domani adesso ora poi dopo sempre mai
      già ancora solo anche molto più meno qui lì chi cosa quale perché grazie sì no tutto tutti niente qualcosa questo questa questi queste
      quello quella altro altra stesso ogni cui quindi inoltre mentre pure tranne oltre allora`),
  },
  nl: {
    nouns:
      split(`bloem suiker boter ei melk zout peper ui knoflook aardappel rijst soep saus taart deeg gist room kaas ham kip vlees groente komkommer
      tomaat wortel boon erwt champignon noot honing mosterd azijn olie water sap thee bier pan oven fornuis lepel vork mes bord kop kom koelkast
      wasmachine bezem emmer lamp bank stoel plank kast tapijt gordijn kussen deken bed wekker spiegel douche bad handdoek zeep borstel broek
      overhemd jas muts schoen sok rok riem bril koorts hoest verkoudheid duizeling misselijkheid hoofd rug knie schouder maag long lever nier
      huid tand pil zalf verband recept vaccin praktijk verpleger afspraak onderzoek bloeddruk allergie zwangerschap onweer wind mist vorst hitte
      wolk regen sneeuw hagel temperatuur gras haag struik bloem zaad mest schep hek kat hond paard koe geit vogel eend bij school klas schrift
      potlood krijt cijfer toets huiswerk vakantie uitstapje koffer rugzak tent kaartje perron vertraging omleiding file stoplicht kruising
      rijbewijs garage band rem benzine huur borg verhuurder huurder kosten stroom verwarming rekening aanmaning overschrijving rente lening
      belasting loon contract sollicitatie gesprek bezwaar besluit aanvrager schade verslag getuige vonnis zaak akkoord termijn voetbal ploeg
      trainer wedstrijd nederlaag bestand map scherm toets muis wachtwoord gebruiker dienst netwerk koppeling pagina knop venster menu optie
      waarde lijst tekenreeks getal woord regel tabel kolom veld soort naam sleutel pakket fout spatie verzoek vergadering begroting vraag
      voorstel kind man vrouw zoon dochter moeder vader oma broer zus vriend buurman baas
      bos berg dal zee meer eiland kust strand duin zand steen rots grot oever rivier beek bron waterval vos wolf hert haas egel muis mus adelaar
      haan kip gans zwaan lam schaap stier os vlieg spin worm kikker slang kok kleermaker smid molenaar herder jager visser schilder tuinman
      rechter koning graaf ridder winter zomer herfst lente kool raap linze peer pruim kers druif blad tak stam schors hout spijker hamer zaag
      ouders kleinkind oom tante gast kleur aarde hemel akker oogst tarwe gerst haver kerk kasteel toren poort muur markt oorlog vrede zwaard
      schild kroon rijk volk recht plicht trap kelder dak kolen koper lood zuur kristal gas damp vuur schaduw gewicht kracht golf straal stad dorp`),
    adjectives:
      split(`oud nieuw groot klein goed slecht mooi lelijk warm koud heet nat droog zoet zuur bitter zout scherp vers moe ziek gezond snel langzaam
      luid stil licht donker zwaar duur goedkoop open gesloten schoon vuil vol leeg zacht hard lang kort breed smal dik dun hoog laag dichtbij ver
      juist fout makkelijk moeilijk mogelijk belangrijk veilig gevaarlijk vriendelijk rustig grappig verdrietig blij rood blauw groen geel wit
      zwart grijs rond los vast vrij intern extern geldig actief onbekend beschikbaar`),
    verbs:
      split(`koken bakken snijden roeren schillen mengen gieten wassen poetsen strijken drogen kopen betalen bestellen leveren sturen zoeken vinden
      gebruiken openen sluiten duwen trekken zetten leggen hangen maken zeggen vragen antwoorden leren oefenen spelen tekenen zingen dansen lachen
      huilen slapen dromen wonen huren werken verdienen sparen tellen meten rekenen plannen wachten hopen geloven denken voelen horen kijken
      reizen boeken parkeren repareren bouwen planten plukken genezen behandelen klagen hoesten wissen bewaren verplaatsen lezen schrijven
      mislukken beginnen ontvangen springen negeren raadplegen printen kiezen brengen komen gaan laten instellen toevoegen verwijderen`),
    small:
      split(`de het een en of maar want omdat dat als wanneer waar niet geen ik jij je hij zij ze wij we jullie u mij me jou hem haar ons hun mijn jouw
      zijn onze is was waren wordt worden werd heeft hebben had kan kunnen moet moeten zal zullen wil willen mag mogen in op aan uit bij met naar
      van voor over onder achter naast tussen door tegen zonder om tot sinds tijdens vanaf volgens vandaag gisteren morgen nu dan altijd nooit
      vaak soms al nog maar ook heel erg hier daar er wie wat hoe waarom alsjeblieft dank ja nee meer minder veel weinig alle deze dit die elke
      ander zelfde zoals zodat terwijl eraan ermee ervan`),
  },
};

/** Endings of regular verbs: the ending of the infinitive to remove, and the endings to append. */
const conjugations: Readonly<Record<Language, readonly (readonly [RegExp, string])[]>> = {
  de: [[/e?n$/, 'e st t te ten et en est end']],
  es: [
    [/ar$/, 'o as a amos an é aste ó aron aba aban ando ado ada ados adas ará arán aría e en es emos ara aran'],
    [/er$/, 'o es e emos en í iste ió ieron ía ían iendo ido ida idos idas erá erán ería a an as'],
    [/ir$/, 'o es e imos en í iste ió ieron ía ían iendo ido ida idos idas irá irán iría a an as'],
  ],
  fr: [
    [/er$/, 'e es ons ez ent é ée és ées ais ait aient ant era eront erait a èrent'],
    [/ir$/, 'is it issons issez issent i ie is ies issait issant ira iront irait'],
    [/re$/, 's ons ez ent u ue us ues ait aient ant ra ront rait'],
  ],
  it: [
    [/are$/, 'o i a iamo ate ano ato ata ati ate ando ava avano erà eranno erebbe ò arono asse'],
    [/ere$/, 'o i e iamo ete ono uto uta uti ute endo eva evano erà eranno erebbe é a ano'],
    [/ire$/, 'o i e iamo ite ono ito ita iti ite endo iva ivano irà iranno irebbe ì a ano isce iscono'],
  ],
  nl: [[/en$/, 'en t te ten de den end']],
};

/** Endings of plural nouns and of inflected adjectives. */
const endings: Readonly<Record<Language, readonly (readonly [RegExp, string])[]>> = {
  de: [[/$/, 'e en er es em n s']],
  es: [
    [/o$/, 'os a as'],
    [/(?<=[aeé])$/, 's'],
    [/(?<=[lnrdsz])$/, 'es'],
  ],
  fr: [[/$/, 's e es x']],
  it: [
    [/o$/, 'i a e'],
    [/a$/, 'e'],
    [/e$/, 'i'],
  ],
  nl: [[/$/, 'en s e']],
};

const changed = (word: string, rules: readonly (readonly [RegExp, string])[]): string[] =>
  rules.flatMap(([cut, others]) =>
    cut.test(word) ? others.split(' ').map((ending) => word.replace(cut, ending)) : [],
  );

/** Verbs with all their regular forms. */
export const verbForms = (language: Language): string[] =>
  vocabulary[language].verbs.flatMap((verb) => [verb, ...changed(verb, conjugations[language])]);

/** All words of a language with their regular inflections, in lower case. A few of the generated forms are not in use. */
export function vocabularyOf(language: Language): Set<string> {
  const { nouns, adjectives, small } = vocabulary[language];
  const inflected = [...nouns, ...adjectives].flatMap((word) => [word, ...changed(word, endings[language])]);
  return new Set([...inflected, ...small, ...verbForms(language)].map((word) => word.toLowerCase()));
}
