import type { Wire } from '@binnacle/machinery';
import { BenchError } from './errors.ts';

const GROUPS = {
  admission: '/apis/admissionregistration.k8s.io/v1',
  flow: '/apis/flowcontrol.apiserver.k8s.io/v1',
  core: '/api/v1/namespaces/default',
  discovery: '/apis/discovery.k8s.io/v1/namespaces/default',
  rbac: '/apis/rbac.authorization.k8s.io/v1',
} as const;

/** Makes an object of a kind that the bench has no client for. Throws BenchError for a refusal. */
export async function make(
  wire: Pick<Wire, 'raw'>,
  [group, resource]: readonly [group: keyof typeof GROUPS, resource: string],
  object: object,
): Promise<void> {
  const reply = await wire.raw({
    method: 'POST',
    path: `${GROUPS[group]}/${resource}`,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify(object)),
  });
  let text = '';
  for await (const piece of reply.body) text += new TextDecoder().decode(piece);
  if (reply.status >= 300) throw new BenchError(`${resource}: ${text}`);
}
