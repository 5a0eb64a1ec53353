/** The tables of the settings of both programs. Pure. */
import { listSettings as guardrailSettings } from '../../guardrail/settings/settings.ts';
import { listSettings as operatorSettings } from '../../operator/config.ts';
import { anchored, code, plain, table } from './markdown.ts';

/** The flags and the environment variables of the operator. */
export function operatorSettingsTable(): string {
  return table(
    ['Flag', 'Environment variable', 'Default', 'Meaning'],
    operatorSettings().map(({ flag, variable, value, fallback, help }) => [
      code(`--${flag}=${value}`),
      anchored(variable, variable),
      fallback === '' ? '' : code(fallback),
      plain(help),
    ]),
  );
}

/** The environment variables of the guardrail. */
export function guardrailSettingsTable(): string {
  return table(
    ['Environment variable', 'Default', 'Meaning'],
    guardrailSettings().map(({ variables, values, preset, help }) => [
      variables.map((variable) => anchored(variable, variable)).join('<br>'),
      preset === undefined ? '' : code(preset),
      values.length === 0 ? plain(help) : `${plain(help)} Values: ${values.map(code).join(', ')}.`,
    ]),
  );
}
