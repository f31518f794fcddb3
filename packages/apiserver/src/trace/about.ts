import { status } from '@binnacle/machinery';
import type { ObjectName } from './trace-index.ts';

const FORM = /^([a-z0-9-]{1,253})((?:\.[a-z0-9-]{1,63}){0,20})\/([^/\s]{1,253})$/;

/** What `about` says: `pods/NAME`, `deployments.apps/NAME`. Undefined when it is absent; throws 400 for what says nothing. */
export function parseAbout(text: string, namespace: string): ObjectName | undefined {
  if (text === '') return undefined;
  const [, resource = '', group = '', name = ''] = FORM.exec(text) ?? [];
  if (resource === '') throw status.badRequest(`about: expected RESOURCE[.GROUP]/NAME, not ${JSON.stringify(text)}`);
  return { group: group.slice(1), resource, namespace, name };
}
