import { useCallback, useSyncExternalStore } from 'react';
import { request } from '../api/request.ts';
import { currentSession } from '../api/session.ts';
import { KnownRights } from './known-rights.ts';
import type { RightsWorld } from './known-rights.ts';
import type { Rule, Wish } from './rules.ts';

/** Whether the viewer may do something in a namespace, as far as it is known. */
export type Rights = (wish: Wish) => boolean;

const GROUP = '/apis/authorization.k8s.io/v1';
/** By session and namespace: who logs in after somebody else has rights of his own. */
const known = new Map<string, KnownRights>();
const NAMESPACES_MAX = 200;

/** What the viewer may do in a namespace; the component is drawn anew when more is known. */
export function useRights(namespace: string): Rights {
  const rights = rightsIn(namespace || 'default');
  const version = useSyncExternalStore(rights.subscribe, rights.version);
  return useCallback((wish) => rights.may(wish), [rights, version]);
}

function rightsIn(namespace: string): KnownRights {
  const key = `${currentSession() ?? ''} ${namespace}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= NAMESPACES_MAX) known.clear();
  const rights = new KnownRights(namespace, world);
  known.set(key, rights);
  return rights;
}

const world: RightsWorld = {
  async rules(namespace) {
    const { status } = await review<RulesReview>('SelfSubjectRulesReview', { namespace });
    const { resourceRules, incomplete = false } = status ?? {};
    return { rules: resourceRules ?? [], isIncomplete: incomplete };
  },
  async access(namespace, wish) {
    const { status } = await review<AccessReview>('SelfSubjectAccessReview', {
      resourceAttributes: { ...wish, namespace },
    });
    return status?.allowed === true;
  },
};

interface RulesReview {
  readonly status?: { readonly resourceRules?: readonly Rule[] | null; readonly incomplete?: boolean };
}

interface AccessReview {
  readonly status?: { readonly allowed?: boolean };
}

async function review<T>(kind: string, spec: object): Promise<T> {
  const body = { apiVersion: 'authorization.k8s.io/v1', kind, spec };
  const path = `${GROUP}/${kind.toLowerCase()}s`;
  return (await request<T>({ method: 'POST', path, body, isQuestion: true })).value;
}
