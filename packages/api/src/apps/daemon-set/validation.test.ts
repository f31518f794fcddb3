import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkCreate, checkUpdate, objectOf, texts } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';
import { validateStatusUpdate } from '../../validate.ts';

const DAEMON_SET: Kind = ['apps', 'DaemonSet', true];
const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const RIGHT = { selector: { matchLabels: { a: 'b' } }, template: TEMPLATE };
const rolling = (rollingUpdate: object): object => ({
  spec: { ...RIGHT, updateStrategy: { type: 'RollingUpdate', rollingUpdate } },
});

// Provenance: upstream pkg/apis/apps/validation/validation.go.
checkCreate('daemon sets', [
  ['right', 'ValidateDaemonSet', DAEMON_SET, { spec: RIGHT }],
  [
    'on delete',
    'ValidateDaemonSetUpdateStrategy',
    DAEMON_SET,
    { spec: { ...RIGHT, updateStrategy: { type: 'OnDelete' } } },
  ],
  ['surging', 'ValidateRollingUpdateDaemonSet', DAEMON_SET, rolling({ maxSurge: '10%', maxUnavailable: 0 })],
  [
    'another selector',
    'ValidateDaemonSetSpec',
    DAEMON_SET,
    { spec: { ...RIGHT, selector: { matchLabels: { c: 'd' } } } },
    'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
  ],
  [
    'an empty selector',
    'ValidateDaemonSetSpec',
    DAEMON_SET,
    { spec: { ...RIGHT, selector: {} } },
    'spec.selector: Invalid value: {}: empty selector is invalid for daemonset',
  ],
  [
    'pods that end',
    'ValidateDaemonSetSpec',
    DAEMON_SET,
    { spec: { ...RIGHT, template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, activeDeadlineSeconds: 5 } } } },
    'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported',
  ],
  [
    'both at once',
    'ValidateRollingUpdateDaemonSet',
    DAEMON_SET,
    rolling({ maxSurge: 1, maxUnavailable: 1 }),
    'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero',
  ],
  [
    'neither',
    'ValidateRollingUpdateDaemonSet',
    DAEMON_SET,
    rolling({ maxSurge: 0, maxUnavailable: '0%' }),
    'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
  ],
  [
    'more than all',
    'IsNotMoreThan100Percent',
    DAEMON_SET,
    rolling({ maxUnavailable: '101%' }),
    'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
  ],
]);

checkUpdate('daemon sets', [
  [
    'selector',
    'daemonSetStrategy.ValidateUpdate',
    DAEMON_SET,
    { spec: RIGHT },
    {
      spec: {
        selector: { matchLabels: { c: 'd' } },
        template: { ...TEMPLATE, metadata: { labels: { a: 'b', c: 'd' } } },
      },
    },
    'spec.selector: Invalid value: {"matchLabels":{"c":"d"}}: field is immutable',
  ],
]);

it('checks the counts of a daemon set (validateDaemonSetStatus)', () => {
  const before = objectOf(DAEMON_SET, { spec: RIGHT, status: { collisionCount: 2 } });
  const after = objectOf(DAEMON_SET, { spec: RIGHT, status: { numberReady: -1, collisionCount: 1 } });
  assert.deepEqual(texts(validateStatusUpdate({ group: 'apps', kind: 'DaemonSet', namespaced: true }, after, before)), [
    'status.numberReady: Invalid value: -1: must be greater than or equal to 0',
    'status.collisionCount: Invalid value: 1: cannot be decremented',
  ]);
});
