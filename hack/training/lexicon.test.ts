import { expect } from 'chai';
import { englishWords, foreignWords } from './lexicon.ts';
import { readWordNet } from './wordNet.ts';
import { split } from './words.ts';

/** Everyday words. Many of them are also family names or towns. */
const everyday = {
  Portuguese: `cozinha panela prato garfo faca colher copo mesa cadeira forno fogão pão leite queijo arroz feijão carne peixe
    fruta maçã açúcar sal café chá água trabalho chefe colega reunião escritório salário contrato férias fatura
    cliente tarefa equipa projeto empresa loja mãe pai irmão irmã filho filha avó avô tio tia primo sobrinha
    marido mulher criança menino rapaz vizinho amigo come bebe fala vem vai olha ouve abre fecha liga escreve
    espera pega deixa faz manda olá tchau obrigado adeus desculpa bom boa beijos abraço parabéns segunda terça
    quarta quinta sexta sábado domingo hoje ontem amanhã cedo tarde noite manhã casa rua porta janela chuva sol
    neve verão inverno outono primavera roupa sapato camisa cama chão parede luz rio campo ponte serra costa praia
    rosa flor árvore cão gato mãos cabeça dente médico dor febre doente cansado feliz triste novo velho grande
    pequeno branco preto vermelho comprar vender pagar dinheiro conta banco correio carro comboio`,
  Polish: `kuchnia garnek talerz widelec nóż łyżka szklanka stół krzesło piekarnik kuchenka chleb mleko ser ryż fasola
    mięso ryba owoc jabłko cukier sól kawa herbata woda kotła praca szef kolega spotkanie biuro pensja umowa urlop
    faktura klient zadanie zespół projekt firma sklep matka mama ojciec tata brat siostra syn córka babcia dziadek
    wujek ciocia kuzyn mąż żona dziecko chłopiec dziewczyna sąsiad przyjaciel jedz pij mów chodź idź patrz słuchaj
    otwórz zamknij zadzwoń napisz czekaj weź zostaw zrób wyślij daj kup cześć hej dziękuję proszę dobry dzień
    buziaki pozdrawiam wtorek środa czwartek piątek sobota niedziela dzisiaj wczoraj jutro rano wieczór noc dom
    ulica drzwi okno deszcz słońce śnieg lato zima jesień wiosna maj ubranie but koszula łóżko podłoga ściana
    światło rzeka pole most góra plaża kwiat drzewo pies kot wilk ręce głowa ząb lekarz ból gorączka chory
    zmęczony smutny nowy stary duży mały biały czarny czerwony zielony kupić płacić pieniądze konto bank poczta
    samochód pociąg był być żyć serce kowal góral mazur młynarz`,
  Swedish: `kök gryta tallrik gaffel kniv sked glas bord stol ugn spis bröd mjölk ost ris böna kött fisk frukt äpple
    socker salt kaffe te vatten arbete jobb chef kollega möte kontor lön avtal semester faktura kund uppgift lag
    projekt företag butik mor mamma far pappa bror syster son dotter mormor morfar farfar moster farbror kusin man
    kvinna fru barn pojke flicka granne vän drick prata kom titta lyssna öppna stäng ring skriv vänta ta lämna gör
    skicka köp hej tack förlåt hejdå kram kramar puss god morgon måndag tisdag onsdag torsdag fredag lördag söndag
    idag igår imorgon tidigt sent kväll natt hus gata dörr fönster regn sol snö sommar vinter höst vår kläder sko
    skjorta säng golv vägg ljus älv fält bro berg strand ros blomma träd hund katt varg händer huvud tand läkare
    smärta feber sjuk trött glad ledsen ny gammal stor liten vit svart röd grön köpa sälja betala pengar konto
    bank post bil tåg får båt två nå gård lind alm dal skog sjö holm`,
};

/** Names that the word lists have in lower case. */
const names = {
  Portuguese: 'joão thiago paulinho pereira souza fernandes',
  Polish: 'kasia zosia wojtek piotr kowalski lewandowski kaczyński wiśniewska litwa',
  Swedish: 'kajsa micke björn larsson gustafsson sjögren',
};

describe('ordinary words', () => {
  const ordinary = new Set<string>();

  before(() => {
    for (const word of [...foreignWords(), ...englishWords(readWordNet())]) ordinary.add(word);
  });

  for (const [language, words] of Object.entries(everyday))
    it(`include everyday words: ${language}`, () => {
      expect(split(words).filter((word) => !ordinary.has(word))).to.deep.equal([]);
    });

  for (const [language, words] of Object.entries(names))
    it(`exclude names: ${language}`, () => {
      expect(split(words).filter((word) => ordinary.has(word))).to.deep.equal([]);
    });
});
