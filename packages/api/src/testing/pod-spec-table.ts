import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Draft } from '../draft.ts';
import type { Pod } from '../generated/core-v1.ts';
import { defaultPod } from '../core/pod/defaults.ts';
import { validatePod } from '../core/pod/validation.ts';

// What the golden tables of pod validation share. Each row names the function of upstream's
// pkg/apis/core/validation/validation.go that its messages come from.

export const CONTAINER = { name: 'c', image: 'busybox:1', resources: {} };

export const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

export const container = (fields: object): object => ({ containers: [{ ...CONTAINER, ...fields }] });
export const volume = (fields: object): object => ({ volumes: [{ name: 'v', ...fields }] });
export const probe = (fields: object): object => container({ livenessProbe: fields });
export const texts = (errors: readonly { toString(): string }[]): string[] => errors.map((error) => error.toString());

/** A pod with one right container unless the spec says otherwise, after defaulting. */
export function podOf(spec: object, metadata: object = {}, status: object = {}): Pod {
  const pod = structuredClone({
    metadata: { name: 'p', namespace: 'd', ...metadata },
    spec: { containers: [CONTAINER], ...spec },
    status,
  }) as Draft<Pod>;
  defaultPod(pod);
  return pod as Pod;
}

export type SpecRow = [name: string, upstream: string, spec: object, ...errors: string[]];

/** One test per row: the messages about a new pod with that spec. */
export function checkSpecs(title: string, rows: readonly SpecRow[]): void {
  describe(`validation of ${title}`, () => {
    for (const [name, upstream, spec, ...errors] of rows) {
      it(`${name} (${upstream})`, () => assert.deepEqual(texts(validatePod(podOf(spec))), errors));
    }
  });
}
