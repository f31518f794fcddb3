import type { Cause } from '@binnacle/base';

/** The header that carries a call's cause (law 11): `id;component;revision`. */
export const CAUSE_HEADER = 'binnacle-cause';

// What names may hold and a header may not, or would end a field of it.
const NOT_IN_CAUSE = /[^\w./@: -]/g;

/** A cause as the header carries it; never a reason for a request to fail. */
export function causeHeader({ id, component, revision = '' }: Cause): string {
  const said = (text: string, most: number): string => text.replace(NOT_IN_CAUSE, '_').slice(0, most);
  return `${said(id, 600)};${said(component, 128)};${revision}`;
}
