/** Words of programming languages, markup, file systems and the logs of programs. All strings are alternatives of a regular expression. */

/** The endings of names of files and hosts. */
export const fileEndings =
  '[ch]|[jt]sx?|py|rb|go|rs|sh|sql|db|java|json|ya?ml|toml|conf|cfg|ini|env|log|md|txt|csv|xml|html?|css|php|pdf|docx?|xlsx?|png|jpe?g|gif|svg|zip|service|socket|example|local|com|net|org|io|dev|eu|app|name|id|email';

/** The endings of names of documents, letters, scans and pictures, which people name by whom they are about. */
export const documentEndings = 'pdf|docx?|odt|rtf|xlsx?|ods|pptx?|jpe?g|png|heic|tiff?|eml|msg|vcf|zip|m4a|mp[34]';

/** The first folders of paths on Linux and macOS. */
export const systemFolders =
  'bin|boot|dev|etc|home|lib|media|mnt|opt|proc|root|run|sbin|srv|sys|tmp|usr|var|private|workspace|app';

/** Keys of configuration files that can look like names in small letters, as alternatives. */
export const fieldNames = 'name|key|value|kind|type|id|host|port|path|image|label|labels|spec|metadata|namespace|env';

/** Machines and their parts, before a number: no places. */
export const countedDevices = 'rack|port|slot|node|pod|shard|blade|vlan|disk|pin|channel|cluster|replica|core|route';

/** The types of values in a JSON Schema. */
export const schemaTypes = 'string|object|integer|number|boolean|array|null';

/** Before the name of a variable. */
export const declarations = 'const|let|var|self|return';

/** TeX commands that begin like an escape: `\nabla` is not a line break. */
export const texCommands =
  'nabla|natural|ne|nearrow|neg|neq|newcommand|newenvironment|newline|newpage|newtheorem|nexists|ni|nocite|node|noindent|nolimits|nonumber|normal|normalsize|not|notag|notin|nu|num|nwarrow|raggedleft|raggedright|raise|rangle|rbrace|rbrack|rceil|ref|renewcommand|rfloor|rho|right|rightarrow|rightharpoonup|rightleftharpoons|rm|root|rule|rvert|tabcolsep|table|tableofcontents|tabular|tag|tan|tanh|tau|text|textbf|textcolor|textit|textrm|textsc|texttt|textwidth|tfrac|thanks|therefore|theta|thinspace|thispagestyle|tilde|times|tiny|title|to|today|top|toprule|triangle|triangleq';

/** Tags of HTML that stand inside of text. */
export const inlineTags = 'abbr|a|big|br|b|code|em|font|i|mark|small|span|strong|sub|sup|s|tt|u|wbr';

/** What messages of IRC say after the name of who comes, goes or changes a name. */
export const ircEvents = 'is now known as|has (?:joined|left|quit)|sets mode|joined|quit';

/** The trailers of git that name a person. */
export const gitTrailers =
  '(?:Co-authored|Signed-off|Reviewed|Acked|Tested|Reported|Suggested|Approved|Helped)-by|Author|Commit(?:ter)?';

/** Notes in code that are assigned to a person. */
export const codeNotes = 'TODO|FIXME|XXX|HACK';

/** Folders of disks that can contain the home folders. */
export const homeRoots = String.raw`export|srv|mnt|data|nfs|net|vol\d{0,2}`;

/** Before an account in lines of sshd, sudo, PAM, su, logind, useradd, cron, Samba and auditd, in syslog or the journal. */
export const systemLogPhrases = String.raw`(?:Accepted|Failed|Postponed) [\w/-]{1,24} for (?:invalid user )?|[Ii]nvalid user |[Ss]ession (?:\S{1,8} )?(?:(?:opened|closed) for|of) user |authenticating user |Disconnected from (?:invalid )?user |\bruser=|\(to \S{1,32}\) |\bsudo(?:\[\d+\])?:\s{1,6}|\b[ae]?uid=\d{1,10}\(|(?:new user: |[,;] )name=|CRON\[\d{1,9}\]: \(|\bconnect to service |\bacct=["']?|\b(?:delete|add|lock(?:ed)?|unlock(?:ed)?) user ['"]`;
