import { useEffect, useState } from 'react';
import { request } from '../api/request.ts';
import { currentSession } from '../api/session.ts';
import { mayDo } from './rules.ts';
import type { Rule, Wish } from './rules.ts';

interface Review {
  readonly status?: { readonly resourceRules?: readonly Rule[] | null; readonly incomplete?: boolean };
}

/** Whether the viewer may do something in a namespace. */
export type Rights = (wish: Wish) => boolean;

const PATH = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
/** By session and namespace: who logs in after somebody else has rights of his own. */
const asked = new Map<string, Promise<Rights>>();
const NAMESPACES_MAX = 200;
const UNKNOWN: Rights = () => true;

/** What the viewer may do in a namespace; until that is known, and where it cannot be, everything is offered. */
export function useRights(namespace: string): Rights {
  const [rights, setRights] = useState<Rights>(() => UNKNOWN);
  useEffect(() => {
    let isCurrent = true;
    rightsIn(namespace || 'default').then(
      (found) => {
        if (isCurrent) setRights(() => found);
      },
      () => setRights(() => UNKNOWN),
    );
    return () => {
      isCurrent = false;
    };
  }, [namespace]);
  return rights;
}

function rightsIn(namespace: string): Promise<Rights> {
  const key = `${currentSession() ?? ''} ${namespace}`;
  const known = asked.get(key);
  if (known !== undefined) return known;
  if (asked.size >= NAMESPACES_MAX) asked.clear();
  const promise = ask(namespace);
  asked.set(key, promise);
  promise.catch(() => asked.delete(key));
  return promise;
}

async function ask(namespace: string): Promise<Rights> {
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } };
  const { value } = await request<Review>({ method: 'POST', path: PATH, body, isQuestion: true });
  const { resourceRules, incomplete = false } = value.status ?? {};
  return (wish) => mayDo(resourceRules ?? [], incomplete, wish);
}
