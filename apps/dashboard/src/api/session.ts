import { parsedJson } from '@binnacle/machinery';
import { again } from './again.ts';

/** In the tab's own storage: it is gone with the tab, and no other port of this host reads it. */
const KEY = 'session';
/** Whose it is. */
const USER = 'user';

/** The secret of the session that this tab holds; undefined: nobody is logged in. */
export function currentSession(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

/** Whose session this tab holds, or held last; empty for who came by a link. Undefined: nobody's, or who it was has left. */
export function lastUser(): string | undefined {
  return sessionStorage.getItem(USER) ?? undefined;
}

/** What shows who somebody is: a one-time code, a token or a kubeconfig. */
export type Proof = { readonly code: string } | { readonly token: string } | { readonly kubeconfig: string };

/** Logs in; answers with why not, undefined when all is well. Rejects when the dashboard's server cannot be reached. */
export async function logIn(proof: Proof): Promise<string | undefined> {
  const reply = await again(() =>
    fetch('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(proof),
    }),
  );
  const told = (parsedJson(await reply.text()) ?? {}) as {
    readonly session?: string;
    readonly user?: string;
    readonly error?: string;
  };
  const { session, user, error } = told;
  if (session === undefined) return error ?? `the dashboard says ${reply.status}`;
  sessionStorage.setItem(KEY, session);
  if (user === undefined) sessionStorage.removeItem(USER);
  else sessionStorage.setItem(USER, user);
  return undefined;
}

/** Whether the address is a link that logs in. */
export function hasCode(): boolean {
  return new URLSearchParams(location.hash.slice(1)).has('code');
}

/** Takes the code out of the link that led here, so that it is in no history and no bookmark. */
export function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? undefined;
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return code;
}

/** Ends the session here and at the server. */
export async function logOut(): Promise<void> {
  const session = currentSession();
  sessionStorage.removeItem(KEY);
  sessionStorage.removeItem(USER);
  if (session !== undefined)
    await fetch('/session', { method: 'DELETE', headers: { authorization: `Bearer ${session}` } });
}

/** The session is over at the server: the tab forgets it too, but not whose it was. */
export function forgetSession(): void {
  sessionStorage.removeItem(KEY);
}
