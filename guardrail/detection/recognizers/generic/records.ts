import type { EntityType } from '../../contract.ts';
import { eachMatch, type Emit, type Recognizer } from '../recognizer.ts';

/** The type of each field of a segment, by its number in HL7 version 2.5.1, chapter 3. */
const SEGMENTS: Readonly<Record<string, ReadonlyMap<number, EntityType>>> = {
  // Patient identification.
  PID: new Map([
    [2, 'ID'],
    [3, 'ID'],
    [5, 'PERSON'],
    [6, 'PERSON'],
    [7, 'DATE_OF_BIRTH'],
    [9, 'PERSON'],
    [11, 'ADDRESS'],
    [13, 'PHONE_NUMBER'],
    [14, 'PHONE_NUMBER'],
    [18, 'ID'],
    [19, 'ID'],
  ]),
  // Next of kin.
  NK1: new Map([
    [2, 'PERSON'],
    [4, 'ADDRESS'],
    [5, 'PHONE_NUMBER'],
    [6, 'PHONE_NUMBER'],
  ]),
};
const segment = /^(PID|NK1)\|[^\n\r]{0,2000}/gm;
/** How many parts of a field are values. Others are flags and kinds. */
const PARTS: Partial<Record<EntityType, number>> = { PERSON: 3, ID: 1, DATE_OF_BIRTH: 1, PHONE_NUMBER: 1 };
const SCORE = 0.95;

/** The persons in messages between hospitals, in HL7 version 2: `PID|1||4471^^^HOSP^MR||DUARTE^MARISOL||19840212`. */
const hl7: Recognizer = {
  type: 'PERSON',
  rule: 'record.hl7',
  otherTypes: ['ID', 'DATE_OF_BIRTH', 'ADDRESS', 'PHONE_NUMBER'],
  // A search for one character is several times as fast as one for several.
  mayMatch: ({ text }) => text.includes('|') && (text.includes('PID|') || text.includes('NK1|')),
  find(text, emit) {
    eachMatch(segment, text, ({ 0: line, 1: name = '', index }) => {
      let start = index;
      for (const [number, field] of line.split('|').entries()) {
        const type = SEGMENTS[name]?.get(number);
        if (type !== undefined) emitParts(field, start, '^', emit, type);
        start += field.length + 1;
      }
    });
  },
};

const addressLine = /^ADR(?:;[^:\n]{0,80})?:([^\n\r]{1,300})/gm;

/** The postal address of a contact: RFC 6350, section 6.3.1. */
const contactAddress: Recognizer = {
  type: 'ADDRESS',
  rule: 'record.contact',
  mayMatch: ({ text }) => text.includes(';') && text.includes('ADR'),
  find(text, emit) {
    eachMatch(addressLine, text, ({ 0: line, 1: value = '', index }) => {
      emitParts(value, index + line.length - value.length, ';', emit, 'ADDRESS');
    });
  },
};

/** Emits the parts of a field. Each is a value, so that the field keeps its form. */
function emitParts(field: string, start: number, separator: string, emit: Emit, type: EntityType): void {
  let at = start;
  for (const part of field.split(separator).slice(0, PARTS[type])) {
    const value = part.trim();
    if (/[\p{L}\d]/u.test(value)) {
      const begin = at + part.indexOf(value);
      emit(begin, begin + value.length, SCORE, type);
    }
    at += part.length + separator.length;
  }
}

/** A line of the machine-readable zone of a passport or an identity card: ICAO Doc 9303, parts 4 to 6. */
const machineReadable: Recognizer = {
  type: 'ID',
  rule: 'record.passport',
  mayMatch: ({ text }) => text.includes('<<'),
  find(text, emit) {
    eachMatch(/(?<![\p{L}\p{N}<])[A-Z\d<]{28,44}(?![\p{L}\p{N}<])/gu, text, ({ 0: line, index }) => {
      if (/[A-Z\d].*<<|<<.*[A-Z\d]/.test(line) && [30, 36, 44].includes(line.length))
        emit(index, index + line.length, SCORE);
    });
  },
};

/** Persons in records whose format says what each field is. */
export const records: readonly Recognizer[] = [hl7, contactAddress, machineReadable];
