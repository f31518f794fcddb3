import type { Kind } from './kind-table.ts';

// What the tables of jobs share.

export const JOB: Kind = ['batch', 'Job', true];
export const TEMPLATE = {
  metadata: { labels: { a: 'b' } },
  spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
};
export const RIGHT = { manualSelector: true, selector: { matchLabels: { a: 'b' } }, template: TEMPLATE };

/** A right job but for these fields of its spec; its selector is made by hand. */
export const jobWith = (spec: object): object => ({ spec: { ...RIGHT, ...spec } });
export const INDEXED = { completionMode: 'Indexed', completions: 3, parallelism: 3 };
