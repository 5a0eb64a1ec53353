/** Texts inside strings: JSON and source code write quotes and white space with a backslash, once more at each depth. */

/** Commands of TeX, which begin as escapes do: `\nabla` is no new line. */
const tex =
  'nabla natural ne nearrow neg neq newcommand newenvironment newline newpage newtheorem nexists ni nocite node noindent nolimits nonumber normal normalsize not notag notin nu num nwarrow raggedleft raggedright raise rangle rbrace rbrack rceil ref renewcommand rfloor rho right rightarrow rightharpoonup rightleftharpoons rm root rule rvert tabcolsep table tableofcontents tabular tag tan tanh tau text textbf textcolor textit textrm textsc texttt textwidth tfrac thanks therefore theta thinspace thispagestyle tilde times tiny title to today top toprule triangle triangleq';

/** Escaped white space; or a path of Windows, whose names may begin with its letters. */
const whiteSpace = new RegExp(
  String.raw`(?<![A-Za-z])[C-Ec-e]:\\[^\s"'<>|]+|(?<!\\)\\+(?!(?:${tex.replaceAll(' ', '|')})(?![A-Za-z]))([nrt])`,
  'g',
);

/**
 * A text as recognizers and the tagger read it: escaped white space is white space, so that its letter does not belong to
 * the word or number behind it. Every character stays at its place.
 */
export function withoutEscapedSpace(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(whiteSpace, (whole, letter?: string) =>
    letter === undefined ? whole : (letter === 'n' ? '\n' : ' ').padStart(whole.length),
  );
}

/** What stands around a value, with quotes as they are without escapes: for context words, not for places. */
export function withoutEscapedQuotes(context: string): string {
  return context.includes('\\') ? context.replace(/\\+(?=["'`])/g, '') : context;
}
