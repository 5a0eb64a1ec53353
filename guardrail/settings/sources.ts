/** Collects the texts of settings from the environment and the settings file. */
import { readNow } from '../liveFile.ts';
import { parseYaml, YamlError } from '../yaml/yaml.ts';

export const PREFIX = 'GUARDRAIL_';
/** The variable that names the settings file. */
export const FILE_VARIABLE = `${PREFIX}CONFIG`;

/** The text of a setting, and how an error names the place where it is set. */
export interface Given {
  readonly text: string;
  readonly label: string;
}

/** @param problems receives a sentence if the settings file is unusable. */
export function readSources(env: NodeJS.ProcessEnv, problems: string[]): Map<string, Given> {
  const given = new Map<string, Given>();
  const path = env[FILE_VARIABLE];
  if (path !== undefined && path !== '') {
    try {
      for (const [member, text] of readSettingsFile(path)) {
        given.set(member.toUpperCase(), { text, label: `${member} in ${path}` });
      }
    } catch (error) {
      problems.push(`${FILE_VARIABLE} ${error instanceof Error ? error.message : 'is not valid'}.`);
    }
  }
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith(PREFIX) || variable === FILE_VARIABLE || text === undefined || text === '') continue;
    if (isServiceLink(variable, text)) continue;
    given.set(variable.slice(PREFIX.length), { text, label: variable });
  }
  return given;
}

function readSettingsFile(path: string): [member: string, text: string][] {
  const parsed: unknown = parsedYaml(path)?.toJS() ?? {};
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new Error(`names ${path}, which must be a mapping of names to values`);
  }
  return Object.entries(parsed as Record<string, unknown>).map(([member, value]) => {
    const isList = Array.isArray(value) && value.every((item) => typeof item !== 'object');
    return [member, isList ? value.join(',') : typeof value === 'string' ? value : JSON.stringify(value)];
  });
}

function parsedYaml(path: string): ReturnType<typeof parseYaml> {
  const text = readNow(path);
  try {
    return parseYaml(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new Error(`names ${path}, which ${error.message}`, { cause: error });
  }
}

/** Whether Kubernetes sets this variable in each pod, for a Service whose name begins with `guardrail`. */
function isServiceLink(variable: string, text: string): boolean {
  return (
    /_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP|SCTP)(_[A-Z]+)?)$/.test(variable) ||
    (variable.endsWith('PORT') && /^(tcp|udp|sctp):\/\//.test(text))
  );
}
