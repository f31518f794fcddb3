/** A number, or a percentage written as text (`"25%"`). */
export type IntOrString = number | string;

/** A whole number from a number or a percentage of `total`; undefined when the text is neither. */
export function scaledValue(value: IntOrString, total: number, round: 'up' | 'down'): number | undefined {
  if (typeof value === 'number') return value;
  const percent = percentage(value);
  if (percent === undefined) return undefined;
  const exact = (percent * total) / 100;
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}

/** 25 for `"25%"`; undefined for whatever is no percentage. */
export function percentage(text: string): number | undefined {
  const digits = /^(-?\d+)%$/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
