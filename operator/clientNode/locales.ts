/** Stands in for the translations of zod's messages: the operator reports none of them. */
export { default as en } from 'zod/v4/locales/en.js';
