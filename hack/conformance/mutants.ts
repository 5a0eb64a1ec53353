import type { Mutant } from './interceptor.ts';

/**
 * Faulty variants of the service with faults that are easy to miss, and one without any effect on texts. The suite must catch each of them. They wrap the real
 * service, so that it differs by exactly one fault.
 */
export const MUTANTS = {
  /** Replaces and restores nothing. */
  switchedOff: {
    name: 'switched off',
    answer: () => ({ action: 'NONE' }),
  },
  /** Never requests a holdback, so the gateway sends half a pseudonym. */
  missingHoldback: {
    name: 'missing holdback',
    answer: ({ stream_holdback_chars: _, ...answer }) => answer,
  },
  /** Replaces values only in texts, so the arguments of tool calls reach the model unchanged. */
  textsAlone: {
    name: 'texts without structured_messages',
    answer: ({ structured_messages: _, ...answer }) => answer,
  },
  /** Drops the team and the key, so two teams with the same end user name share mappings. */
  sharedSession: {
    name: 'a session shared between two teams',
    request: (body) => {
      const data = Object.entries((body.request_data ?? {}) as Record<string, string>);
      const tenants = /^user_api_key_(hash|alias|team_id|team_alias|org_id)$/;
      return { ...body, request_data: Object.fromEntries(data.filter(([name]) => !tenants.test(name))) };
    },
  },
} satisfies Record<string, Mutant>;
