/** What the pictures with personal values say, in each language. `{name}` is a value of the first person, `{name2}` of the second. */
import type { Country } from './people.ts';

export interface Phrases {
  readonly labels: Readonly<
    Record<'name' | 'born' | 'phone' | 'mail' | 'street' | 'town' | 'iban' | 'id' | 'card', string>
  >;
  /** Short messages of a chat. */
  readonly chat: readonly string[];
  /** Paragraphs of a letter or a mail. */
  readonly letter: readonly string[];
  /** A subject, a closing formula, the title of a form. */
  readonly words: readonly [subject: string, closing: string, form: string];
}

const labels = (list: string): Phrases['labels'] => {
  const [name = '', born = '', phone = '', mail = '', street = '', town = '', iban = '', id = '', card = ''] =
    list.split('|');
  return { name, born, phone, mail, street, town, iban, id, card };
};

// prettier-ignore
const en: Phrases = {
  labels: labels('Full name|Date of birth|Phone|E-mail|Street address|City|IBAN|Social security number|Card number'),
  chat: ['Hey, did the plumber call you back yet?', 'Yes! He is called {name}, his number is {phone}', 'Perfect. Can you forward the bill to {mail} please', 'Sure. What was the address again?', '{street}, {town}', 'Thanks! And who picks up the keys on Friday?', '{name2} will, call {phone2} if she is late'],
  letter: ['Dear {name},', 'thank you for your application of last Tuesday. We have opened a file for you and need a few more papers before the end of the month.', 'Our records show that you live at {street}, {town}, and that you were born on {born}. If this is wrong, please call us at any time.', 'We will reach you on {phone} or by mail to {mail}. Your case is handled by {name2}, whom you can reach on {phone2}.', 'Please keep this letter with your documents. You do not have to sign anything today.'],
  words: ['Your application: missing papers', 'Kind regards', 'Registration of a new tenant'],
};

// prettier-ignore
const phrases: Readonly<Record<Country, Phrases>> = {
  us: en,
  gb: { ...en, labels: labels('Name|Born on|Mobile|E-mail address|Street|Town and postcode|Account (IBAN)|National Insurance number|Card number') },
  de: {
    labels: labels('Vor- und Nachname|Geburtsdatum|Telefon|E-Mail|Straße und Hausnummer|PLZ, Ort|IBAN|Kennziffer|Kartennummer'),
    chat: ['Hallo, hat sich die Hausverwaltung schon gemeldet?', 'Ja, zuständig ist jetzt {name}, erreichbar unter {phone}', 'Super, dann schicke ich das Protokoll an {mail}', 'Wohin soll der Schlüssel?', '{street}, {town}', 'Alles klar. Und wer ist am Samstag da?', '{name2}, zur Not anrufen: {phone2}'],
    letter: ['Guten Tag {name},', 'vielen Dank für Ihre Anfrage vom vergangenen Dienstag. Wir haben einen Vorgang für Sie angelegt und brauchen bis Monatsende noch einige Unterlagen.', 'Nach unseren Unterlagen wohnen Sie in {street}, {town}, und sind am {born} geboren. Sollte das nicht stimmen, rufen Sie uns bitte an.', 'Wir erreichen Sie unter {phone} oder per Mail an {mail}. Ihr Anliegen bearbeitet {name2}, Durchwahl {phone2}.', 'Bitte bewahren Sie dieses Schreiben auf. Eine Unterschrift ist heute nicht nötig.'],
    words: ['Ihr Antrag: fehlende Unterlagen', 'Mit freundlichen Grüßen', 'Anmeldung eines Mieters'],
  },
  fr: {
    labels: labels('Nom et prénom|Date de naissance|Téléphone|Courriel|Adresse|Code postal, ville|IBAN|Numéro de sécurité sociale|Numéro de carte'),
    chat: ['Salut, tu as des nouvelles du garage ?', 'Oui, il faut demander {name} au {phone}', 'Parfait, j’envoie la facture à {mail}', 'Et on livre où finalement ?', '{street}, {town}', 'Merci ! Qui sera là samedi ?', 'Ce sera {name2}, son numéro : {phone2}'],
    letter: ['Bonjour {name},', 'nous vous remercions de votre demande de mardi dernier. Votre dossier est ouvert, mais il manque encore quelques pièces avant la fin du mois.', 'Selon nos données, vous habitez {street}, {town}, et vous êtes né(e) le {born}. En cas d’erreur, merci de nous appeler.', 'Nous vous joindrons au {phone} ou par courriel à {mail}. Votre dossier est suivi par {name2}, joignable au {phone2}.', 'Conservez cette lettre avec vos papiers. Aucune signature n’est nécessaire aujourd’hui.'],
    words: ['Votre demande : pièces manquantes', 'Cordialement', 'Inscription d’un locataire'],
  },
  es: {
    labels: labels('Nombre y apellidos|Fecha de nacimiento|Teléfono|Correo electrónico|Domicilio|Código postal y ciudad|IBAN|DNI|Número de tarjeta'),
    chat: ['Hola, ¿ya te ha llamado el fontanero?', 'Sí, se llama {name} y su móvil es el {phone}', 'Genial, le paso la factura a {mail}', '¿Y cuál era la dirección?', '{street}, {town}', 'Gracias. ¿Quién recoge las llaves el viernes?', 'Las recoge {name2}, teléfono {phone2}'],
    letter: ['Hola, {name}:', 'gracias por su solicitud del martes pasado. Hemos abierto un expediente y faltan algunos documentos antes de fin de mes.', 'Según nuestros datos, usted vive en {street}, {town}, y nació el {born}. Si no es correcto, llámenos.', 'Le avisaremos en el {phone} o por correo a {mail}. Lleva su caso {name2}, teléfono {phone2}.', 'Guarde esta carta con sus papeles. Hoy no tiene que firmar nada.'],
    words: ['Su solicitud: documentos pendientes', 'Un saludo', 'Alta de inquilino'],
  },
  it: {
    labels: labels('Nome e cognome|Data di nascita|Telefono|E-mail|Indirizzo|CAP e città|IBAN|Codice cliente|Numero della carta'),
    chat: ['Ciao, il tecnico ti ha richiamato?', 'Sì, si chiama {name}, il numero è {phone}', 'Ottimo, mando la fattura a {mail}', 'Dove va consegnato il pacco?', '{street}, {town}', 'Grazie! Chi ritira le chiavi venerdì?', 'Viene {name2}, cellulare {phone2}'],
    letter: ['Buongiorno {name},', 'grazie per la richiesta di martedì scorso. Abbiamo aperto una pratica e servono ancora alcuni documenti entro fine mese.', 'Dai nostri dati risulta che Lei abita in {street}, {town}, ed è nato/a il {born}. In caso di errore ci chiami.', 'La contatteremo al {phone} o per posta a {mail}. La pratica è seguita da {name2}, telefono {phone2}.', 'Conservi questa lettera. Oggi non occorre firmare nulla.'],
    words: ['La Sua richiesta: documenti mancanti', 'Cordiali saluti', 'Registrazione di un inquilino'],
  },
  nl: {
    labels: labels('Voor- en achternaam|Geboortedatum|Telefoon|E-mailadres|Straat en huisnummer|Postcode en plaats|IBAN|Burgerservicenummer|Kaartnummer'),
    chat: ['Hoi, heeft de monteur al gebeld?', 'Ja, hij heet {name}, zijn nummer is {phone}', 'Mooi, ik stuur de rekening naar {mail}', 'Waar moet het pakket heen?', '{street}, {town}', 'Dank je! Wie is er zaterdag thuis?', 'Dat is {name2}, bel anders {phone2}'],
    letter: ['Beste {name},', 'bedankt voor uw aanvraag van afgelopen dinsdag. Wij hebben een dossier geopend en missen nog enkele stukken voor het einde van de maand.', 'Volgens onze gegevens woont u op {street}, {town}, en bent u geboren op {born}. Bel ons als dit niet klopt.', 'Wij bereiken u op {phone} of per mail via {mail}. Uw dossier wordt behandeld door {name2}, telefoon {phone2}.', 'Bewaar deze brief bij uw papieren. U hoeft vandaag niets te ondertekenen.'],
    words: ['Uw aanvraag: ontbrekende stukken', 'Met vriendelijke groet', 'Inschrijving van een huurder'],
  },
  pl: {
    labels: labels('Imię i nazwisko|Data urodzenia|Telefon|E-mail|Ulica i numer|Kod i miejscowość|IBAN|PESEL|Numer karty'),
    chat: ['Cześć, hydraulik już dzwonił?', 'Tak, nazywa się {name}, numer {phone}', 'Super, wyślę rachunek na {mail}', 'A jaki to był adres?', '{street}, {town}', 'Dzięki! Kto odbiera klucze w piątek?', 'Odbiera {name2}, w razie czego {phone2}'],
    letter: ['Dzień dobry, {name},', 'dziękujemy za wniosek z ubiegłego wtorku. Założyliśmy sprawę i do końca miesiąca potrzebujemy jeszcze kilku dokumentów.', 'Z naszych danych wynika, że adres to {street}, {town}, a data urodzenia {born}. Jeśli to pomyłka, prosimy o telefon.', 'Odezwiemy się pod numerem {phone} lub na adres {mail}. Sprawę prowadzi {name2}, telefon {phone2}.', 'Prosimy zachować to pismo. Dziś nie trzeba niczego podpisywać.'],
    words: ['Wniosek: brakujące dokumenty', 'Z poważaniem', 'Zgłoszenie najemcy'],
  },
  se: {
    labels: labels('För- och efternamn|Födelsedatum|Telefon|E-post|Gatuadress|Postnummer och ort|IBAN|Personnummer|Kortnummer'),
    chat: ['Hej, har rörmokaren hört av sig?', 'Ja, han heter {name}, numret är {phone}', 'Bra, jag skickar fakturan till {mail}', 'Vad var adressen nu igen?', '{street}, {town}', 'Tack! Vem hämtar nycklarna på fredag?', 'Det gör {name2}, ring annars {phone2}'],
    letter: ['Hej {name},', 'tack för ansökan i tisdags. Vi har öppnat ett ärende och behöver några handlingar till före månadens slut.', 'Enligt våra uppgifter bor du på {street}, {town}, och är född {born}. Ring oss om det är fel.', 'Vi når dig på {phone} eller via {mail}. Ärendet sköts av {name2}, telefon {phone2}.', 'Spara brevet bland dina papper. Du behöver inte skriva under något i dag.'],
    words: ['Din ansökan: handlingar saknas', 'Vänliga hälsningar', 'Anmälan av hyresgäst'],
  },
  br: {
    labels: labels('Nome completo|Data de nascimento|Telefone|E-mail|Endereço|CEP e cidade|Conta|CPF|Número do cartão'),
    chat: ['Oi, o encanador já ligou?', 'Já, o nome é {name}, o número é {phone}', 'Ótimo, mando a nota para {mail}', 'Qual era mesmo o endereço?', '{street}, {town}', 'Obrigado! Quem pega as chaves na sexta?', 'Quem pega é {name2}, telefone {phone2}'],
    letter: ['Olá, {name},', 'obrigado pelo pedido da última terça-feira. Abrimos um processo e ainda faltam alguns documentos até o fim do mês.', 'Segundo o cadastro, o endereço é {street}, {town}, e a data de nascimento é {born}. Se houver erro, ligue para nós.', 'Vamos avisar pelo {phone} ou por e-mail para {mail}. Quem cuida do caso é {name2}, telefone {phone2}.', 'Guarde esta carta com os seus papéis. Hoje não é preciso assinar nada.'],
    words: ['Seu pedido: documentos pendentes', 'Atenciosamente', 'Cadastro de inquilino'],
  },
  ru: {
    labels: labels('Фамилия и имя|Дата рождения|Телефон|Электронная почта|Улица, дом|Город|Счёт|Номер|Номер карты'),
    chat: ['Привет, мастер уже звонил?', 'Да, его зовут {name}, номер {phone}', 'Отлично, счёт отправлю на {mail}', 'А какой был адрес?', '{street}, {town}', 'Спасибо! Кто заберёт ключи в пятницу?', 'Ключи заберёт {name2}, телефон {phone2}'],
    letter: ['Здравствуйте, {name}!', 'Благодарим за заявление, поданное во вторник. Дело открыто, до конца месяца нужны ещё несколько документов.', 'По нашим данным, вы проживаете по адресу: {street}, {town}, дата рождения {born}. Если это не так, позвоните нам.', 'Мы свяжемся с вами по телефону {phone} или по почте {mail}. Ваше дело ведёт {name2}, телефон {phone2}.', 'Сохраните это письмо. Сегодня ничего подписывать не нужно.'],
    words: ['Ваше заявление: не хватает документов', 'С уважением', 'Анкета жильца'],
  },
  ua: {
    labels: labels('Прізвище та ім’я|Дата народження|Телефон|Електронна пошта|Вулиця, будинок|Місто|Рахунок|Номер|Номер картки'),
    chat: ['Привіт, майстер уже дзвонив?', 'Так, його звати {name}, номер {phone}', 'Чудово, рахунок надішлю на {mail}', 'А яка була адреса?', '{street}, {town}', 'Дякую! Хто забере ключі в п’ятницю?', 'Ключі забере {name2}, телефон {phone2}'],
    letter: ['Вітаємо, {name}!', 'Дякуємо за заяву, подану у вівторок. Справу відкрито, до кінця місяця потрібні ще кілька документів.', 'За нашими даними, ви мешкаєте за адресою: {street}, {town}, дата народження {born}. Якщо це не так, зателефонуйте нам.', 'Ми зв’яжемося з вами за телефоном {phone} або поштою {mail}. Вашу справу веде {name2}, телефон {phone2}.', 'Збережіть цей лист. Сьогодні нічого підписувати не потрібно.'],
    words: ['Ваша заява: бракує документів', 'З повагою', 'Анкета мешканця'],
  },
  kr: {
    labels: labels('성명|생년월일|전화번호|이메일|상세주소|주소|계좌|주민등록번호|카드번호'),
    chat: ['안녕하세요, 기사님 연락 왔어요?', '네, 성함은 {name}, 번호는 {phone} 입니다', '좋아요, 영수증은 {mail} 로 보낼게요', '주소가 어떻게 되죠?', '{town} {street}', '감사합니다! 금요일에 누가 오시나요?', '{name2} 님이요, 전화 {phone2}'],
    letter: ['{name} 님께', '지난 화요일에 보내 주신 신청서를 잘 받았습니다. 이번 달 말까지 서류가 몇 가지 더 필요합니다.', '등록된 주소는 {town} {street}, 생년월일은 {born} 입니다. 잘못되었으면 연락 주십시오.', '연락은 전화 {phone} 또는 이메일 {mail} 로 드리겠습니다. 담당자는 {name2}, 전화 {phone2} 입니다.', '이 편지를 보관해 주십시오. 오늘은 서명하실 필요가 없습니다.'],
    words: ['신청서: 서류 안내', '감사합니다', '입주자 등록'],
  },
  cn: {
    labels: labels('姓名|出生日期|电话|电子邮箱|详细地址|地区|账户|编号|银行卡号'),
    chat: ['你好，师傅联系你了吗？', '联系了，叫{name}，电话 {phone}', '好的，发票发到 {mail}', '地址是哪里来着？', '{town}{street}', '谢谢！星期五谁来拿钥匙？', '{name2}来拿，电话 {phone2}'],
    letter: ['{name}先生/女士：', '您上周二提交的申请已收到。月底之前还需要补交几份材料。', '登记的住址是{town}{street}，出生日期为{born}。如有错误，请来电更正。', '我们会拨打 {phone} 或发邮件到 {mail} 与您联系。经办人是{name2}，电话 {phone2}。', '请妥善保管此信。今天不需要签字。'],
    words: ['您的申请：需补材料', '此致敬礼', '住户登记表'],
  },
  jp: {
    labels: labels('氏名|生年月日|電話番号|メール|番地|住所|口座|番号|カード番号'),
    chat: ['こんにちは、業者さんから連絡ありましたか？', 'はい、{name}さんで、番号は {phone} です', 'では請求書は {mail} に送りますね', '住所はどこでしたっけ？', '{town}{street}', 'ありがとうございます。金曜の鍵は誰が？', '{name2}さんです。電話は {phone2}'],
    letter: ['{name} 様', '先週火曜日のお申し込みを受け付けました。月末までに、あといくつか書類が必要です。', 'ご登録の住所は {town}{street}、生年月日は {born} です。誤りがあればお電話ください。', 'ご連絡は電話 {phone} またはメール {mail} にいたします。担当は {name2}、電話 {phone2} です。', 'この手紙は大切に保管してください。本日のご署名は不要です。'],
    words: ['お申し込み：書類のご案内', '敬具', '入居者登録'],
  },
};

export const phrasesOf = (country: Country): Phrases => phrases[country];
