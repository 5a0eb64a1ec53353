import type { Vocabulary } from '../../language.ts';
import { split } from '../../words.ts';

/** Everyday words, written from general knowledge. */
export const italianVocabulary: Vocabulary = {
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
  functionWords:
    split(`il lo la i gli le un uno una e o ma perché che se come quando dove non né io tu lui lei noi voi loro mi ti si ci vi ne mio tuo suo mia tua
      sua nostro vostro è sono era erano fu sarà ha hanno aveva ho può possono deve devono vuole voglio fa fanno in a al allo alla ai agli alle
      di del dello della dei degli delle da dal dalla con senza per su sul sulla sotto tra fra oggi ieri domani adesso ora poi dopo sempre mai
      già ancora solo anche molto più meno qui lì chi cosa quale perché grazie sì no tutto tutti niente qualcosa questo questa questi queste
      quello quella altro altra stesso ogni cui quindi inoltre mentre pure tranne oltre allora`),
  conjugations: [
    [/are$/, 'o i a iamo ate ano ato ata ati ate ando ava avano erà eranno erebbe ò arono asse'],
    [/ere$/, 'o i e iamo ete ono uto uta uti ute endo eva evano erà eranno erebbe é a ano'],
    [/ire$/, 'o i e iamo ite ono ito ita iti ite endo iva ivano irà iranno irebbe ì a ano isce iscono'],
  ],
  endings: [
    [/o$/, 'i a e'],
    [/a$/, 'e'],
    [/e$/, 'i'],
  ],
};
