import type { ListRoute } from '../route/route.ts';

/** What of a list's address the server selects by, as it travels; empty: everything. */
export function selectorQuery({ labels, fields }: Pick<ListRoute, 'labels' | 'fields'>): string {
  const said = { labelSelector: labels, fieldSelector: fields };
  return Object.entries(said)
    .filter(([, selector]) => selector !== '')
    .map(([name, selector]) => `${name}=${encodeURIComponent(selector)}`)
    .join('&');
}
