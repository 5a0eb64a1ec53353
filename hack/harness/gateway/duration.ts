const DURATION = /^(\d+)(mo|[smhdw])$/;
const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

/** The reset period of a budget: a count and a unit (`s`, `m`, `h`, `d`, `w`, `mo`). */
export interface BudgetDuration {
  readonly count: number;
  readonly unit: keyof typeof SECONDS | 'mo';
}

/** @returns the period in `text`; undefined if the real gateway would reject it */
export function parseDuration(text: string): BudgetDuration | undefined {
  const match = DURATION.exec(text.trim().toLowerCase());
  if (match === null) return undefined;
  const count = Number(match[1]);
  return count > 0 && count <= 1_000_000 ? { count, unit: match[2] as BudgetDuration['unit'] } : undefined;
}

function addMonths(time: Date, months: number): Date {
  const result = new Date(time);
  const day = result.getUTCDate();
  result.setUTCDate(1);
  result.setUTCMonth(result.getUTCMonth() + months);
  const last = new Date(Date.UTC(result.getUTCFullYear(), result.getUTCMonth() + 1, 0)).getUTCDate();
  result.setUTCDate(Math.min(day, last));
  return result;
}

/** @returns one period after `now`: the first reset of a budget that `/customer/new` creates */
export function afterOnePeriod(duration: BudgetDuration, now: Date): Date {
  if (duration.unit === 'mo') return addMonths(now, duration.count);
  return new Date(now.getTime() + duration.count * SECONDS[duration.unit] * 1000);
}

/**
 * @returns the next reset of a budget that `/budget/*` creates or changes. It is aligned to midnight UTC; weeks to Monday, 30
 *   days and months to the first of a month, shorter periods to their multiples within the day.
 */
export function nextAlignedReset(duration: BudgetDuration, now: Date): Date {
  const midnight = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()));
  const days = duration.unit === 'w' ? duration.count * 7 : duration.count;
  switch (duration.unit) {
    case 'd':
    case 'w': {
      if (days === 7) return afterDays(midnight, (8 - midnight.getUTCDay()) % 7 || 7);
      if (days === 30) return firstOfMonth(midnight, 1);
      return afterDays(midnight, days);
    }
    case 'mo':
      return firstOfMonth(midnight, duration.count);
    case 'h':
    case 'm':
    case 's': {
      const period = duration.count * SECONDS[duration.unit] * 1000;
      const elapsed = now.getTime() - midnight.getTime();
      return new Date(midnight.getTime() + (Math.floor(elapsed / period) + 1) * period);
    }
  }
}

function afterDays(midnight: Date, days: number): Date {
  return new Date(midnight.getTime() + days * SECONDS.d * 1000);
}

function firstOfMonth(midnight: Date, months: number): Date {
  return new Date(Date.UTC(midnight.getUTCFullYear(), midnight.getUTCMonth() + months, 1));
}
