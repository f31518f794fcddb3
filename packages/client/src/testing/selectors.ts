import { matchesLabels, parseLabelSelector } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';

export type Match = (object: KubeObject) => boolean;

/** The query's label and field selectors as one question. Unlike a server, any field can be selected by. */
export function matcherOf(query: { readonly [name: string]: string } | undefined): Match {
  const labels = parseLabelSelector(query?.['labelSelector'] ?? '');
  const fields = (query?.['fieldSelector'] ?? '')
    .split(',')
    .filter((part) => part !== '')
    .map(fieldTest);
  return (object) => matchesLabels(labels, object.metadata.labels) && fields.every((test) => test(object));
}

function fieldTest(requirement: string): Match {
  const [, path = '', operator, value = ''] = /^([^=!]+)(==|=|!=)(.*)$/.exec(requirement) ?? [];
  const steps = path.split('.');
  return (object) => {
    let at: unknown = object;
    for (const step of steps) at = typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined;
    const text = typeof at === 'string' || typeof at === 'number' || typeof at === 'boolean' ? String(at) : '';
    return (text === value) === (operator !== '!=');
  };
}
