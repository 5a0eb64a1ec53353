/** Scans and restores a text at once. */
import { atOnce } from '../../eventLoop.ts';
import type { Grammar } from '../grammar.ts';
import { restoringText } from '../restore.ts';
import type { Restored } from '../restorePass.ts';
import * as scan from '../scan.ts';

export const scanText = (grammar: Grammar, text: string): scan.ScannedText => atOnce(scan.scanText(grammar, text));

export const restoreText = (...parameters: Parameters<typeof restoringText>): Restored =>
  atOnce(restoringText(...parameters));
