import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VolumeMount } from '@binnacle/api/core/v1';
import type { ContainerStartError } from '../errors.ts';
import { isRecursivelyReadOnly } from './recursive-read-only.ts';

const SAYS = 'volume "v" requested recursive read-only mode, but it is ';

const ROWS: readonly [name: string, Partial<VolumeMount>, isSupported: boolean, wanted: boolean | string][] = [
  ['nothing said', { readOnly: true }, true, false],
  ['not wanted', { readOnly: true, recursiveReadOnly: 'Disabled' }, true, false],
  ['wanted where it can be', { readOnly: true, recursiveReadOnly: 'IfPossible' }, true, true],
  ['wanted where it cannot', { readOnly: true, recursiveReadOnly: 'IfPossible' }, false, false],
  ['needed where it can be', { readOnly: true, recursiveReadOnly: 'Enabled' }, true, true],
  ['needed where it cannot', { readOnly: true, recursiveReadOnly: 'Enabled' }, false, 'not supported by the runtime'],
  ['needed of what is written to', { recursiveReadOnly: 'Enabled' }, true, 'not read-only'],
  [
    'needed of what is handed on',
    { readOnly: true, recursiveReadOnly: 'Enabled', mountPropagation: 'HostToContainer' },
    true,
    'not compatible with propagation "HostToContainer"',
  ],
];

for (const [name, mount, isSupported, wanted] of ROWS) {
  test(`read only with all that is below: ${name}`, () => {
    const of = { name: 'v', mountPath: '/v', ...mount };
    if (typeof wanted === 'boolean') assert.equal(isRecursivelyReadOnly(of, isSupported), wanted);
    else
      assert.throws(
        () => isRecursivelyReadOnly(of, isSupported),
        (error: ContainerStartError) =>
          error.reason === 'CreateContainerConfigError' && error.message === SAYS + wanted,
      );
  });
}
