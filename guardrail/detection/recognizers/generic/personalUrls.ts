/** Decides whether a URL identifies a person. Each pattern takes time linear in the length of the URL. */
import {
  codeFolder,
  codeHost,
  codeHostPath,
  impersonalValue,
  knownProfile,
  maybeSecretNames,
  noPerson,
  notAnAccount,
  personFolder,
  personNames,
  profileHost,
  resume,
  secretNames,
} from '../../words/urls.ts';

/** A user before the host. `git` is the shared user of code hosting. */
const userinfo = /^(?:[a-z][a-z+.-]*:\/\/)(?!git@)[^/\s@?#]{1,256}@/i;
const email = /[\w.+-]{1,64}(?:@|%40)[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}\.\p{L}{2,24}(?![\w-])/iu;

/** Home folders, and accounts of Mastodon, Medium, TikTok, YouTube and others. A scope of npm has a package after it. */
const homePage = /\/~[\p{L}\p{N}][\p{L}\p{N}._-]*|\/(?:@|%40)[\p{L}\p{N}_][\p{L}\p{N}._-]+(?:\/\d+)?\/?(?:[?#]|$)/iu;

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
