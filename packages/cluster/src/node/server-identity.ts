import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { ServerIdentity } from '@binnacle/apiserver';

/** Upstream makes it of the host's name alone; here several servers may run on one host. */
export function serverIdentity(port: number): ServerIdentity {
  const own = hostname();
  const hash = createHash('sha256').update(`${own}:${port}`).digest('hex').slice(0, 26);
  return { name: `apiserver-${hash}`, hostname: own };
}
