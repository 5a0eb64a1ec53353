import type { Mutant } from './interceptor.ts';

/**
 * Services that are wrong in ways that do not show at first sight. The suite must catch each of them; they wrap the real
 * service, so that nothing but the one fault differs.
 */
export const MUTANTS = {
  /** Never asks the gateway to hold back the end of a stream, so half a pseudonym goes out. */
  missingHoldback: {
    name: 'missing holdback',
    answer: ({ stream_holdback_chars: _, ...answer }) => answer,
  },
  /** Replaces in texts alone, so that the arguments of tool calls go to the model as they are. */
  textsAlone: {
    name: 'texts without structured_messages',
    answer: ({ structured_messages: _, ...answer }) => answer,
  },
  /** Forgets the team and the key, so that two teams that name the same end user share a mapping. */
  sharedSession: {
    name: 'a session shared between two teams',
    request: (body) => {
      const data = Object.entries((body.request_data ?? {}) as Record<string, string>);
      const tenants = /^user_api_key_(hash|alias|team_id|team_alias|org_id)$/;
      return { ...body, request_data: Object.fromEntries(data.filter(([name]) => !tenants.test(name))) };
    },
  },
} satisfies Record<string, Mutant>;
