/** Hosts, parameters and parts of paths by which a URL says whom it is about. Each pattern takes time linear in the length of a URL. */

/**
 * Public hosts: documentation, code hosting, registries, standards. A link to them is personal only if it names an account
 * or contains credentials.
 */
export const publicHost =
  /^(?:www\.)?(?:localhost|[\w-]+\.(?:local|internal|svc|test|invalid|localhost)|(?:[\w-]+\.){0,3}(?:example\.(?:com|org|net)|w3\.org|wikipedia\.org|wikimedia\.org|mozilla\.org|github\.(?:com|io)|githubusercontent\.com|gitlab\.com|bitbucket\.org|google\.com|googleapis\.com|gstatic\.com|microsoft\.com|azure\.com|apple\.com|amazonaws\.com|aws\.amazon\.com|cloudflare\.com|npmjs\.(?:com|org)|pypi\.org|python\.org|nodejs\.org|typescriptlang\.org|rust-lang\.org|crates\.io|docs\.rs|golang\.org|go\.dev|kubernetes\.io|k8s\.io|helm\.sh|docker\.(?:com|io)|quay\.io|ghcr\.io|gcr\.io|apache\.org|eclipse\.org|debian\.org|ubuntu\.com|redhat\.com|openssl\.org|ietf\.org|rfc-editor\.org|iso\.org|iana\.org|json-schema\.org|schema\.org|xmlsoap\.org|openxmlformats\.org|opengis\.net|purl\.org|stackoverflow\.com|stackexchange\.com|readthedocs\.io|unpkg\.com|jsdelivr\.net|cdnjs\.com|fonts\.com|bootstrapcdn\.com|jquery\.com|reactjs\.org|react\.dev|vuejs\.org|angular\.io|nextjs\.org|openai\.com|anthropic\.com|huggingface\.co|arxiv\.org|doi\.org|gnu\.org|kernel\.org|maven\.org|gradle\.org|nuget\.org|rubygems\.org|packagist\.org|letsencrypt\.org|mysql\.com|postgresql\.org|sqlite\.org|redis\.io|mongodb\.com|elastic\.co|grafana\.com|prometheus\.io|opentelemetry\.io|swagger\.io|openapis\.org|creativecommons\.org|youtube\.com|bbc\.co\.uk|europa\.eu|who\.int|un\.org))$/i;

/** RFC 2606, section 3. */
export const documentationHost = /(?:^|\.)example\.(?:com|org|net)$/i;

export const webScheme = /^(?:https?|ftps?|wss?|sftp)$/i;

/** The page of an account on a public host. */
export const account =
  /\/(?:u|user|users|in|profile|profiles|people|person|members?)\/[\w.%-]{2,}|\/~[\w.-]+|\/@[\w.-]+/i;

/** A parameter with a secret, or a password before the host. */
export const credential =
  /[?&;](?:[\w-]*(?:token|key|secret|password|passwd|pwd|sig|signature|auth|session|code)[\w-]*)=[^&\s]{6,}|^[a-z+.-]+:\/\/[^/\s@]{0,128}:[^/\s@]{1,128}@/i;

/**
 * The beginning of a URL without a scheme: `www`, or the profile page of a social network or a code host. Sticky: it is tried
 * at the words before dots.
 */
export const bareHost =
  /(?<![\w./@-])(?:www\.(?=[\p{L}\p{N}-]{1,63}\.\p{L})|(?:(?:twitter|x|facebook|instagram|tiktok|xing)\.com|(?:linkedin|xing|viadeo|researchgate)\.\p{L}{2,8}\/(?:in|pub|profile))\/(?=@?\w{2})|(?:github|gitlab)\.com\/(?=[\w-]{2,64}(?![\w/-])))/iuy;

/** Parameters whose value is a secret. It gives access to everyone who has the URL. */
export const secretNames =
  /(?:^|[_.~-])(?:token|jwt|secret|password|passwd|pwd|pass|sig|signature|hmac|sid|sess|session|sessionid|jsessionid|phpsessid|otp|pin|ticket|invite|invitation|reset|magic|credential|(?:api|access|private|auth|secret|session)[_-]?(?:key|id|code|token))$/;

/** Parameters that hold a secret or an ordinary word. */
export const maybeSecretNames = /(?:^|[_.~-])(?:auth|authorization|code|hash|key)$/;

/** Parameters that name a person or a person's property. */
export const personNames =
  /^(?:(?:first|last|full|given|family|middle|sur|maiden|display|user|login|nick|screen|customer|client|patient|employee|member|account|person|contact|recipient|sender|guest)[_-]?(?:name|id|nr|no|number)|name|vorname|nachname|nom|prenom|nombre|apellidos?|cognome|surname|user|uid|login|username|handle|e?-?mail|email[_-]?address|phone|tel|telephone|mobile|msisdn|whatsapp|address|street|dob|birth(?:day|date)?|date[_-]?of[_-]?birth|ssn|iban|passport|patient|employee|assignee|lat|lng|lon|latitude|longitude|ip|device[_-]?id|imei|vin|plate)$/;

/** Values of such parameters that stand for nobody. */
export const impersonalValue =
  /^(?:|\d|true|false|null|undefined|none|all|any|me|self|default|test|example|admin|user|guest|new|x+|asc|desc|name|id|email|[$:<{].*|%7b.*|your.*)$/i;

/** Sites on which the first part of the path is the name of an account. */
export const profileHost =
  /^(?:www\.|m\.|mobile\.|[a-z]{2}\.)?(?:(?:github|gitlab|facebook|instagram|twitter|x|twitch|pinterest|patreon|vk|dribbble|calendly|cash|venmo|onlyfans|soundcloud|vimeo|tumblr|kaggle|ko-fi|buymeacoffee)\.(?:com|tv|app)|pinterest\.[a-z.]{2,6}|bitbucket\.org|codeberg\.org|t\.me|telegram\.me|fb\.me|fb\.com|paypal\.me|keybase\.io|about\.me|linktr\.ee|behance\.net|dev\.to|cal\.com|ok\.ru)$/i;

/** Code hosting: only the page of the account itself, because a repository mostly belongs to a project. */
export const codeHost = /^(?:www\.)?(?:github|gitlab)\.com$|^(?:bitbucket|codeberg)\.org$/i;

/** First parts of the path that are no account. */
export const notAnAccount =
  /^(?:|about|account|accounts|ads|api|app|apps|apple|article|articles|blog|business|careers|category|channel|contact|cookies?|creators?|customers?|dashboard|design|developers?|directory|discover|docs|download|downloads|enterprise|events?|explore|features|feed|gaming|groups?|hashtag|help|home|i|index(?:\.\w+)?|intent|issues|jobs|legal|learn|login|logout|marketplace|marketing|media|messages|mobile|new|news|nonprofit|notifications|orgs|organizations|p|pages?|photo|photos|plugins|policies|policy|popular|posts?|pricing|privacy|product|products|projects|pulls|readme|reel|reels|resources|robots\.txt|s|search|security|settings|share|sharer(?:\.php)?|shop|shorts|signin|signup|sitemap\.xml|site|solutions|sponsors|stars|status|stories|store|support|tags?|team|terms|topics|tos|trending|tv|video|videos|watch|web|welcome|wiki|joinchat|hc)$/i;

/** Paths of profiles on particular sites. */
export const knownProfile =
  /^(?:(?:[\w-]+\.)?linkedin\.[a-z]{2,8}\/(?:in|pub|profile)\/|(?:www\.)?xing\.com\/(?:profile|people)?\/?\w|(?:[\w-]+\.)?facebook\.com\/(?:profile\.php|people\/)|(?:www\.)?instagram\.com\/stories\/|(?:[\w-]+\.)?reddit\.com\/u(?:ser)?\/|(?:[\w-]+\.)?youtube\.com\/(?:user|c)\/|wa\.me\/\+?\d|(?:www\.)?bsky\.app\/profile\/|(?:www\.)?orcid\.org\/\d|orcid\.org\/\d|(?:www\.)?researchgate\.net\/profile\/|scholar\.google\.[a-z.]+\/citations\?(?:.*&)?user=|(?:[\w-]+\.)?stackoverflow\.com\/users\/\d|[\w-]+\.stackexchange\.com\/users\/\d|(?:www\.)?snapchat\.com\/add\/|(?:www\.)?strava\.com\/athletes\/|(?:[\w-]+\.)?gravatar\.com\/(?:avatar\/)?\w|(?:www\.)?flickr\.com\/(?:people|photos)\/\w|steamcommunity\.com\/(?:id|profiles)\/|open\.spotify\.com\/user\/|(?:[\w-]+\.)?doodle\.com\/mm\/|vk\.com\/id\d)/i;

/** Parts of a path after which the name or the number of a person stands. */
export const personFolder =
  /\/(?:u|user|users|usuarios?|utilisateurs?|benutzer|profile|profiles|profil|profilo|perfil|people|person|persons|personen|members?|mitarbeiter|mitglied(?:er)?|staff|team|employees?|author|authors|autor|autore|auteur|customers?|kunden?|clients?|patients?|patienten|students?|contacts?|candidates?|applicants?|resume|cv)\/([\p{L}\p{N}._%@+-]{2,})/giu;

/** Parts of a path after a folder of people that name no person. */
export const noPerson =
  /^(?:about|add|admin|all|api|articles?|auth|book|create|dashboard|default|delete|docs?|documentation|download|edit|example|export|faq|forgot[\w-]*|get|guide|guides|help|home|id|import|index|info|invite|join|latest|list|login|logout|manage|manual|me|menu|new|news|overview|password|popular|pricing|public|query|register|roles|search|self|service|services|settings|sign-?in|sign-?up|stats|status|support|top|tutorial|update|page|\d{1,2}|[\w-]+\.(?:html?|php|aspx?|jsp|css|js|md|png|jpe?g|svg))$/i;

export const resume =
  /\/(?:cv|resume|lebenslauf|curriculum(?:-vitae)?|about-me|ueber-mich)(?:\.\w{2,5})?\/?(?:[?#]|$)/i;

/** Invitations, meetings and links that reset, confirm or unsubscribe: a code after a folder, or a host for them alone. */
export const codeFolder =
  /\/(?:invite|invites|invitations?|einladung|join|joinchat|reset|reset-?password|password-?reset|set-?password|recover|verify|verification|confirm|confirmation|activate|activation|unsubscribe|abmelden|magic|magic-?link|signup|register|redeem|claim|sso|s|share|shared|sharing|meetup-join)\/([\w~%.=-]{6,})/gi;

export const codeHostPath =
  /^(?:chat\.whatsapp\.com|discord\.gg|(?:[\w-]+\.)?zoom\.us\/(?:j|w|my)|meet\.google\.com(?=\/[a-z]{3}-[a-z]{4}-[a-z]{3})|teams\.(?:microsoft|live)\.com\/(?:l\/meetup-join|meet)|t\.me\/\+|join\.slack\.com\/t|1drv\.ms|we\.tl)\/?[\w+@%.-]{4,}/i;
