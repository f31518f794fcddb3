import type { KubeObject } from '@binnacle/machinery';

/** The answer of a virtual resource that has nothing to tell. */
export function success(): KubeObject {
  const answer = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
  return answer;
}
