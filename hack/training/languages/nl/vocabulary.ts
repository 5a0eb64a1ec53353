import type { Vocabulary } from '../../language.ts';
import { split } from '../../words.ts';

/** Everyday words, written from general knowledge. */
export const dutchVocabulary: Vocabulary = {
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
  functionWords:
    split(`de het een en of maar want omdat dat als wanneer waar niet geen ik jij je hij zij ze wij we jullie u mij me jou hem haar ons hun mijn jouw
      zijn onze is was waren wordt worden werd heeft hebben had kan kunnen moet moeten zal zullen wil willen mag mogen in op aan uit bij met naar
      van voor over onder achter naast tussen door tegen zonder om tot sinds tijdens vanaf volgens vandaag gisteren morgen nu dan altijd nooit
      vaak soms al nog maar ook heel erg hier daar er wie wat hoe waarom alsjeblieft dank ja nee meer minder veel weinig alle deze dit die elke
      ander zelfde zoals zodat terwijl eraan ermee ervan`),
  conjugations: [[/en$/, 'en t te ten de den end']],
  endings: [[/$/, 'en s e']],
};
