import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { ServerIdentity } from '@binnacle/apiserver';
import { validHostName } from '@binnacle/base';

/** What `/metrics` shows in place of names and texts. */
export function shownHash(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/**
 * Upstream makes it of the host's name alone; here several servers may run on one host. The name is a label of the
 * server's Lease, so one that no label can be (`(none)`: nobody set one) would have it refused for ever.
 */
export function serverIdentity(port: number, own = hostname()): ServerIdentity {
  const hash = createHash('sha256').update(`${own}:${port}`).digest('hex').slice(0, 26);
  return { name: `apiserver-${hash}`, hostname: validHostName(own) };
}
