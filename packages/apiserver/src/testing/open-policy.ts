import type { KindBehaviours } from '../kinds/behaviour.ts';
import { createOpenPolicy } from '../policy-open.ts';
import type { Policy } from '../policy.ts';

/** No policy, but that some kinds do something of their own, and admission plugins look on. */
export function openPolicyWith(
  behaviours: KindBehaviours,
  more: Partial<Pick<Policy, 'admission' | 'authorizer'>> = {},
): Policy {
  const open = createOpenPolicy();
  return { ...open, ...more, join: (own) => ({ ...open.join(own), behaviours }) };
}
