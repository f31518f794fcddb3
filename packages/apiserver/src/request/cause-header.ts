import type { Cause } from '@binnacle/base';

/** The header in which clients over HTTP pass on why they ask (law 11): `id;component;revision`. */
export const CAUSE_HEADER = 'binnacle-cause';

const FORM = /^([\w./@: -]{1,600});([\w./@: -]{0,128});(\d{0,16})$/;

/** What a caller says of its cause. It is only ever shown, so that a wrong one is left out and not refused. */
export function parseCause(text: string): Cause | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [, id = '', component = '', revision = ''] = match;
  return { id, component, request: '', ...(revision === '' ? {} : { revision }) };
}
