/** Test data: configurations that are expensive to parse. Each kind has made the parser, or an edit, slow. */

/** Lines up to this number of bytes. */
function lines(bytes: number, line: (index: number) => string, head = ''): string {
  let text = head;
  for (let index = 0; text.length + 64 < bytes; index += 1) text += line(index);
  return text;
}

/** The texts by their contents, each of about this number of bytes. */
export function slowBases(bytes: number): Readonly<Record<string, string>> {
  return {
    'many keys': lines(bytes, (index) => `k${index}: v\n`),
    'many keys in braces': `a: {${lines(bytes - 8, (index) => `k${index}: 1,`)}}\n`,
    'a long list': lines(bytes, () => '- a\n', 'a:\n'),
    'a long list in brackets': `a: [${lines(bytes - 8, () => '1,')}]\n`,
    'many faults': lines(bytes, () => 'a: }\n'),
    'many documents': lines(bytes, () => 'a: 1\n---\n'),
    'deep brackets': `a: ${'['.repeat(bytes / 2 - 8)}${']'.repeat(bytes / 2 - 8)}\n`,
    'comments within brackets': `a: ${'['.repeat(60)}\n${lines(bytes - 256, () => ' 1, #\n')} ${']'.repeat(60)}\n`,
    'many anchors': lines(bytes, (index) => `- &a${index} x\n`, 'a:\n'),
    'many aliases': lines(bytes, () => '- *a\n', 'a:\n- &a x\n'),
    'many merge keys': lines(bytes, () => '- {<<: *a}\n', 'a:\n- &a {x: 1}\n'),
    'merge keys of merge keys': `a0: &a0 {x: 1}\n${Array.from({ length: 40 }, (_, level) => `a${level + 1}: &a${level + 1} {<<: [*a${level}, *a${level}]}\n`).join('')}<<: *a40\n`,
    'anchored opt-outs': lines(bytes, (index) => `- {disable_global_guardrails: &a${index % 900} true}\n`, 'a:\n'),
    'opt-outs by alias': lines(bytes, () => '- {opted_out_global_guardrails: *a}\n', 'a:\n- &a [gateway-guardrail]\n'),
    'one key under many aliases': lines(bytes, () => '  ? *a\n  : true\n', 'x: &a disable_global_guardrails\na:\n'),
    'many steps': lines(bytes, () => '- {pipeline: {steps: [{guardrail: gateway-guardrail}]}}\n', 'policies:\n'),
    'many entries of the same name': lines(bytes, () => '- guardrail_name: gateway-guardrail\n', 'guardrails:\n'),
    'a long comment': lines(bytes, () => '#\n'),
    'empty lines': `a: 1\n${'\n'.repeat(bytes - 8)}`,
  };
}
