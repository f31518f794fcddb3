import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodSecurityContext, SecurityContext } from '@binnacle/api/core/v1';
import type { ImageStatus } from '@binnacle/runtime';
import { testPod } from '../testing/node.ts';
import { containerSecurity, groupsPolicy, seccomp, supplementalGroups, verifyRunAsNonRoot } from './security.ts';

function securityOf(
  own: SecurityContext,
  shared: PodSecurityContext = {},
  byDefault = false,
): ReturnType<typeof containerSecurity> {
  const pod = testPod({ container: { securityContext: own }, spec: {} });
  return containerSecurity({ ...pod, spec: { ...pod.spec, securityContext: shared } }, pod.spec.containers[0]!, {
    folder: '/k/seccomp',
    byDefault,
  });
}

test('who names no profile gets what the node says', () => {
  assert.equal(securityOf({}).seccomp, 'Unconfined');
  assert.equal(securityOf({}, {}, true).seccomp, 'RuntimeDefault');
  assert.equal(securityOf({}, { seccompProfile: { type: 'Unconfined' } }, true).seccomp, 'Unconfined');
});

test('the container wins over the pod', () => {
  const security = securityOf(
    {
      runAsUser: 1,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
    },
    { runAsUser: 2, runAsGroup: 3, fsGroup: 4, supplementalGroups: [5], seccompProfile: { type: 'RuntimeDefault' } },
  );
  assert.deepEqual(
    { ...security, maskedPaths: security.maskedPaths.length > 0, readOnlyPaths: security.readOnlyPaths.length > 0 },
    {
      privileged: false,
      readOnlyRootFilesystem: true,
      noNewPrivileges: true,
      runAsUser: 1,
      runAsGroup: 3,
      supplementalGroups: [5, 4],
      addCapabilities: ['NET_ADMIN'],
      dropCapabilities: ['ALL'],
      seccomp: 'RuntimeDefault',
      maskedPaths: true,
      readOnlyPaths: true,
    },
  );
});

test('profiles are files of the node, labels are passed on', () => {
  const profile = { type: 'Localhost' as const, localhostProfile: 'a/b.json' };
  const own = securityOf({ seLinuxOptions: { type: 't' } }, { seccompProfile: profile });
  assert.deepEqual(
    [own.seccomp, own.selinux],
    [{ file: '/k/seccomp/a/b.json' }, { user: '', role: '', type: 't', level: '' }],
  );
});

test('a privileged container sees everything', () => {
  const security = securityOf({ privileged: true });
  assert.deepEqual([security.privileged, security.maskedPaths, security.seccomp], [true, [], 'Unconfined']);
});

const image = (of: Partial<ImageStatus>): ImageStatus => ({
  id: 'sha256:1',
  tags: [],
  digests: [],
  sizeBytes: 1,
  ...of,
});
const where = '(pod: "web_default(uid-web)", container: main)';

const rows: readonly [string, SecurityContext, ImageStatus, string | undefined][] = [
  ['a number other than 0', { runAsNonRoot: true, runAsUser: 1 }, image({}), undefined],
  [
    'root by the pod',
    { runAsNonRoot: true, runAsUser: 0 },
    image({ uid: 1 }),
    `container's runAsUser breaks non-root policy ${where}`,
  ],
  [
    'root by the image',
    { runAsNonRoot: true },
    image({ uid: 0 }),
    `container has runAsNonRoot and image will run as root ${where}`,
  ],
  [
    'a name in the image',
    { runAsNonRoot: true },
    image({ username: 'app' }),
    `container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root ${where}`,
  ],
  ['a number in the image', { runAsNonRoot: true }, image({ uid: 7 }), undefined],
  ['not asked for', {}, image({ uid: 0 }), undefined],
];

for (const [name, securityContext, of, message] of rows) {
  test(`runAsNonRoot: ${name}`, () => {
    const pod = testPod({ container: { securityContext } });
    const check = (): void => verifyRunAsNonRoot(pod, pod.spec.containers[0]!, of);
    if (message === undefined) assert.doesNotThrow(check);
    else assert.throws(check, { reason: 'CreateContainerConfigError', message });
  });
}

for (const [name, context, groups] of [
  ['nothing is said', undefined, []],
  ['its own', { supplementalGroups: [5, 6] }, [5, 6]],
  ['that of its volumes too', { supplementalGroups: [5], fsGroup: 7 }, [5, 7]],
  ['that of its volumes once', { supplementalGroups: [7, 5], fsGroup: 7 }, [7, 5]],
  ['root’s group is one', { fsGroup: 0 }, [0]],
] as const)
  test(`groups of a pod: ${name}`, () => {
    const pod = testPod({ spec: context === undefined ? {} : { securityContext: context } });
    assert.deepEqual(supplementalGroups(pod), groups);
  });

for (const [name, profile, expected] of [
  ['none', undefined, 'Unconfined'],
  ['none, in words', { type: 'Unconfined' }, 'Unconfined'],
  ['the runtime’s', { type: 'RuntimeDefault' }, 'RuntimeDefault'],
  ['a file of the node', { type: 'Localhost', localhostProfile: 'a/b.json' }, { file: '/k/seccomp/a/b.json' }],
] as const)
  test(`what of the kernel a container may call: ${name}`, () =>
    assert.deepEqual(seccomp(profile, '/k/seccomp'), expected));
test('a file of the node without a name is refused', () =>
  assert.throws(() => seccomp({ type: 'Localhost' }, '/k/seccomp'), {
    message: 'localhostProfile must be set if seccompProfile type is Localhost.',
  }));

for (const policy of [undefined, 'Merge', 'Strict'] as const) {
  test(`the groups of the image, by policy ${policy ?? 'unsaid'}`, () => {
    const context = policy === undefined ? {} : { supplementalGroupsPolicy: policy };
    assert.equal(securityOf({}, context).groupsPolicy, policy);
    assert.deepEqual(
      groupsPolicy(testPod({ spec: { securityContext: context } })),
      policy ? { groupsPolicy: policy } : {},
    );
  });
}
