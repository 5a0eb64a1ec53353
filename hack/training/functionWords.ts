import { functionWords as english } from './languages/en/functionWords.ts';
import { trainingLanguages } from './languages.ts';
import type { TrainingLanguage } from './language.ts';
import { split } from './words.ts';

/** Greetings, numbers and the commonest verbs and pronouns of messages, which the vocabularies omit. */
const others: Readonly<Record<string, readonly string[]>> = {
  en: split(`hi hey hello yo thanks thx please pls ok okay yes yeah nope one two three four five six seven eight nine ten eleven twelve can't
    don't how's what's it's i'm`),
  de: split(`hallo hi hey moin servus danke bitte ja nein doch mal halt eben kannst kann können könnte würde würdest möchte möchten will wollen
    soll sollte muss müssen darf hast hat habe haben hatte bist ist sind war waren wird werden wurde geht gibt macht sag sagt wie was wer
    wo wann warum wieso welche welcher welches dieser diese dieses jener mein meine dein deine sein seine ihr ihre unser unsere mir mich dir
    dich ihm ihn ihnen uns euch nicht kein keine schon noch wieder sehr auch nur aber oder wenn weil dass heute morgen gestern jetzt dann
    eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf`),
  fr: split(`salut coucou bonjour bonsoir merci oui non stp svp peux peut pouvez pourrais pourrait veux veut voudrais dois doit faut fait fais
    faire est sont était être avoir as ai avez ont avait suis es sommes êtes comment pourquoi quand où qui quoi quel quelle quels quelles
    mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs moi toi lui elle eux nous vous ils elles ça cela ce cette ces
    pas plus moins très trop aussi encore déjà jamais toujours ici là deux trois quatre cinq six sept huit neuf dix onze douze`),
  es: split(`hola oye gracias sí no vale porfa puedes puede puedo podría quiero quiere quisiera debo debe hay hace hacer haz dame dime eres
    es son era fue ser estar está estoy tengo tiene tienes tenía ha han he cómo qué quién cuándo dónde cuál cuáles por para mi mis tu tus
    su sus nuestro nuestra me te le nos os les lo la este esta esto ese esa eso aquí allí ya muy más menos también nunca siempre todavía
    dos tres cuatro cinco seis siete ocho nueve diez once doce`),
  it: split(`ciao salve grazie sì no puoi può posso potresti potrebbe voglio vuoi vorrei devo deve devi fai fa fare dammi dimmi sei è sono era
    essere avere ho hai ha abbiamo hanno come cosa chi quando dove perché quale quali quanto mio mia miei mie tuo tua suo sua nostro nostra
    mi ti ci vi gli le ne questo questa questi quello quella qui qua già molto più meno anche mai sempre ancora due tre quattro cinque
    sette otto nove dieci undici dodici`),
  nl: split(`hoi hallo hey dag bedankt dank graag ja nee kun kan kunt kunnen zou zouden wil wilt willen moet moeten mag mogen heb hebt heeft
    hebben had is zijn was waren wordt worden werd doe doet doen ga gaat geef geeft zeg zegt hoe wat wie waar wanneer waarom welke welk mijn
    jouw jou zijn haar ons onze hun hem mij me je jij u wij we zij ze niet geen al nog weer nou wel ook maar dan als omdat dat dit deze die
    een twee drie vier vijf zes zeven acht negen tien elf twaalf`),
  pt: split(`oi olá ola obrigado obrigada sim não por favor pode podes posso poderia quero quer queria devo deve tem tenho tens tinha há faz
    fazer faça me diga dá dê é são era foi ser estar está estou como que quem quando onde qual quais quanto meu minha meus minhas teu tua seu
    sua nosso nossa eu tu ele ela nós eles elas você vocês lhe o a os as um uma uns umas de do da dos das em no na nos nas para com sem
    sobre e ou mas se porque este esta isto esse essa isso aquele aquela aqui ali já muito mais menos também nunca sempre ainda dois duas
    três quatro cinco seis sete oito nove dez onze doze fui vou vai ia gente agora hoje ontem amanhã`),
  pl: split(`hej cześć czesc dzięki dziękuję proszę tak nie no możesz mozesz może mogę pomożesz chcę chce chciałbym chciałabym muszę musi trzeba
    mam ma masz miał jest są był była było być będzie zrób zrobić daj napisz podaj powiedz jak co kto kiedy gdzie dlaczego czemu który
    która które jaki jaka jakie mój moja moje twój twoja jego jej nasz nasza ich ja ty on ona ono my wy oni mi mnie ci cię mu go ją nam
    nas was im się to ten ta te tego tej tym w we z ze na do od po pod nad przy przez dla o u i a ale albo lub czy że bo już jeszcze
    bardzo więcej mniej też nigdy zawsze tu tam teraz dziś wczoraj jutro jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć`),
  sv: split(`hej tja tjena hejsan tack snälla ja nej jo kan kunde ska skulle vill ville måste får fick har hade är var vara blir blev gör
    göra gjorde ge ger säg säger säga äta äter hur vad vem vilka vilken vilket när var varför min mitt mina din ditt dina sin sitt sina
    hans hennes vår vårt våra er ert era deras jag du han hon den det vi ni de dem mig dig honom henne oss inte ingen inget som och eller
    men om att för med utan av till från på i under över efter innan här där nu då också aldrig alltid ännu redan mycket mer mindre en ett
    två tre fyra fem sex sju åtta nio tio elva tolv idag igår imorgon ikväll`),
};

/** Words in small letters that are almost never a name, in all languages with a vocabulary: articles, pronouns, numbers, greetings. */
export const functionWords: ReadonlySet<string> = new Set([
  ...english,
  ...Object.values<TrainingLanguage>(trainingLanguages).flatMap(({ vocabulary }) => vocabulary?.functionWords ?? []),
  ...Object.values(others).flat(),
]);
