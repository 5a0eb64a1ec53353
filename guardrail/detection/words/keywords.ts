/** Keywords that belong to no language: words and signs of programs, of formats and of standards. In lower case. */

/** Words and signs in the lines of logs that name the user of a session. */
export const authenticationLog = [
  'ruser=',
  ' user ',
  'sudo',
  'uid=',
  'accepted ',
  'failed ',
  'postponed ',
  '(to ',
  'cron[',
  'acct=',
  'useradd',
  'to service ',
] as const;

/** What names an account in other places: see `accountsInLogs`. */
export const accountPlaces = {
  homeFolder: ['/home/', 'users'],
  domainAccount: ['\\'],
  vpn: ['vpn'],
  accessLog: ['] "'],
  chat: ['> ', ' * ', '-!-'],
  renamed: ['known as'],
  assignee: ['todo(', 'fixme(', 'xxx(', 'hack('],
  shortlog: ['shortlog'],
} as const;

/** The keywords of other lists, beside those of languages. */
export const formatKeywords = {
  secret: ['sess', 'jsess', 'phpsess', 'csrf', 'xsrf', 'bearer', 'pin'],
  cloudSecret: ['aws', 'secret', 'access'],
  keyPrefix: [
    'glpat-',
    'sk_live_',
    'sk_test_',
    'rk_live_',
    'hf_',
    'ghp_',
    'gho_',
    'ghs_',
    'npm_',
    'gsk_',
    'xai-',
    'whsec_',
    'sk-',
    'akia',
    'asia',
  ],
  login: ['basic ', ' -u', '-user', 'login ', 'mysql', 'mariadb', '7z', 'sshpass', 'mongo', 'redis-cli', 'ldap'],
  card: ['cvc', 'cvv', 'cv2', 'csc', 'csv', 'cs2'],
  bank: ['swift', 'bic'],
  birth: ['(b.', '*', '°'],
  accessCode: ['wifi', 'wi-fi', 'wlan', 'w-lan', 'hotspot', 'pin'],
  sql: ['insert into'],
  mailDot: [' dot ', ' punkt ', ' punto ', ' point ', ' ponto '],
  calle: ['c/ '],
  quotedKey: ['":', "':", '" :', "' :"],
} as const;
