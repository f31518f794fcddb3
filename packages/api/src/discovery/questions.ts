import type { Endpoint } from '../generated/discovery-v1.ts';

/** Whether an endpoint takes new connections: it does; it is on its way out and answers still; it does not. */
export type EndpointStanding = 'ready' | 'leaving' | 'out';

/** What an endpoint's conditions come to. One that says nothing is ready; whether it serves, as whether it is ready. */
export function endpointStanding({ conditions = {} }: Pick<Endpoint, 'conditions'>): EndpointStanding {
  const { ready = true, serving = ready, terminating = false } = conditions;
  if (ready) return 'ready';
  return serving && terminating ? 'leaving' : 'out';
}

/** Who of these may answer: those that are ready; where nobody is, those on their way out that answer still. */
export function chooseStanding<T extends { readonly standing: EndpointStanding }>(all: readonly T[]): T[] {
  const ready = all.filter(({ standing }) => standing === 'ready');
  return ready.length > 0 ? ready : all.filter(({ standing }) => standing === 'leaving');
}
