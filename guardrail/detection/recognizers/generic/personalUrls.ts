/** Decides whether a URL identifies a person. Each pattern takes time linear in the length of the URL. */

/** A user before the host. `git` is the shared user of code hosting. */
const userinfo = /^(?:[a-z][a-z+.-]*:\/\/)(?!git@)[^/\s@?#]{1,256}@/i;
const email = /[\w.+-]{1,64}(?:@|%40)[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}\.\p{L}{2,24}(?![\w-])/iu;

/** Parameters whose value is a secret. It gives access to everyone who has the URL. */
const secretNames =
  /(?:^|[_.~-])(?:token|jwt|secret|password|passwd|pwd|pass|sig|signature|hmac|sid|sess|session|sessionid|jsessionid|phpsessid|otp|pin|ticket|invite|invitation|reset|magic|credential|(?:api|access|private|auth|secret|session)[_-]?(?:key|id|code|token))$/;
/** Parameters that hold a secret or an ordinary word. */
const maybeSecretNames = /(?:^|[_.~-])(?:auth|authorization|code|hash|key)$/;
/** Parameters that name a person or a person's property. */
const personNames =
  /^(?:(?:first|last|full|given|family|middle|sur|maiden|display|user|login|nick|screen|customer|client|patient|employee|member|account|person|contact|recipient|sender|guest)[_-]?(?:name|id|nr|no|number)|name|vorname|nachname|nom|prenom|nombre|apellidos?|cognome|surname|user|uid|login|username|handle|e?-?mail|email[_-]?address|phone|tel|telephone|mobile|msisdn|whatsapp|address|street|dob|birth(?:day|date)?|date[_-]?of[_-]?birth|ssn|iban|passport|patient|employee|assignee|lat|lng|lon|latitude|longitude|ip|device[_-]?id|imei|vin|plate)$/;
/** Values of such parameters that stand for nobody. */
const impersonalValue =
  /^(?:|\d|true|false|null|undefined|none|all|any|me|self|default|test|example|admin|user|guest|new|x+|asc|desc|name|id|email|[$:<{].*|%7b.*|your.*)$/i;

/** Sites on which the first part of the path is the name of an account. */
const profileHost =
  /^(?:www\.|m\.|mobile\.|[a-z]{2}\.)?(?:(?:github|gitlab|facebook|instagram|twitter|x|twitch|pinterest|patreon|vk|dribbble|calendly|cash|venmo|onlyfans|soundcloud|vimeo|tumblr|kaggle|ko-fi|buymeacoffee)\.(?:com|tv|app)|pinterest\.[a-z.]{2,6}|bitbucket\.org|codeberg\.org|t\.me|telegram\.me|fb\.me|fb\.com|paypal\.me|keybase\.io|about\.me|linktr\.ee|behance\.net|dev\.to|cal\.com|ok\.ru)$/i;
/** Code hosting: only the page of the account itself, because a repository mostly belongs to a project. */
const codeHost = /^(?:www\.)?(?:github|gitlab)\.com$|^(?:bitbucket|codeberg)\.org$/i;
/** First parts of the path that are no account. */
const notAnAccount =
  /^(?:|about|account|accounts|ads|api|app|apps|apple|article|articles|blog|business|careers|category|channel|contact|cookies?|creators?|customers?|dashboard|design|developers?|directory|discover|docs|download|downloads|enterprise|events?|explore|features|feed|gaming|groups?|hashtag|help|home|i|index(?:\.\w+)?|intent|issues|jobs|legal|learn|login|logout|marketplace|marketing|media|messages|mobile|new|news|nonprofit|notifications|orgs|organizations|p|pages?|photo|photos|plugins|policies|policy|popular|posts?|pricing|privacy|product|products|projects|pulls|readme|reel|reels|resources|robots\.txt|s|search|security|settings|share|sharer(?:\.php)?|shop|shorts|signin|signup|sitemap\.xml|site|solutions|sponsors|stars|status|stories|store|support|tags?|team|terms|topics|tos|trending|tv|video|videos|watch|web|welcome|wiki|joinchat|hc)$/i;

/** Paths of profiles on particular sites. */
const knownProfile =
  /^(?:(?:[\w-]+\.)?linkedin\.[a-z]{2,8}\/(?:in|pub|profile)\/|(?:www\.)?xing\.com\/(?:profile|people)?\/?\w|(?:[\w-]+\.)?facebook\.com\/(?:profile\.php|people\/)|(?:www\.)?instagram\.com\/stories\/|(?:[\w-]+\.)?reddit\.com\/u(?:ser)?\/|(?:[\w-]+\.)?youtube\.com\/(?:user|c)\/|wa\.me\/\+?\d|(?:www\.)?bsky\.app\/profile\/|(?:www\.)?orcid\.org\/\d|orcid\.org\/\d|(?:www\.)?researchgate\.net\/profile\/|scholar\.google\.[a-z.]+\/citations\?(?:.*&)?user=|(?:[\w-]+\.)?stackoverflow\.com\/users\/\d|[\w-]+\.stackexchange\.com\/users\/\d|(?:www\.)?snapchat\.com\/add\/|(?:www\.)?strava\.com\/athletes\/|(?:[\w-]+\.)?gravatar\.com\/(?:avatar\/)?\w|(?:www\.)?flickr\.com\/(?:people|photos)\/\w|steamcommunity\.com\/(?:id|profiles)\/|open\.spotify\.com\/user\/|(?:[\w-]+\.)?doodle\.com\/mm\/|vk\.com\/id\d)/i;

/** Parts of a path after which the name or the number of a person stands. */
const personFolder =
  /\/(?:u|user|users|usuarios?|utilisateurs?|benutzer|profile|profiles|profil|profilo|perfil|people|person|persons|personen|members?|mitarbeiter|mitglied(?:er)?|staff|team|employees?|author|authors|autor|autore|auteur|customers?|kunden?|clients?|patients?|patienten|students?|contacts?|candidates?|applicants?|resume|cv)\/([\p{L}\p{N}._%@+-]{2,})/giu;
/** Parts of a path after a folder of people that name no person. */
const noPerson =
  /^(?:about|add|admin|all|api|articles?|auth|book|create|dashboard|default|delete|docs?|documentation|download|edit|example|export|faq|forgot[\w-]*|get|guide|guides|help|home|id|import|index|info|invite|join|latest|list|login|logout|manage|manual|me|menu|new|news|overview|password|popular|pricing|public|query|register|roles|search|self|service|services|settings|sign-?in|sign-?up|stats|status|support|top|tutorial|update|page|\d{1,2}|[\w-]+\.(?:html?|php|aspx?|jsp|css|js|md|png|jpe?g|svg))$/i;

/** Home folders, and accounts of Mastodon, Medium, TikTok, YouTube and others. A scope of npm has a package after it. */
const homePage = /\/~[\p{L}\p{N}][\p{L}\p{N}._-]*|\/(?:@|%40)[\p{L}\p{N}_][\p{L}\p{N}._-]+(?:\/\d+)?\/?(?:[?#]|$)/iu;
const resume = /\/(?:cv|resume|lebenslauf|curriculum(?:-vitae)?|about-me|ueber-mich)(?:\.\w{2,5})?\/?(?:[?#]|$)/i;

/** Invitations, meetings and links that reset, confirm or unsubscribe: a code after a folder, or a host for them alone. */
const codeFolder =
  /\/(?:invite|invites|invitations?|einladung|join|joinchat|reset|reset-?password|password-?reset|set-?password|recover|verify|verification|confirm|confirmation|activate|activation|unsubscribe|abmelden|magic|magic-?link|signup|register|redeem|claim|sso|s|share|shared|sharing|meetup-join)\/([\w~%.=-]{6,})/gi;
const codeHostPath =
  /^(?:chat\.whatsapp\.com|discord\.gg|(?:[\w-]+\.)?zoom\.us\/(?:j|w|my)|meet\.google\.com(?=\/[a-z]{3}-[a-z]{4}-[a-z]{3})|teams\.(?:microsoft|live)\.com\/(?:l\/meetup-join|meet)|t\.me\/\+|join\.slack\.com\/t|1drv\.ms|we\.tl)\/?[\w+@%.-]{4,}/i;

/** A random code: a part of a path that mixes cases and digits without words, as in the address of a shared document. */
const segment = /(?<=[/=])[\w-]{20,256}(?=[/?#&]|$)/g;

const parse = (url: string): { readonly host: string; readonly path: string; readonly rest: string } => {
  const rest = url.replace(/^[a-z][a-z+.-]*:\/\//i, '').replace(/^[^/\s@?#]*@/, '');
  const [, host = '', path = ''] = /^([^/?#]*)(.*)$/s.exec(rest) ?? [];
  return { host: host.replace(/:\d+$/, ''), path, rest };
};

/**
 * Whether a URL identifies a person or gives access in the name of one: credentials, an e-mail address, a profile, a session,
 * an invitation. The address of an organisation, an article or a program does not.
 * @param url a URL of the web or with credentials, with or without its scheme, without surrounding punctuation
 */
export function identifiesSomebody(url: string): boolean {
  if (userinfo.test(url)) return true;
  const { host, path, rest } = parse(url);
  if (path === '' || path === '/') return false;
  return (
    email.test(path) ||
    homePage.test(path) ||
    resume.test(path) ||
    knownProfile.test(rest) ||
    codeHostPath.test(rest) ||
    isAccount(host, path) ||
    namesPerson(path) ||
    hasSecret(path)
  );
}

/** Whether a path of a site with accounts is the page of one, or below it. */
function isAccount(host: string, path: string): boolean {
  if (!profileHost.test(host)) return false;
  const [, account = '', more = ''] = /^\/+([^/?#]*)\/?([^?#]*)/.exec(path) ?? [];
  if (account.length < 2 || notAnAccount.test(account)) return false;
  return more === '' || !codeHost.test(host);
}

/** Whether a path has the name or number of a person after a folder of people, or a parameter for it. */
function namesPerson(path: string): boolean {
  const [beforeQuery = ''] = path.split(/[?#]/, 1);
  for (const [, name = ''] of beforeQuery.matchAll(personFolder)) if (!noPerson.test(name)) return true;
  return parametersOf(path).some(([name, value]) => personNames.test(name) && !impersonalValue.test(value));
}

/** Whether a parameter or a part of the path is a secret. */
function hasSecret(path: string): boolean {
  for (const [, code = ''] of path.matchAll(codeFolder)) if (isCode(code)) return true;
  for (const [part] of path.matchAll(segment)) if (isRandom(part)) return true;
  return parametersOf(path).some(
    ([name, value]) =>
      (secretNames.test(name) && value.length >= 4 && !impersonalValue.test(value)) ||
      (maybeSecretNames.test(name) && value.length >= 6 && /\d/.test(value)),
  );
}

/** The parameters of the query, the fragment and the path (`;jsessionid=`). Names are in lower case, with `_` between words. */
const parametersOf = (path: string): [name: string, value: string][] =>
  Array.from(path.matchAll(/[?&#;]([\w.~[\]%-]{1,64})=([^&#;\s]*)/g), ([, name = '', value = '']) => [
    name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase(),
    value,
  ]);

/** A code of an invitation has digits, or upper case within it, or is long; a word of a path has not. */
const isCode = (code: string): boolean =>
  !/^[\p{L}-]+\.\w{2,5}$/u.test(code) &&
  (/\d.*\d/.test(code) || /[a-z][A-Z]/.test(code) || /^[a-z0-9]{20,}$/i.test(code));

function isRandom(part: string): boolean {
  if (!/[a-z]/.test(part) || !/[A-Z]/.test(part) || !/\d/.test(part)) return false;
  // Words that hyphens separate are a title, even with a number.
  return !/^(?:[A-Za-z]{1,20}|\d{1,4})(?:[-_](?:[A-Za-z]{1,20}|\d{1,8}))*$/.test(part);
}
