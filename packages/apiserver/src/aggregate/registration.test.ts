import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ResourceInfo } from '@binnacle/api';
import type { CustomResourceDefinition } from '@binnacle/api/apiextensions/v1';
import type { APIService } from '@binnacle/api/apiregistration/v1';
import { AUTOMANAGED, decideRegistration, wantedServices } from './registration.ts';

const spec = { group: 'g', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 };
const object = (keeper?: string, change: object = {}): APIService => ({
  metadata: { name: 'v1.g', uid: 'u', labels: keeper === undefined ? {} : { [AUTOMANAGED]: keeper } },
  spec: { ...spec, ...change },
});
const wanted = (always: boolean) => ({ name: 'v1.g', always, object: object(always ? 'true' : 'onstart') });
const OTHER = { versionPriority: 7 };

// Rows: wanted (not, at the start, always), what is there, whether it is the start, what is done.
for (const [want, current, atStart, done] of [
  [undefined, undefined, true, undefined],
  [undefined, object('true'), false, 'delete'],
  [undefined, object('onstart'), true, 'delete'],
  [undefined, object('onstart'), false, undefined],
  [undefined, object(), true, undefined],
  [wanted(false), undefined, true, 'create'],
  [wanted(false), undefined, false, undefined],
  [wanted(false), object('onstart', OTHER), true, 'update'],
  [wanted(false), object('onstart', OTHER), false, undefined],
  [wanted(false), object(undefined, OTHER), true, undefined],
  [wanted(true), undefined, false, 'create'],
  [wanted(true), object('true', OTHER), false, 'update'],
  [wanted(true), object('true'), false, undefined],
  [wanted(true), object('true', { service: null, insecureSkipTLSVerify: false }), false, undefined],
  [wanted(true), object(undefined, OTHER), false, undefined],
] as const) {
  const keeper = current?.metadata.labels?.[AUTOMANAGED] ?? 'nobody';
  const there = current === undefined ? 'nothing' : `kept by ${keeper}`;
  const sort = want === undefined ? 'not wanted' : want.always ? 'always wanted' : 'wanted at the start';
  test(`${sort}, ${there}, ${atStart ? 'at the start' : 'later'}: ${done ?? 'nothing'} is done`, () => {
    assert.equal(decideRegistration({ wanted: want, current, atStart })?.kind, done);
  });
}

describe('the APIServices of this server', () => {
  const served = (group: string, version = 'v1'): ResourceInfo => ({ group, version }) as ResourceInfo;
  const custom = (group: string, ...versions: (readonly [name: string, served: boolean])[]): CustomResourceDefinition =>
    ({
      metadata: {},
      spec: { group, versions: versions.map(([name, isServed]) => ({ name, served: isServed })) },
    }) as never;
  type Row = readonly [
    name: string,
    infos: readonly ResourceInfo[],
    definitions: readonly CustomResourceDefinition[],
    wanted: readonly string[],
  ];
  const rows: readonly Row[] = [
    ['none', [], [], []],
    ['each of a group and version once', [served('apps'), served('apps'), served('')], [], ['v1.apps', 'v1.']],
    ['not of the group that serves them', [served('apiregistration.k8s.io')], [], []],
    ['not of what is none of its own', [served('example.com'), served('apps', 'v9')], [], []],
    ['not of what an object inherits', [served('constructor'), served('apps', 'constructor')], [], []],
    [
      'custom kinds as far as they are served',
      [],
      [custom('example.com', ['v1', true], ['v1beta1', false]), custom('example.com', ['v1', true], ['v2', true])],
      ['v1.example.com always', 'v2.example.com always'],
    ],
    ['a custom kind does not take what is built in', [served('apps')], [custom('apps', ['v1', true])], ['v1.apps']],
  ];
  for (const [name, infos, definitions, wanted] of rows) {
    test(name, () => {
      const made = [...wantedServices(infos, definitions).values()];
      assert.deepEqual(
        made.map((one) => (one.always ? `${one.name} always` : one.name)),
        wanted,
      );
    });
  }

  test('what they say', () => {
    const made = wantedServices([served('', 'v1'), served('autoscaling', 'v2')], [custom('example.com', ['v1', true])]);
    const of = (name: string): object | undefined => made.get(name)?.object;
    assert.deepEqual(of('v1.'), {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.', labels: { [AUTOMANAGED]: 'onstart' } },
      spec: { version: 'v1', groupPriorityMinimum: 18_000, versionPriority: 1 },
    });
    assert.deepEqual(of('v2.autoscaling'), {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v2.autoscaling', labels: { [AUTOMANAGED]: 'onstart' } },
      spec: { group: 'autoscaling', version: 'v2', groupPriorityMinimum: 17_500, versionPriority: 30 },
    });
    assert.deepEqual(of('v1.example.com'), {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.example.com', labels: { [AUTOMANAGED]: 'true' } },
      spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 },
    });
  });
});
