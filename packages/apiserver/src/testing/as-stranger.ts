import { parseQuery } from '../request/query.ts';
import { createOpenPolicy } from '../policy-open.ts';
import type { Policy } from '../policy.ts';
import { startTestServer } from './test-server.ts';

/** Lines of a request's head, in their order. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** What somebody with a token is answered by a server of this policy, where he asks for all pods. */
export async function asStranger(policy: Partial<Policy>, headers: HeaderLines = []) {
  const { server } = await startTestServer({ policy: () => ({ ...createOpenPolicy(), ...policy }) });
  return server.handle({
    method: 'GET',
    path: '/api/v1/pods',
    query: parseQuery(''),
    header: (name) => headers.find((line) => line[0] === name)?.[1] ?? '',
    headerLines: () => headers,
    credentials: { bearerToken: 't' },
    body: { kind: 'none' },
  });
}
