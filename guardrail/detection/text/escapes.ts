/** Escapes in strings. JSON and source code escape quotes and white space with more backslashes at each level of nesting. */

/** TeX commands that begin like an escape: `\nabla` is not a line break. */
const tex =
  'nabla natural ne nearrow neg neq newcommand newenvironment newline newpage newtheorem nexists ni nocite node noindent nolimits nonumber normal normalsize not notag notin nu num nwarrow raggedleft raggedright raise rangle rbrace rbrack rceil ref renewcommand rfloor rho right rightarrow rightharpoonup rightleftharpoons rm root rule rvert tabcolsep table tableofcontents tabular tag tan tanh tau text textbf textcolor textit textrm textsc texttt textwidth tfrac thanks therefore theta thinspace thispagestyle tilde times tiny title to today top toprule triangle triangleq';

/** Escaped white space, or a Windows path, which can contain the same characters. */
const whiteSpace = new RegExp(
  String.raw`(?<![A-Za-z])[C-Ec-e]:\\[^\s"'<>|]+|(?<!\\)\\+(?!(?:${tex.replaceAll(' ', '|')})(?![A-Za-z]))([nrt])`,
  'g',
);

/**
 * Replaces escaped white space by white space, so that its letter is not part of the next word or number. Offsets do not
 * change.
 */
export function withoutEscapedSpace(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(whiteSpace, (whole, letter?: string) =>
    letter === undefined ? whole : (letter === 'n' ? '\n' : ' ').padStart(whole.length),
  );
}

/** Removes the escapes of quotes, for context words. Offsets change. */
export function withoutEscapedQuotes(context: string): string {
  return context.includes('\\') ? context.replace(/\\+(?=["'`])/g, '') : context;
}
