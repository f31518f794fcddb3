import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { detailsOf, evaluatePod } from './evaluate.ts';
import { parseLevel, parseVersion } from './pod-security-policy.ts';

// What a kube-apiserver v1.36 warned of, by dry run, for each field of the standard: allowed and forbidden values, at pods,
// containers and init containers, per level; of older versions of the standard what differs from the latest.

interface Row {
  readonly name: string;
  readonly annotations?: object;
  /** What differs from a pod that meets `restricted`. */
  readonly spec: object;
  readonly baseline: string;
  readonly restricted: string;
  readonly older?: { readonly [asked: string]: string };
}

const ROWS = JSON.parse(readFileSync(new URL('standard-verdicts.json', import.meta.url), 'utf8')) as readonly Row[];
const VERSIONS = [
  ...['baseline:v1.0', 'baseline:v1.30', 'baseline:v1.33', 'baseline:v1.34'],
  ...['v1.0', 'v1.8', 'v1.19', 'v1.22', 'v1.24', 'v1.25', 'v1.34'].map((version) => `restricted:${version}`),
];
const MEETS = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    { name: 'c', image: 'i', securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } },
  ],
};

function told({ annotations, spec }: Row, asked: string): string {
  const [level = '', version = ''] = asked.split(':');
  const wanted = { level: parseLevel(level) ?? 'privileged', version: parseVersion(version) ?? 'latest' } as const;
  return detailsOf(evaluatePod({ metadata: { annotations }, spec: { ...MEETS, ...spec } } as never, wanted));
}

describe('pods are held to the standard as upstream holds them', () => {
  for (const row of ROWS) {
    it(row.name, () => {
      const { baseline, restricted, older = {} } = row;
      assert.deepEqual([told(row, 'baseline:latest'), told(row, 'restricted:latest')], [baseline, restricted]);
      for (const asked of VERSIONS) {
        const now = asked.startsWith('baseline') ? baseline : restricted;
        assert.equal(told(row, asked), older[asked] ?? now, asked);
      }
    });
  }
});
