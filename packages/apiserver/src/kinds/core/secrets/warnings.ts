import type { Secret } from '@binnacle/api/core/v1';
import { keyPairProblem } from '@binnacle/certificates';
import type { KubeObject } from '@binnacle/machinery';

/** Of a Secret for TLS whose certificate and key nobody could serve with. */
export function secretWarnings(object: KubeObject): readonly string[] {
  const { type, data } = object as Secret & KubeObject;
  if (type !== 'kubernetes.io/tls') return [];
  const problem = keyPairProblem(atob(data?.['tls.crt'] ?? ''), atob(data?.['tls.key'] ?? ''));
  return problem === undefined ? [] : [problem];
}
