import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkAppArmor, checkHostPorts, checkSeccompAnnotations } from './baseline-checks.ts';
import { checkCapabilitiesDropped, checkRunAsNonRoot, checkSeccompSet, checkVolumeTypes } from './restricted-checks.ts';
import { containersOf, offenders } from './violation.ts';
import type { Check, PodLike, Settings } from './violation.ts';

// What no single pod of standard-verdicts.json shows: several offenders at once, the order in which they are named, and
// names that clients choose.

/** A pod of containers `a` (initial), `b`, `c` (to look into it), each with its part of the specification. */
function pod(parts: { readonly [container: string]: object }, spec: object = {}): PodLike {
  const of = (name: string): object[] => (parts[name] === undefined ? [] : [{ name, ...parts[name] }]);
  return {
    spec: { initContainers: of('a'), containers: of('b'), ephemeralContainers: of('c'), ...spec },
  } as unknown as PodLike;
}
const context = (securityContext: object): object => ({ securityContext });
const annotated = (annotations: { readonly [name: string]: string }, given: PodLike = pod({ b: {} })): PodLike => ({
  ...given,
  metadata: { annotations },
});

function table(
  check: Check,
  rows: readonly (readonly [name: string, given: PodLike, told: string | undefined])[],
): void {
  for (const [name, given, told] of rows) {
    test(name, () => {
      const violation = check(given);
      assert.equal(violation === undefined ? undefined : `${violation.reason}: ${violation.detail}`, told);
    });
  }
}

describe('ports of the host', () => {
  const ports = (...hostPorts: (number | undefined)[]): object => ({
    ports: hostPorts.map((hostPort) => ({ hostPort })),
  });
  table(checkHostPorts, [
    ['none', pod({ b: ports(undefined, 0) }), undefined],
    ['one', pod({ b: ports(80) }), 'hostPort: container "b" uses hostPort 80'],
    [
      'several, each once, in the order of their letters',
      pod({ a: ports(9000, 80), b: ports(0), c: ports(443, 80) }),
      'hostPort: containers "a", "c" use hostPorts 443, 80, 9000',
    ],
  ]);
});

describe('AppArmor', () => {
  const profile = (type: string): object => ({ appArmorProfile: { type } });
  const beta = 'container.apparmor.security.beta.kubernetes.io/';
  table(checkAppArmor, [
    ['nothing said', pod({ b: {} }), undefined],
    ['what is allowed', pod({ a: context(profile('RuntimeDefault')), b: context(profile('Localhost')) }), undefined],
    [
      'a pod and its containers',
      pod({ b: context(profile('Unconfined')) }, context(profile('Unconfined'))),
      'forbidden AppArmor profile: pod and container "b" must not set AppArmor profile type to "Unconfined"',
    ],
    [
      'old annotations beside fields',
      annotated(
        { [`${beta}b`]: 'unconfined', [`${beta}a`]: 'strange', other: 'unconfined' },
        pod({ b: context(profile('Unconfined')) }),
      ),
      'forbidden AppArmor profiles: container "b" and annotations must not set AppArmor profile type to ' +
        `"Unconfined", "${beta}a="strange"", "${beta}b="unconfined""`,
    ],
    [
      'old annotations that are allowed',
      annotated({ [`${beta}a`]: '', [`${beta}b`]: 'runtime/default', [`${beta}c`]: 'localhost/x' }),
      undefined,
    ],
    [
      'an annotation of a container that is not there',
      annotated({ [`${beta}gone`]: 'unconfined' }),
      `forbidden AppArmor profile: annotation must not set AppArmor profile type to "${beta}gone="unconfined""`,
    ],
  ]);
});

describe('old annotations of seccomp', () => {
  const old = 'container.seccomp.security.alpha.kubernetes.io/';
  const ofPod = 'seccomp.security.alpha.kubernetes.io/pod';
  table(checkSeccompAnnotations, [
    ['none', pod({ b: {} }), undefined],
    [
      'what is allowed',
      annotated(
        { [ofPod]: 'runtime/default', [`${old}a`]: 'docker/default', [`${old}b`]: 'localhost/p' },
        pod({ a: {}, b: {} }),
      ),
      undefined,
    ],
    ['an empty one is not', annotated({ [ofPod]: '' }), `seccompProfile: forbidden annotation ${ofPod}=""`],
    ['of a container that is not there', annotated({ [`${old}gone`]: 'unconfined' }), undefined],
    [
      'of a pod and its containers',
      annotated({ [ofPod]: 'unconfined', [`${old}c`]: 'unconfined' }, pod({ c: {} })),
      `seccompProfile: forbidden annotations ${old}c="unconfined", ${ofPod}="unconfined"`,
    ],
    [
      'of a container called like a member of every object',
      annotated({ [`${old}constructor`]: 'x' }, pod({}, { containers: [{ name: 'constructor' }] })),
      `seccompProfile: forbidden annotation ${old}constructor="x"`,
    ],
  ]);
});

describe('capabilities', () => {
  const capabilities = (drop?: string[], add?: string[]): object => context({ capabilities: { drop, add } });
  table(checkCapabilitiesDropped, [
    ['all dropped', pod({ a: capabilities(['ALL']), b: capabilities(['X', 'ALL'], ['NET_BIND_SERVICE']) }), undefined],
    [
      'by another name',
      pod({ b: capabilities(['all']) }),
      'unrestricted capabilities: container "b" must set securityContext.capabilities.drop=["ALL"]',
    ],
    [
      'nothing said',
      pod({ a: {}, b: context({}) }),
      'unrestricted capabilities: containers "a", "b" must set securityContext.capabilities.drop=["ALL"]',
    ],
    [
      'some keep and some add',
      pod({ a: capabilities(['ALL'], ['SYS_ADMIN', 'CHOWN']), b: capabilities([], ['CHOWN']) }),
      'unrestricted capabilities: container "b" must set securityContext.capabilities.drop=["ALL"]; ' +
        'containers "a", "b" must not include "CHOWN", "SYS_ADMIN" in securityContext.capabilities.add',
    ],
  ]);
});

describe('types of volumes', () => {
  const volumes = (...all: object[]): PodLike => pod({ b: {} }, { volumes: all });
  table(checkVolumeTypes, [
    ['none', pod({ b: {} }), undefined],
    [
      'what is allowed',
      volumes({ name: 'v', emptyDir: {} }, { name: 'w', image: {} }, { name: 'x', csi: {} }),
      undefined,
    ],
    [
      'several',
      volumes({ name: 'v', nfs: {} }, { name: 'w', hostPath: {} }, { name: 'x', nfs: {} }, { name: 'y', secret: {} }),
      'restricted volume types: volumes "v", "w", "x" use restricted volume types "hostPath", "nfs"',
    ],
    ['of no type', volumes({ name: 'v' }), 'restricted volume types: volume "v" uses restricted volume type "unknown"'],
    [
      'of a type that objects inherit',
      volumes({ name: 'v', constructor: {} }),
      'restricted volume types: volume "v" uses restricted volume type "unknown"',
    ],
  ]);
});

describe('not as root', () => {
  const root = (runAsNonRoot: boolean): object => context({ runAsNonRoot });
  table(checkRunAsNonRoot, [
    ['as the pod says', pod({ a: {}, b: context({}) }, root(true)), undefined],
    ['as each container says', pod({ a: root(true), b: root(true) }), undefined],
    [
      'a container says otherwise',
      pod({ a: root(false), b: {} }, root(true)),
      'runAsNonRoot != true: container "a" must not set securityContext.runAsNonRoot=false',
    ],
    [
      'a pod says otherwise, and its containers do not',
      pod({ a: root(true), b: root(true) }, root(false)),
      'runAsNonRoot != true: pod must not set securityContext.runAsNonRoot=false',
    ],
    [
      'some say nothing',
      pod({ a: root(true), b: {}, c: context({}) }),
      'runAsNonRoot != true: pod or containers "b", "c" must set securityContext.runAsNonRoot=true',
    ],
    ['no containers', pod({}), undefined],
  ]);
});

describe('a profile of seccomp has to be set', () => {
  const profile = (type: string): object => context({ seccompProfile: { type } });
  const must = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  table(checkSeccompSet, [
    ['as the pod says', pod({ a: {}, b: {} }, profile('RuntimeDefault')), undefined],
    ['as each container says', pod({ a: profile('Localhost'), b: profile('RuntimeDefault') }), undefined],
    ['nobody says it', pod({ a: {}, b: context({}) }), `seccompProfile: pod or containers "a", "b" ${must}`],
    [
      'a forbidden one is told before who says nothing',
      pod({ a: profile('Unconfined'), b: {} }, profile('Odd')),
      'seccompProfile: pod and container "a" must not set securityContext.seccompProfile.type to "Odd", "Unconfined"',
    ],
  ]);
});

describe('who is looked at', () => {
  test('initial containers, containers, those that look into a pod', () => {
    assert.deepEqual(
      containersOf(pod({ c: {}, a: {}, b: {} })).map(({ name }) => name),
      ['a', 'b', 'c'],
    );
    assert.deepEqual(containersOf({ spec: {} } as unknown as PodLike), []);
  });

  const isBad = (value: number): boolean => value > 1;
  const settings = (ofPod: number | undefined, ...all: (number | undefined)[]): Settings<number> => ({
    pod: ofPod,
    containers: all.map((value, i) => ({ name: `c${i}`, value })),
  });
  const rows: readonly (readonly [
    name: string,
    given: Settings<number>,
    who: readonly string[],
    values: readonly number[],
  ])[] = [
    ['nobody', settings(undefined), [], []],
    ['who says nothing does no harm', settings(undefined, undefined, 1), [], []],
    ['a pod', settings(2, 1), ['pod'], [2]],
    ['a container', settings(1, 1, 3), ['container "c1"'], [3]],
    ['a pod first', settings(2, 3, undefined, 2), ['pod', 'containers "c0", "c2"'], [2, 3, 2]],
  ];
  for (const [name, given, who, values] of rows) {
    test(name, () => assert.deepEqual(offenders(given, isBad), { who, values }));
  }
});
